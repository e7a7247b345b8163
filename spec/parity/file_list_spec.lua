local parity = require("spec.support.parity")

describe("parity: file_list", function()
    parity.replay("file_list", {
        ["symlink-to-directory-outside"] = parity.outside("link"),
        ["recursive-depth-5"] = parity.same_with_note("deeper than 5 levels"),
        ["recursive-500"] = parity.same_with_note("after the first 500 entries"),
        ["recursive-unreadable-part"] = parity.same_with_note("Could not be read: .*/workspace/no"),
    })
end)
