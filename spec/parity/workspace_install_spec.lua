local parity = require("spec.support.parity")

describe("parity: workspace_install", function()
    parity.replay("workspace_install", {
        ["range-with-shell-characters"] = {
            answer = parity.success("pip [install] [six>=1.16]\n<WORKSPACE>\n\nnote on stderr"),
        },
        ["timeout-120"] = { tools = "short_tools", answer = parity.error("timeout after 1s") },
    }, function(world)
        world:make_tools("short_tools", { ["install_timeout_s = 120"] = "install_timeout_s = 1" })
    end)
end)
