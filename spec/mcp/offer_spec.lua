local fake_host = require("spec.support.fake_host")
local json = require("json")

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

    describe("in lists", function()
        local exchange

        before_each(function()
            exchange = require("mcp.exchange").new({ era = "legacy", revision = "2025-11-25", client = {}, bytes = 0 })
            for number = 1, 101 do
                registry:add({ name = ("t%03d"):format(number), description = "d", input = { type = "object" }, handler = print })
            end
            registry:seal()
        end)

        local function list(cursor)
            local text, failure = offer.methods["tools/list"]({ registry = registry }, { cursor = cursor }, exchange)
            return text and json.decode(text), failure
        end

        it("comes page by page, whole", function()
            for _, none in ipairs({ false, json.null }) do
                local page = list(none or nil)
                assert.same({ 100, "t001" }, { #page.tools, page.tools[1].name })
                local last = list(page.nextCursor)
                assert.same({ 1, "t101", nil }, { #last.tools, last.tools[1].name, last.nextCursor })
            end
        end)

        it("says how long a page holds to who is told that", function()
            exchange.era, exchange.revision = "modern", "2026-07-28"
            assert.equal(0, list().ttlMs)
        end)

        it("knows no cursor that it did not give", function()
            for _, cursor in ipairs({ "x", 5, {} }) do
                local page, failure = list(cursor)
                assert.same({ nil, -32602 }, { page, failure.code })
            end
        end)
    end)
end)
