local program = require("spec.support.program")

describe("text", function()
    it("replaces every maximal ill-formed part once and counts", function()
        local result = program.lua([[
            local text, out = require("text"), {}
            for i, bytes in ipairs({
                "", "plain", "é€😀", "a\xFFb", "\xC0\x80", "\xE2\x82", "\xE2\x82A", "\xF0\x9F\x98", "\xF0\x9F\xC3\xA9",
                "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80\xBF",
                "\xC3", "\xC3\xC3\xA9", "\xF8\x88\x80\x80\x80", "12345678\xFF12345678",
            }) do
                local clean, count = text.clean(bytes)
                out[i] = { clean, count }
            end
            return out
        ]])
        local r = "\u{FFFD}"
        assert.same({
            { "", 0 }, { "plain", 0 }, { "é€😀", 0 }, { "a" .. r .. "b", 1 }, { r:rep(2), 2 }, { r, 1 }, { r .. "A", 1 }, { r, 1 },
            { r .. "é", 1 }, { r:rep(3), 3 }, { r:rep(4), 4 }, { r:rep(2), 2 }, { r, 1 }, { r .. "é", 1 }, { r:rep(5), 5 },
            { "12345678" .. r .. "12345678", 1 },
        }, result)
    end)

    it("agrees with Lua's own utf8 on what is valid", function()
        local result = program.lua([[
            local text, wrong, state = require("text"), {}, 5
            local function random(n) state = (state * 6364136223846793005 + 1442695040888963407); return (state >> 33) % n end
            for code = 0, 0x10FFFF, 7 do
                local c = utf8.char(code)
                if text.valid(c) ~= (utf8.len(c) == 1) then wrong[#wrong + 1] = code end
            end
            for _ = 1, 20000 do
                local bytes = {}
                for i = 1, random(12) do bytes[i] = string.char(random(2) == 0 and random(128) or 128 + random(128)) end
                local s = table.concat(bytes)
                if text.valid(s) ~= (utf8.len(s) ~= nil) then wrong[#wrong + 1] = s end
                local clean, count = text.clean(s)
                if not utf8.len(clean) or (count == 0) ~= (clean == s) then wrong[#wrong + 1] = s end
            end
            return #wrong
        ]])
        assert.equal(0, result)
    end)

    it("cuts on a border between characters", function()
        local result = program.lua([[
            local text, out = require("text"), {}
            for n = 0, 11 do out[#out + 1] = #text.cut("aé€😀b", n) end
            return { whole = out, cut = text.cut("abc", math.maxinteger),
                     loose = { #text.cut("ab\xFF\xFFcd", 3), #text.cut("\x80\x80\x80\x80\x80", 4), #text.cut("a\xE2\x82", 3) } }
        ]])
        assert.same({
            whole = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11 },
            cut = "abc",
            loose = { 3, 4, 3 },
        }, result)
    end)

    it("skips lines, and says how many there were", function()
        local result = program.lua([[
            local text = require("text")
            local function skip(...) local position, found = text.skip_lines(...) return position .. "/" .. found end
            return { skip("a\nb\n", 1, 1), skip("a\nb\n", 1, 2), skip("a\nb\n", 1, 3), skip("a\nb", 3, 1), skip("ab", 1, 0),
                skip("", 1, 5), skip("\n\n\0\n", 2, math.maxinteger), skip("ab", 3, 1),
                (pcall(text.skip_lines, "ab", 4, 1)), (pcall(text.skip_lines, "ab", 0, 1)) }
        ]])
        assert.same({ "3/1", "5/2", "5/2", "4/0", "1/0", "1/0", "5/2", "3/0", false, false }, result)
    end)

    it("names function, what is expected and what came", function()
        local result = program.lua([[
            local text, out = require("text"), {}
            local function try(name, ...) out[#out + 1] = select(2, pcall(text[name], ...)) end
            try("clean", 1)
            try("valid")
            try("cut", {})
            try("cut", "a")
            try("cut", "a", -1)
            try("cut", "a", 1.5)
            try("cut", "a", "1")
            return out
        ]])
        assert.same({
            "text.clean: expected a string, got number",
            "text.valid: expected a string, got no value",
            "text.cut: expected a string, got table",
            "text.cut: expected a number of bytes, got nil",
            "text.cut: expected a number of bytes, got -1",
            "text.cut: expected a number of bytes, got 1.5",
            "text.cut: expected a number of bytes, got 1",
        }, result)
    end)
end)
