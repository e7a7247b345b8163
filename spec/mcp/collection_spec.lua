local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("a list of entries", function()
    local collection, encoded

    setup(function()
        fake_host.install()
        collection = require("mcp.collection")
    end)
    before_each(function() encoded = 0 end)

    -- A list whose entries count how often they are brought into the form of a revision.
    local function new(count, enabled)
        local list = collection.new(function(public, revision)
            encoded = encoded + 1
            return { name = public.name, revision = revision }
        end)
        for number = 1, count do
            local name = ("e%03d"):format(number)
            assert.is_true(list:add({ key = name, public = { name = name }, enabled = enabled and enabled[number] }))
        end
        return list
    end

    it("keeps its order, and each key once", function()
        local list = new(3)
        assert.same({ "e001", "e002", "e003" }, list:keys())
        assert.is_false(list:add({ key = "e002", public = {} }))
        assert.equal("e002", list:find("e002").key)
        assert.is_nil(list:find("e004"))
        assert.is_false(list:is_empty())
        assert.is_true(new(0):is_empty())
    end)

    it("is encoded once for each revision, however often it is read", function()
        local list = new(5)
        list:seal({ "2025-11-25", "2026-07-28" })
        for _ = 1, 10 do
            list:page("2025-11-25")
            list:page("2026-07-28")
        end
        assert.equal(10, encoded)
        assert.equal("2025-11-25", json.decode(list:page("2025-11-25").items)[1].revision)
    end)

    it("is encoded again when what is offered has changed, and only then", function()
        local on = true
        local list = new(3, { [2] = function() return on end })
        list:page("2026-07-28")
        assert.equal(3, #json.decode(list:page("2026-07-28").items))
        assert.equal(3, encoded)
        on = false
        assert.equal(2, #json.decode(list:page("2026-07-28").items))
        assert.is_nil(list:find("e002"))
        list:page("2026-07-28")
        assert.equal(5, encoded)
    end)

    it("J02 is [] when it is empty", function() assert.equal("[]", new(0):page("2025-11-25").items) end)

    it("is read page by page, by cursors that it gave and no others", function()
        local list, names, cursor = new(250), {}, nil
        repeat
            local page = list:page("2025-11-25", cursor)
            local items = json.decode(page.items)
            assert.is_true(#items <= collection.PAGE_SIZE)
            for _, item in ipairs(items) do names[#names + 1] = item.name end
            cursor = page.next
        until not cursor
        assert.equal(250, #names)
        assert.equal("e250", names[250])
        for _, wrong in ipairs({ "", "x", 5, true, {}, 0 / 0 }) do assert.is_nil(list:page("2025-11-25", wrong)) end
    end)

    it("has no page after a last one that is full", function()
        assert.is_nil(new(100):page("2025-11-25").next)
        assert.is_string(new(101):page("2025-11-25").next)
    end)

    it("has a fingerprint that tells what clients see", function()
        local on = true
        local list = new(2, { function() return on end })
        local before = list:fingerprint("2026-07-28")
        assert.equal(before, list:fingerprint("2026-07-28"))
        on = false
        assert.not_equal(before, list:fingerprint("2026-07-28"))
        assert.not_equal(before, new(3):fingerprint("2026-07-28"))
    end)

    it("refuses what JSON cannot hold when it is sealed, not when it is read", function()
        local list = new(0)
        list:add({ key = "x", public = { name = print } })
        assert.has_error(function() list:seal({}) end)
    end)
end)
