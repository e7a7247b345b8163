local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("resources/read", function()
    local read, registry, exchange

    before_each(function()
        fake_host.install()
        read, exchange = require("mcp.read"), require("mcp.exchange")
        registry = require("mcp.registry").new()
    end)

    local function define(handler)
        registry:add_resource({ uri = "a:b", name = "n", mime_type = "text/x", ttl_ms = 7, handler = handler })
    end

    local function get(uri, revision)
        local era = revision == "2026-07-28" and "modern" or "legacy"
        local from = exchange.new({ era = era, revision = revision or "2025-11-25", client = {}, bytes = 0 })
        local text, failure = read.run(registry, { uri = uri }, from)
        return text and json.decode(text), failure
    end

    it("gives contents in whatever form the handler wrote them", function()
        local value
        define(function() return value end)
        local function contents(given)
            value = given
            return get("a:b").contents
        end
        assert.same({ { uri = "a:b", mimeType = "text/x", text = "x" } }, contents("x"))
        assert.same({ { uri = "a:b", mimeType = "a/b", blob = "AP8=" } }, contents({ blob = "\0\255", mimeType = "a/b" }))
        assert.equal(2, #contents({ "x", { uri = "a:c", text = "y" } }))
        assert.equal("", contents("")[1].text)
    end)

    it("gives the handler the places of a template, and the whole address", function()
        local got
        registry:add_template({ uri_template = "t:{id}", name = "n", handler = function(args, ctx)
            got = { args.id, ctx.uri }
            return "x"
        end })
        get("t:a%20b")
        assert.same({ "a b", "t:a%20b" }, got)
    end)

    it("says in the words of the revision what is not there", function()
        define(function() return nil, "It is gone" end)
        for revision, code in pairs({ ["2024-11-05"] = -32002, ["2025-11-25"] = -32002, ["2026-07-28"] = -32602 }) do
            local _, failure = get("a:c", revision)
            assert.same({ code = code, message = "Resource not found", data = { uri = "a:c" } }, failure)
            _, failure = get("a:b", revision)
            assert.same({ code, "It is gone" }, { failure.code, failure.message })
        end
        assert.equal(-32602, select(2, get(5)).code)
    end)

    it("M13 tells of what the handler does wrong in the log alone", function()
        local value
        define(function() return type(value) == "function" and value() or value end)
        for _, wrong in ipairs({
            5, {}, { text = "x", blob = "y" }, { text = 5 }, { uri = 5, text = "x" }, { text = "x", mime_type = "a/b" },
            { text = "x", _meta = { f = print } }, function() error("oops") end,
        }) do
            value = wrong
            local _, failure = get("a:b")
            assert.equal(-32603, failure.code)
            assert.matches("^Internal error in n", failure.message)
        end
    end)

    it("says how long it may be kept, to clients that know", function()
        define(function() return "x" end)
        assert.is_nil(get("a:b").ttlMs)
        local kept = get("a:b", "2026-07-28")
        assert.same({ 7, "private" }, { kept.ttlMs, kept.cacheScope })
    end)
end)
