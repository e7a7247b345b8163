local cjson = require("cjson")
local program = require("spec.support.program")

--- Runs `body` in the program with a table `given` at hand that is passed as JSON by an independent writer.
local function run(body, given)
    return program.lua(('local json, given = require("json"), require("cjson").decode(%q)\n%s'):format(
        cjson.encode(given or {}), body))
end

--- What json.decode says of each text: "ok", or the message.
local function verdicts(texts)
    local quoted = {}
    for i, text in ipairs(texts) do quoted[i] = ("%q"):format(text) end
    return program.lua(([[
        local json, said = require("json"), {}
        for i, text in ipairs({ %s }) do
            local value, message, code = json.decode(text)
            said[i] = message and code .. " " .. message or "ok " .. json.encode(value, { sort = true })
            if message and value ~= nil then said[i] = "a value and a message" end
        end
        return json.array(said)
    ]]):format(table.concat(quoted, ", ")))
end

describe("json", function()
    it("J02 an empty array is [] and an empty object {} wherever they stand", function()
        local result = run([[
            local a, o = json.array, json.object
            return {
                tools = json.encode({ tools = a({}) }),
                schema = json.encode({ properties = {}, required = a({}) }, { sort = true }),
                content = json.encode({ content = a({}), structured = o({}) }, { sort = true }),
                bare = json.encode({}), array = json.encode(a({})), object = json.encode(o({})),
                nested = json.encode(a({ a({}), {}, o({}), a({ a({}) }) })),
            }
        ]])
        assert.same({
            tools = '{"tools":[]}',
            schema = '{"properties":{},"required":[]}',
            content = '{"content":[],"structured":{}}',
            bare = "{}", array = "[]", object = "{}",
            nested = "[[],{},{},[[]]]",
        }, result)
    end)

    it("J03 what was decoded encodes to the same JSON, any number of times", function()
        local text = '{"a":[],"b":{},"c":null,"d":[null,1],"e":1.0,"f":[[]],"g":[1,null],"h":-0.0,"i":[{}]}'
        local result = run([[
            local text = given.text
            for _ = 1, 3 do text = json.encode(json.decode(text), { sort = true }) end
            return text
        ]], { text = text })
        assert.equal(text, result)
    end)

    it("J05 nesting is limited in both directions and the process lives", function()
        local result = run([[
            local said = {}
            local function nested(open, close, depth) return open:rep(depth) .. "1" .. close:rep(depth) end
            for _, depth in ipairs({ 512, 513, 1000, 10000, 1000000 }) do
                local array, why = json.decode(nested("[", "]", depth))
                local object, reason = json.decode(nested('{"a":', "}", depth))
                local open, cause = json.decode(("["):rep(depth))
                said[#said + 1] = { array and "ok" or why, object and "ok" or reason, open and "ok" or cause }
            end
            return said
        ]])
        local deep = "nested deeper than 512 levels"
        assert.same({ "ok", "ok" }, { result[1][1], result[1][2] })
        local arrays, objects = "line 1 column 513: " .. deep, "line 1 column 2561: " .. deep
        for i = 2, #result do
            assert.same({ arrays, objects, arrays }, result[i])
        end
    end)

    it("J05 a deep or cyclic value raises and names the path", function()
        local result = run([[
            local function nested(depth) local t = 1 for _ = 1, depth do t = { t } end return t end
            local cycle = { list = { 1, {} } }
            cycle.list[2]["back again"] = cycle
            local twice = { 1 }
            return {
                fits = #json.encode(nested(512)),
                deep = select(2, pcall(json.encode, nested(513))),
                deeper = select(2, pcall(json.encode, nested(100000))),
                cycle = select(2, pcall(json.encode, cycle)),
                self = select(2, pcall(function() local t = json.array({}) t[1] = t return json.encode(t) end)),
                twice = json.encode({ twice, twice }),
            }
        ]])
        assert.equal(2 * 512 + 1, result.fits)
        assert.matches("^json%.encode: nesting of more than 512 levels at value%[1%]%[1%].*%.%.%.$", result.deep)
        assert.equal(result.deep, result.deeper)
        assert.equal('json.encode: a table that contains itself has no JSON form at value.list[2]["back again"]', result.cycle)
        assert.matches("chunk%.lua:%d+: json%.encode: a table that contains itself has no JSON form at value%[1%]$", result.self)
        assert.equal("[[1],[1]]", result.twice)
    end)

    it("J05 a value that writes the same table again and again ends at a size", function()
        local message = run([[
            local t = { ("x"):rep(1000) }
            for _ = 1, 100 do t = { t, t } end
            return select(2, pcall(json.encode, t))
        ]])
        assert.matches("^json%.encode: a text of more than 67108864 bytes at value%[1%]", message)
        assert.matches("^json%.encode: more than 1000000 values at value%[1%]", run([[
            local t = {}
            for _ = 1, 100 do t = { t, t } end
            return select(2, pcall(json.encode, t))
        ]]))
    end)

    local REFUSED = {
        "", " ", "NaN", "nan", "Infinity", "-Infinity", "-Inf", "0x10", "0123", "-01", "+1", "1.", ".5", "-", "1e", "1e+",
        "1e999", "-1e999", "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890",
        "'a'", "{'a':1}", "{a:1}", "[1,]", "[,1]", "[1 2]",
        '{"a":1,}', '{"a" 1}', '{"a":}', '{"a"}', "[1", '{"a":1', '"a', "tru", "True", "nul",
        "undefined",
        "\xEF\xBB\xBF{}", "{} x", "1 2", "{}{}", "[1]\0", "\0", "{}\0\0", "// c\n1", "1 /* c */", "\v1", "\u{A0}1",
        '"\\ud800"', '"\\ud800x"', '"\\udc00"', '"\\ud800\\ud800"', '"\\u12"', '"\\x41"', '"\\\n"', '"a\nb"', '"\1"', '"\t"',
        '"\31"',
        '"\xFF"', '"\xC0\x80"', '"\xED\xA0\x80"', '"\xF4\x90\x80\x80"', '"\xE2\x82"', '{"\xFF":1}',
        '{"path":1,"path":2}', '{"a":{"b":1,"c":2,"b":3}}', '{"a":1,"\\u0061":2}', "]", "}", "[}", "{]",
    }

    it("J07 refuses what RFC 8259 does not allow, duplicate names and numbers that do not fit", function()
        for i, said in ipairs(verdicts(REFUSED)) do
            assert.matches("^EJSON line %d+ column %d+: .", said, nil, ("%q: %s"):format(REFUSED[i], said))
        end
    end)

    it("J07 a value that no JSON number can be raises and names the path", function()
        local result = run([[
            local function try(v) return (select(2, pcall(json.encode, v))) end
            return { try(0 / 0), try({ ratio = 0 / 0 }), try({ 1, math.huge }), try({ a = { -math.huge } }) }
        ]])
        assert.equal("json.encode: NaN has no JSON form at value", result[1])
        assert.equal("json.encode: NaN has no JSON form at value.ratio", result[2])
        assert.equal("json.encode: infinity has no JSON form at value[2]", result[3])
        assert.equal("json.encode: infinity has no JSON form at value.a[1]", result[4])
    end)

    it("accepts everything that RFC 8259 allows", function()
        local accepted = {
            ["0"] = "0", ["-0"] = "0", ["-0.0"] = "-0.0", ["42.0"] = "42.0", ["1e5"] = "100000.0", ["1E-2"] = "0.01",
            ["1e-400"] = "0.0",
            [" \t\r\n[ 1 , 2 ] \n"] = "[1,2]", ['"\\/\\b\\f\\n\\r\\t\\"\\\\"'] = '"/\\b\\f\\n\\r\\t\\"\\\\"', ["null"] = "null",
            ["true"] = "true", ['"\\ud83d\\ude00"'] = '"😀"', ['"\\u0000"'] = '"\\u0000"', ['"\127"'] = '"\127"',
            ['"\\uFFFE\\uFFFF"'] = '"\u{FFFE}\u{FFFF}"', ['{"":1}'] = '{"":1}', ['{"a\\u0000b":1}'] = '{"a\\u0000b":1}',
            ['{"__proto__":{"a":[]}}'] = '{"__proto__":{"a":[]}}',
        }
        local texts, expected = {}, {}
        for text, out in pairs(accepted) do texts[#texts + 1], expected[#expected + 1] = text, "ok " .. out end
        assert.same(expected, verdicts(texts))
    end)

    it("says where and why a text is refused, in one line of valid UTF-8", function()
        assert.same({
            "EJSON line 3 column 3: expected a value",
            "EJSON line 1 column 1: byte order mark",
            "EJSON line 1 column 8: duplicate name",
            "EJSON line 1 column 4: not UTF-8",
            "EJSON line 1 column 3: wrong escape, or half a surrogate pair",
            "EJSON line 1 column 3: control character in a string",
            "EJSON line 1 column 5: the string does not end",
            "EJSON line 1 column 4: expected , or ]",
            "EJSON line 1 column 1: integer beyond 64 bits",
            "EJSON line 1 column 1: number beyond a double",
            "EJSON line 1 column 1: wrong number",
            "EJSON line 1 column 5: expected :",
            "EJSON line 1 column 2: expected a name in quotes",
            "EJSON line 1 column 1: expected a value, found the end",
        }, verdicts({
            "[1\n,\n  tru]", "\xEF\xBB\xBF{}", '{"a":1,"a":2}', '["a\xFF"]', '"a\\ud800"', '"a\n"', '"abc', "[1 2]",
            "9223372036854775808", "-1e999", "01", '{"a"}', "{a}", "",
        }))
        for _, said in ipairs(verdicts({ '["' .. ("\xC3"):rep(300), "[" .. ("é"):rep(300) })) do
            assert.is_truthy(utf8.len(said), said)
            assert.is_nil(said:find("%c"))
        end
    end)

    it("bounds how many values and bytes a text may have", function()
        local result = run([[
            local many = "[" .. ("1,"):rep(1000000) .. "1]"
            local texts = "[" .. ('"",'):rep(1000000) .. "1]"
            local long = '"' .. ("x"):rep(64 * 1024 * 1024) .. '"'
            local function why(text) return (select(2, json.decode(text))) end
            return { why(many), why(texts), why(long), #json.decode("[" .. ("1,"):rep(900000) .. "1]") }
        ]])
        assert.matches("^line 1 column %d+: more than 1000000 values$", result[1])
        assert.matches("^line 1 column %d+: more than 1000000 values$", result[2])
        assert.equal("line 1 column 1: text of more than 67108864 bytes", result[3])
        assert.equal(900001, result[4])
    end)

    it("keeps every 64-bit integer exactly", function()
        local numbers = { "0", "-1", "1732900000000123", "9007199254740993", "9223372036854775807", "-9223372036854775808" }
        local expected = {}
        for i, number in ipairs(numbers) do expected[i] = "ok " .. number end
        assert.same(expected, verdicts(numbers))
    end)

    it("writes doubles so that they read back the same, and as floats", function()
        local result = run([[
            local wrong, cjson = {}, require("cjson")
            local state = 88172645463325252
            for _ = 1, 20000 do
                state = state ~ (state << 13); state = state ~ (state >> 7); state = state ~ (state << 17)
                local number = string.unpack("d", string.pack("i8", state))
                if number == number and number ~= math.huge and number ~= -math.huge then
                    local text = json.encode(number)
                    local back = json.decode(text)
                    if back ~= number or math.type(back) ~= "float" or cjson.decode("[" .. text .. "]")[1] ~= number then
                        wrong[#wrong + 1] = text
                    end
                end
            end
            local forms = json.encode({ 1.0, 0.1, 1 / 3, 1e300, -2.5e-10, 1e15, 123456789.0, 5e-324 })
            return { wrong = json.array(wrong), forms = forms }
        ]])
        assert.same({}, result.wrong)
        assert.equal("[1.0,0.1,0.3333333333333333,1e+300,-2.5e-10,1e+15,123456789.0,4.94065645841247e-324]", result.forms)
    end)

    it("writes every byte string as valid JSON that an independent reader reads as the cleaned text", function()
        local result = run([[
            local cjson, text = require("cjson"), require("text")
            local wrong, samples, state = {}, {}, 42
            local function random(n) state = (state * 6364136223846793005 + 1442695040888963407); return (state >> 33) % n end
            for byte = 0, 255 do samples[#samples + 1] = "a" .. string.char(byte) .. "b" end
            local pieces = { "a", "é", "\u{20AC}", "😀", "\xE2\x82", "\xF0\x9F", "\xFF", '"', "\\", "\n", "\0",
                "\u{2028}", "\u{85}", "\xED\xA0\x80" }
            for _ = 1, 3000 do
                local parts = {}
                for i = 1, random(24) do parts[i] = random(3) == 0 and string.char(random(256)) or pieces[random(#pieces) + 1] end
                samples[#samples + 1] = table.concat(parts)
            end
            for _, sample in ipairs(samples) do
                local encoded, clean = json.encode({ sample }), text.clean(sample)
                if not utf8.len(encoded) or encoded:find("[\0-\31]") or cjson.decode(encoded)[1] ~= clean
                    or json.decode(encoded)[1] ~= clean then
                    wrong[#wrong + 1] = encoded
                end
            end
            return { wrong = json.array(wrong), count = #samples }
        ]])
        assert.same({}, result.wrong)
        assert.equal(3256, result.count)
    end)

    it("writes what readers take for line ends as escapes, other text as it is", function()
        local result = run([[return json.encode({ "\u{2028}\u{2029}\u{85}\u{2027}é\127\27\8", "</script>" })]])
        assert.same({ "\u{2028}\u{2029}\u{85}\u{2027}é\127\27\8", "</script>" }, cjson.decode(result))
        assert.equal([=[["\u2028\u2029\u0085‧é]=] .. "\127" .. [=[\u001b\b","</script>"]]=], result)
    end)

    it("agrees with an independent reader and writer on random values", function()
        local result = run([[
            local cjson, state, wrong = require("cjson"), 7, {}
            local function random(n) state = (state * 6364136223846793005 + 1442695040888963407); return (state >> 33) % n end
            local make
            local scalars = {
                function() return random(2) == 0 end, function() return json.null end,
                function() return random(1000000) - 500000 end, function() return (random(1000000) - 500000) / 64 end,
                function() return ("aé\n\"😀"):rep(random(5)) end,
            }
            local function container(depth)
                local t, names = {}, random(2) == 0
                for i = 1, random(5) + 1 do t[names and "k" .. i or i] = make(depth + 1) end
                return t
            end
            function make(depth)
                if depth < 5 and random(2) == 0 then return container(depth) end
                return scalars[random(#scalars) + 1]()
            end
            local function same(a, b)
                if type(a) ~= "table" or type(b) ~= "table" then return a == b end
                for k, v in pairs(a) do if not same(v, b[k]) then return false end end
                for k in pairs(b) do if a[k] == nil then return false end end
                return true
            end
            local function sorted(value) return json.encode(value, { sort = true }) end
            for _ = 1, 2000 do
                local value = container(0)
                local text = json.encode(value)
                if not same(value, cjson.decode(text)) or not same(value, json.decode(cjson.encode(value)))
                    or not same(value, json.decode(text)) or sorted(json.decode(text)) ~= sorted(value) then
                    wrong[#wrong + 1] = text
                end
            end
            return json.array(wrong)
        ]])
        assert.same({}, result)
    end)

    it("survives damaged texts; what it takes, it writes so that it takes it again", function()
        local result = run([[
            local state, wrong, taken, refused = 99, {}, 0, 0
            local function random(n) state = (state * 6364136223846793005 + 1442695040888963407); return (state >> 33) % n end
            local seed = '{"jsonrpc":"2.0","id":12,"params":{"a":[1,-2.5e3,"x\\u00e9\\n",null,true,{}],"b":{"c":[[] ]}}' ..
                ',"é":"😀"}'
            local odd = '{}[]",:\\/u0123456789.eE+-tfn\0\1\xFF\xC3 '
            for _ = 1, 20000 do
                local text = seed
                for _ = 1, random(3) + 1 do
                    local at = random(#text) + 1
                    local what, byte = random(3), random(#odd) + 1
                    text = text:sub(1, at - 1) .. (what > 0 and odd:sub(byte, byte) or "") .. text:sub(what == 1 and at or at + 1)
                end
                local value, message = json.decode(text)
                if message then
                    refused = refused + 1
                    if not utf8.len(message) or message:find("%c") then wrong[#wrong + 1] = message end
                else
                    taken = taken + 1
                    local again = json.encode(value, { sort = true })
                    if json.encode(json.decode(again), { sort = true }) ~= again then wrong[#wrong + 1] = text end
                end
            end
            return { wrong = json.array(wrong), taken = taken > 100, refused = refused > 100 }
        ]])
        assert.same({ wrong = {}, taken = true, refused = true }, result)
    end)

    it("tells arrays from objects by mark, then by keys", function()
        local result = run([[
            local is = json.is_array
            return {
                marked = { is(json.array({})), is(json.decode("[]")), is({ 1 }), is(setmetatable({}, json.array_mt)) },
                others = { is(json.object({ 1 })), is({}), is(json.decode("{}")), is("x"), is(nil), is(setmetatable({ 1 }, {})) },
                same = json.array(given) == given and getmetatable(given) == json.array_mt,
                again = getmetatable(json.object(given)) == json.object_mt,
                null = json.null == require("cjson").null and json.decode("null") == json.null and json.encode(json.null),
                free = json.encode(setmetatable({ 1, 2 }, { __index = {}, __pairs = error, __len = error })),
            }
        ]])
        assert.same({
            marked = { true, true, true, true },
            others = { false, false, false, false, false, false },
            same = true, again = true, null = "null", free = "[1,2]",
        }, result)
    end)

    it("names the kind of a value", function()
        local result = run([[
            local kind, is = json.kind, json.is_object
            return {
                objects = { is({}), is({ a = 1 }), is(json.object({ 1 })), is(setmetatable({ 1 }, {})) },
                others = { is(json.array({})), is({ 1 }), is("x"), is(nil), is(json.null) },
                tables = { kind({}), kind({ a = 1 }), kind(json.array({})), kind({ 1 }), kind(setmetatable({ 1 }, {})) },
                scalars = { kind(json.null), kind(nil), kind(true), kind(1), kind(1.5), kind("x"), kind(print) },
                none = select(2, pcall(function() return (kind()) end)):match("bad argument.*"),
            }
        ]])
        assert.same({
            objects = { true, true, true, true }, others = { false, false, false, false, false },
            tables = { "object", "object", "array", "array", "array" },
            scalars = { "null", "null", "boolean", "number", "number", "string", "function" },
            none = "bad argument #1 to 'kind' (value expected)",
        }, result)
    end)

    it("sorts names by their bytes on request", function()
        local result = run([[
            local names = {}
            for _, name in ipairs({ "b", "a", "aa", "a\0", "B", "é", "", "a b" }) do names[name] = 1 end
            return json.encode({ names, { z = { y = 1, x = 2 }, a = 3 } }, { sort = true })
        ]])
        assert.equal([=[[{"":1,"B":1,"a":1,"a\u0000":1,"a b":1,"aa":1,"b":1,"é":1},{"a":3,"z":{"x":2,"y":1}}]]=], result)
    end)

    it("names function, path, what is expected and what came", function()
        local result = run([[
            local function try(f, ...) return (select(2, pcall(f, ...))) end
            local e, d = json.encode, json.decode
            return {
                try(e, print), try(e, { a = { ["x y"] = { coroutine.create(print) } } }),
                try(e, { 1, 2, x = 3 }), try(e, { [1.5] = 1 }),
                try(e, { list = { 1, nil, 3 } }), try(e, { a = json.array({ 1, x = 2 }) }), try(e, { b = json.object({ 1 }) }),
                try(e, { [true] = 1 }), try(e, { q = { x = 1, [{}] = 2 } }, { sort = true }), try(e, json.array({ x = 1 })),
                try(e, nil), try(e), try(e, 1, 2), try(e, 1, { srt = true }), try(e, 1, { sort = 1 }),
                try(d, 1), try(d), try(d, {}), try(json.array, 1), try(json.object), try(json.array, setmetatable({}, {})),
            }
        ]])
        local keys = "json.encode: a table whose keys are neither all names nor 1 to n has no JSON form at value"
        assert.same({
            "json.encode: a function has no JSON form at value",
            'json.encode: a thread has no JSON form at value.a["x y"][1]',
            keys,
            keys,
            "json.encode: an array with holes has no JSON form at value.list",
            keys .. ".a",
            keys .. ".b",
            "json.encode: a key of type boolean has no JSON form at value",
            "json.encode: a key of type table has no JSON form at value.q",
            keys,
            "json.encode: a nil has no JSON form at value",
            "json.encode: expected a value, got none",
            "json.encode: options: expected a table, got number",
            "json.encode: unknown option srt; expected sort",
            "json.encode: option sort: expected a boolean, got number",
            "json.decode: expected a string, got number",
            "json.decode: expected a string, got no value",
            "json.decode: expected a string, got table",
            "json.array: expected a table, got number",
            "json.object: expected a table, got no value",
            "json.array: expected a table without a metatable",
        }, result)
    end)

    it("holds no memory after values that fail", function()
        local grown = run([[
            local bad = { ("x"):rep(100000), print }
            local function rounds()
                for _ = 1, 200 do
                    pcall(json.encode, bad)
                    json.decode('["' .. bad[1] .. '",')
                end
                collectgarbage()
            end
            rounds()
            local before = collectgarbage("count")
            rounds()
            return collectgarbage("count") - before
        ]])
        assert.is_true(grown < 64, grown)
    end)
end)
