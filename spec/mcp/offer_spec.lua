local fake_host = require("spec.support.fake_host")

describe("what the scripts offer", function()
    local offer, registry

    before_each(function()
        fake_host.install()
        offer = require("mcp.offer")
        registry = require("mcp.registry").new()
    end)

    local function served()
        local list = {}
        for _, method in ipairs({
            "tools/list", "resources/read", "resources/subscribe", "prompts/get", "completion/complete",
        }) do
            if offer.has(method, registry) then list[#list + 1] = method end
        end
        return list
    end

    it("is declared and served together", function()
        local declared = offer.capabilities(registry)
        assert.same({ listChanged = true }, declared.tools)
        assert.is_nil(declared.resources)
        assert.is_nil(declared.prompts)
        assert.is_nil(declared.completions)
        assert.same({ "tools/list" }, served())
        registry:add_template({ uri_template = "a:{id}", name = "n", handler = print })
        registry:add_prompt({ name = "p", description = "d", handler = print })
        registry:add_completion({ resource = "a:{id}", argument = "id", handler = print })
        declared = offer.capabilities(registry)
        assert.same({ listChanged = true, subscribe = true }, declared.resources)
        assert.same({ listChanged = true }, declared.prompts)
        assert.same({}, declared.completions)
        assert.equal(5, #served())
    end)
end)
