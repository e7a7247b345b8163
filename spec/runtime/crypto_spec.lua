local cjson = require("cjson")
local uv = require("luv")
local program = require("spec.support.program")
local server = require("spec.support.server")
local tmp = require("spec.support.tmp")

local SECRET = "parity-test-token-0123456789abcdef"

--- Runs Lua with crypto at hand, and functions for hexadecimal text.
local function run(source, opts)
    local prelude = [[
        local crypto = require("crypto")
        local hex = crypto.hex
        local function bytes(text) return (text:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end)) end
        local function tell(...)
            local list = table.pack(...)
            for i = 1, list.n do if list[i] == nil then list[i] = "nil" end end
            list.n = nil
            return list
        end
    ]]
    return program.lua(prelude .. source, opts)
end

local function with_secret(opts)
    local all = { env = { SANDSTORM_MCP_TOKEN = SECRET } }
    for name, value in pairs(opts or {}) do
        if name == "env" then
            for variable, text in pairs(value) do all.env[variable] = text end
        else
            all[name] = value
        end
    end
    return all
end

describe("crypto", function()
    it("hashes as FIPS 180-4 says", function()
        assert.same({
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        }, run([[return { hex(crypto.sha256("")), hex(crypto.sha256("abc")) }]]))
    end)

    it("signs as RFC 4231 says, and with an empty key", function()
        assert.same({
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad",
        }, run([[return {
            hex(crypto.hmac(("\x0b"):rep(20), "Hi There")),
            hex(crypto.hmac("Jefe", "what do ya want for nothing?")),
            hex(crypto.hmac(("\xaa"):rep(20), ("\xdd"):rep(50))),
            hex(crypto.hmac(("\xaa"):rep(131), "Test Using Larger Than Block-Size Key - Hash Key First")),
            hex(crypto.hmac("", "")),
        }]]))
    end)

    it("derives as RFC 5869 says", function()
        assert.same({
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09" ..
            "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        }, run([[
            local function range(from, to)
                local list = {}
                for i = from, to do list[#list + 1] = string.char(i) end
                return table.concat(list)
            end
            return {
                hex(crypto.hkdf(("\x0b"):rep(22), range(0x00, 0x0c), range(0xf0, 0xf9), 42)),
                hex(crypto.hkdf(range(0x00, 0x4f), range(0x60, 0xaf), range(0xb0, 0xff), 82)),
                hex(crypto.hkdf(("\x0b"):rep(22), "", "", 42)),
            }
        ]]))
    end)

    it("opens what AES-256-GCM's test cases 13, 14 and 16 seal, and nothing that differs in one bit", function()
        local result = run([[
            local zero = ("\0"):rep(32)
            local key = bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
            local associated = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
            local sealed = bytes("cafebabefacedbaddecaf888" ..
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555" ..
                "d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" ..
                "76fc6ece0f4e1768cddf8853bb2d551b")
            local wrong = 0
            local function refused(...) if not select(1, crypto.open(...)) then wrong = wrong + 1 end end
            for i = 1, #sealed do
                refused(key, sealed:sub(1, i - 1) .. string.char(sealed:byte(i) ~ 1) .. sealed:sub(i + 1), associated)
                refused(key, sealed:sub(1, i - 1), associated)
            end
            refused(key, sealed .. "\0", associated)
            refused(key, sealed, associated:sub(1, -2))
            refused(zero, sealed, associated)
            return {
                crypto.open(zero, bytes("000000000000000000000000530f8afbc74536b9a963b4f1c4cb738b"), ""),
                hex(crypto.open(zero,
                    bytes("000000000000000000000000cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"), "")),
                hex(crypto.open(key, sealed, associated)), 2 * #sealed + 3 == wrong, tell(crypto.open(key, "", "")),
            }
        ]])
        assert.same({
            "", ("00"):rep(16),
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a31" ..
                "8a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            true, { "nil", "the sealed text is not genuine", "EAUTH" },
        }, result)
    end)

    it("opens what it sealed, which is never twice the same", function()
        assert.same({ true, true, true }, run([[
            local key, text = crypto.random(32), ("secret "):rep(100000)
            local first, second = crypto.seal(key, text, "for you"), crypto.seal(key, text, "for you")
            return { crypto.open(key, first, "for you") == text and #first == #text + 28, first ~= second,
                     crypto.open(key, crypto.seal(key, "", ""), "") == "" }
        ]]))
    end)

    it("compares texts of any bytes and lengths", function()
        assert.same({ true, true, false, false, false, true }, run([[
            local long = ("x"):rep(100000)
            return { crypto.equal("", ""), crypto.equal("a\0b", "a\0b"), crypto.equal("a\0b", "a\0c"), crypto.equal("a", "ab"),
                     crypto.equal("", "a"), crypto.equal(long, long) }
        ]]))
    end)

    it("makes random bytes and texts of the length that was asked for", function()
        local result = run([[
            local seen, repeats = {}, 0
            for _ = 1, 1000 do
                local text = crypto.random_text(16)
                if seen[text] or #text ~= 22 or text:find("[^%w_-]") then repeats = repeats + 1 end
                seen[text] = true
            end
            return { #crypto.random(1), #crypto.random(65536), #crypto.random_text(32), repeats }
        ]])
        assert.same({ 1, 65536, 43, 0 }, result)
    end)

    it("writes base64 as RFC 4648 has it", function()
        local result = run([[
            local list = {}
            for _, text in ipairs({ "", "f", "fo", "foo", "foob", "fooba", "foobar", "\xfb\xff\xfe" }) do
                list[#list + 1] = crypto.base64(text)
                list[#list + 1] = crypto.base64url(text)
                assert(crypto.unbase64(crypto.base64(text)) == text and crypto.unbase64url(crypto.base64url(text)) == text)
            end
            return list
        ]])
        assert.same({ "", "", "Zg==", "Zg", "Zm8=", "Zm8", "Zm9v", "Zm9v", "Zm9vYg==", "Zm9vYg", "Zm9vYmE=", "Zm9vYmE",
            "Zm9vYmFy", "Zm9vYmFy", "+//+", "-__-" }, result)
    end)

    it("A02 reads base64url only in its one form", function()
        local result = run([[
            local taken = {}
            for _, text in ipairs({ "Zg==", "Zg=", "Zh", "Zm9", "Z", "Zm9vY", "Zm8v+w", "Zm/v", "Zm9v\n", " Zm9v", "Zm\0v",
                "Zm9v=", "=", "Zm9\xc3\xa9" }) do
                if crypto.unbase64url(text) then taken[#taken + 1] = text end
            end
            local fine, letters = 0, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            for i = 0, 255 do
                for j = 0, 255 do
                    local text = string.char(i, j)
                    local value = crypto.unbase64url(text)
                    if value then
                        assert(crypto.base64url(value) == text and letters:find(text:sub(1, 1), 1, true))
                        fine = fine + 1
                    end
                end
            end
            return { #taken, fine, tell(crypto.unbase64url("?")) }
        ]])
        assert.same({ 0, 256, { "nil", "not base64url", "EINVAL" } }, result)
    end)

    it("reads base64 only in its one form", function()
        local result = run([[
            local taken = {}
            for _, text in ipairs({ "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "====", "=", "Z===", "Zg==Zg==", "Zm8=\n", "Zm-v",
                "Zm_v", "Zm9vZg" }) do
                if crypto.unbase64(text) then taken[#taken + 1] = text end
            end
            return { #taken, tell(crypto.unbase64("?")) }
        ]])
        assert.same({ 0, { "nil", "not base64", "EINVAL" } }, result)
    end)

    it("names function, argument, what is expected and what came", function()
        local result = run([[
            local function try(f, ...) return (select(2, pcall(f, ...))) end
            return {
                try(crypto.sha256), try(crypto.sha256, 5), try(crypto.hmac, "k", {}), try(crypto.random, 0),
                try(crypto.random, 65537), try(crypto.random, 1.5), try(crypto.random, "8"),
                try(crypto.hkdf, "k", "s", "i", 8161),
                try(crypto.hkdf, "k", "s", ("i"):rep(1025), 32), try(crypto.seal, "short", "p", "a"),
                try(crypto.open, ("k"):rep(32), "s"), try(crypto.equal, "a"), try(crypto.subkey, ""), try(crypto.secret_is, nil),
            }
        ]], with_secret())
        assert.same({
            "crypto.sha256: argument 1 (bytes): expected a string, got no value",
            "crypto.sha256: argument 1 (bytes): expected a string, got number",
            "crypto.hmac: argument 2 (bytes): expected a string, got table",
            "crypto.random: argument 1 (n): expected 1 to 65536, got 0",
            "crypto.random: argument 1 (n): expected 1 to 65536, got 65537",
            "crypto.random: argument 1 (n): expected 1 to 65536, got 1.5",
            "crypto.random: argument 1 (n): expected 1 to 65536, got string",
            "crypto.hkdf: argument 4 (length): expected 1 to 8160, got 8161",
            "crypto.hkdf: argument 3 (info): expected at most 1024 bytes, got 1025",
            "crypto.seal: argument 1 (key): expected 32 bytes, got 5",
            "crypto.open: argument 3 (associated): expected a string, got no value",
            "crypto.equal: argument 2 (b): expected a string, got no value",
            "crypto.subkey: argument 1 (label): expected 1 to 1024 bytes, got 0",
            "crypto.secret_is: argument 1 (text): expected a string, got nil",
        }, result)
    end)
end)

describe("the server's secret", function()
    it("A01 verifies the tokens, codes and client ids of v0.1.0", function()
        local fixture = cjson.decode(tmp.read("spec/fixtures/parity/tokens.json"))
        assert.equal(SECRET, fixture.secret)
        local lines, expected = {}, {}
        local function add(text, signature, genuine)
            lines[#lines + 1] = ("crypto.base64url(crypto.secret_hmac(%q)) == %q"):format(text, signature)
            expected[#expected + 1] = genuine
        end
        for _, list in ipairs({ fixture.access_tokens, fixture.codes }) do
            for _, sample in ipairs(list) do
                add(sample.payload, (sample.token or sample.code):match("^[^.]+"), sample.secret == SECRET)
            end
        end
        for _, client in ipairs(fixture.clients) do add(client.signed_text, client.client_id, true) end
        assert(#lines > 10)
        assert.same(expected, run("return {" .. table.concat(lines, ",") .. "}", with_secret()))
    end)

    it("A07 is known by comparison only", function()
        local ask = [[
            local is, session = crypto.secret_is, crypto.session_secret_is
            return { is("one-secret"), is("one-secret\0"), is("one-secre"), is(""), is("other-secret"),
                     session("one-secret"), session("other-secret") }
        ]]
        local both = { SANDSTORM_MCP_TOKEN = "one-secret", SESSION_AUTH_TOKEN = "other-secret" }
        assert.same({ true, false, false, false, false, false, true }, run(ask, { env = both }))
        assert.same({ true, false, false, false, false, true, false }, run(ask, { env = { SANDSTORM_MCP_TOKEN = "one-secret" } }))
    end)

    it("A03 may hold any bytes", function()
        local env = { SANDSTORM_MCP_TOKEN = "schlüssel-日本-\xff" }
        assert.same({ true }, run([[return { crypto.secret_is("schlüssel-日本-\xff") }]], { env = env }))
    end)

    it("opens nothing where there is none", function()
        assert.same({ false, false, { "nil", "no secret is set", "ENOKEY" },
            { "nil", "no secret is set: SANDSTORM_MCP_TOKEN is empty", "ENOKEY" } }, run([[
            return { crypto.secret_is(""), crypto.session_secret_is(""), tell(crypto.secret_hmac("x")), tell(crypto.subkey("x")) }
        ]]))
    end)
end)

describe("subkeys", function()
    local ACCESS_WITH_FILE = "d55d04ba66bd607c0f40e006e5cf62ca54e9ebb3455f77227798d42777f73ab4"
    local ACCESS_ALONE = "ca25d71c6b93c6a656aa45ae2247fc12b73c2220ed7f8f9a33f1fdc39330a629"
    local ASK = [[return { hex(crypto.subkey("access")) }]]

    local function state_with(bytes)
        local folder = tmp.dir("state")
        tmp.write(folder .. "/key", bytes)
        return folder
    end

    local function known_key()
        local list = {}
        for i = 0, 31 do list[#list + 1] = string.char(i) end
        return table.concat(list)
    end

    it("A05 come from secret and key file by HKDF", function()
        local folder = state_with(known_key())
        assert.same({ ACCESS_WITH_FILE }, run(ASK, with_secret({ env = { SANDSTORM_STATE_DIR = folder } })))
        assert.equal(known_key(), tmp.read(folder .. "/key"))
    end)

    it("A05 come from the secret by PBKDF2 where no key file can be", function()
        local file = tmp.file("file", "")
        assert.same({ ACCESS_ALONE }, run(ASK, with_secret({ env = { SANDSTORM_STATE_DIR = file .. "/state" } })))
    end)

    it("A05 A08 stay the same after a restart; the file is 32 bytes for the owner alone", function()
        local workspace = tmp.dir("workspace")
        local options = with_secret({ workspace = workspace })
        local first = run(ASK, options)
        local stat = assert(uv.fs_stat(workspace .. "/.sandstorm-mcp/key"))
        assert.same({ 32, "100600" }, { stat.size, ("%o"):format(stat.mode) })
        assert.equal("40700", ("%o"):format(assert(uv.fs_stat(workspace .. "/.sandstorm-mcp")).mode))
        assert.equal(".\n..\n.gitignore\nkey\n", tmp.shell("ls -a " .. tmp.quote(workspace .. "/.sandstorm-mcp")))
        assert.same(first, run(ASK, options))
        assert.not_same(first, run(ASK, with_secret()))
        assert.not_same(first, run(ASK, { workspace = workspace,
            env = { SANDSTORM_MCP_TOKEN = "another-secret-of-the-server" } }))
    end)

    it("A05 differ by label, and boot keys by process", function()
        local workspace = tmp.dir("workspace")
        local ask = [[return { hex(crypto.subkey("code")), hex(crypto.subkey("access")), hex(crypto.subkey("code\0")),
                               hex(crypto.boot_key("code")), hex(crypto.boot_key("access")), hex(crypto.boot_key("code")) }]]
        local one, other = run(ask, with_secret({ workspace = workspace })), run(ask, with_secret({ workspace = workspace }))
        assert.equal(one[4], one[6])
        assert.same({ one[1], one[2], one[3] }, { other[1], other[2], other[3] })
        local seen, count = {}, 0
        for _, key in ipairs({ one[1], one[2], one[3], one[4], one[5], other[4], other[5] }) do
            assert.matches("^%x+$", key)
            assert.equal(64, #key)
            if not seen[key] then count = count + 1 end
            seen[key] = true
        end
        assert.equal(7, count)
    end)

    it("are the same for all servers that start at once", function()
        local workspace = tmp.dir("workspace")
        local source = tmp.file("chunk.lua", [[return { require("crypto").hex(require("crypto").subkey("access")) }]])
        local started, keys = {}, {}
        for i = 1, 12 do started[i] = program.spawn(with_secret({ args = { "run", source }, workspace = workspace })) end
        for i, process in ipairs(started) do
            assert.equal(0, process:wait(), process:stderr())
            keys[i] = process:stdout()
            assert.equal(keys[1], keys[i])
        end
        assert.equal(".gitignore\nkey\n", tmp.shell("ls -A " .. tmp.quote(workspace .. "/.sandstorm-mcp")))
    end)

    it("are refused where the key file is none, which is left as it is", function()
        local target = tmp.file("target", known_key())
        local wrong = "is not the file of 32 random bytes that belongs here; remove it to have a new one made"
        local function refused(folder, why)
            local expected = { { "nil", ("key file %s/key: %s"):format(folder, why), "ENOKEY" } }
            assert.same(expected, run([[return { tell(crypto.subkey("access")) }]],
                with_secret({ env = { SANDSTORM_STATE_DIR = folder } })))
        end
        refused(state_with("short"), wrong)
        refused(state_with(known_key() .. "x"), wrong)
        refused(state_with(""), wrong)
        local folder = tmp.dir("state")
        tmp.shell(("ln -s %s %s/key"):format(tmp.quote(target), tmp.quote(folder)))
        refused(folder, "Too many levels of symbolic links")
        folder = tmp.dir("state")
        tmp.shell("mkfifo " .. tmp.quote(folder .. "/key"))
        refused(folder, "Not a regular file")
    end)

    it("close a key file that others may read", function()
        local folder = state_with(known_key())
        tmp.shell("chmod 644 " .. tmp.quote(folder .. "/key"))
        run(ASK, with_secret({ env = { SANDSTORM_STATE_DIR = folder } }))
        assert.equal("100600", ("%o"):format(assert(uv.fs_stat(folder .. "/key")).mode))
    end)

    it("cannot be asked for while the scripts are loaded", function()
        local tools = tmp.file("tools.lua", '\nrequire("crypto").subkey("x")\n')
        local workspace = tmp.dir("workspace")
        local result = program.run(with_secret({ args = { "check", "--tools", tools }, workspace = workspace }))
        assert.equal(1, result.code)
        assert.matches("tools%.lua:2: crypto%.subkey: cannot be asked while the scripts are loaded; call it in a handler",
            result.stderr)
        assert.is_nil(tmp.kind(workspace .. "/.sandstorm-mcp"))
    end)

    it("stay out of a repository around the state folder", function()
        local workspace = tmp.dir("workspace")
        run(ASK, with_secret({ workspace = workspace }))
        assert.equal("", tmp.shell(("cd %s && git init -q . && git add -A && git ls-files"):format(tmp.quote(workspace))))
    end)

    it("keep the key file from the tools", function()
        local result = run([[
            local fs = require("fs")
            crypto.subkey("access")
            return { tell(fs.read(".sandstorm-mcp/key")), tell(fs.remove(".sandstorm-mcp/key")),
                tell(fs.write(".sandstorm-mcp/key", "x")) }
        ]], with_secret())
        for _, answer in ipairs(result) do assert.same({ "nil", "EACCES" }, { answer[1], answer[3] }) end
    end)

    it("A05 a server makes the key file at its start, warns when it cannot, and does not start with a wrong one", function()
        local one = server.start({ env = { SANDSTORM_STATE_DIR = false } })
        one:stop()
        assert.equal("file", tmp.kind(one.workspace .. "/.sandstorm-mcp/key"))

        local file = tmp.file("file", "")
        local other = server.start({ env = { SANDSTORM_STATE_DIR = file .. "/state" } })
        local line = other:wait_log(function(entry) return entry.level == "WARNING" and entry.msg:find("^no key file") end)
        local why = "no key file can be kept (%s/state: Not a directory): keys are derived from the secret alone"
        assert.equal(why:format(file), line.msg)
        other:stop()

        local env = { SANDSTORM_MCP_TOKEN = SECRET, SANDSTORM_MCP_PORT = "0", SANDSTORM_STATE_DIR = state_with("short") }
        local result = program.run({ args = { "serve" }, env = env })
        assert.equal(1, result.code)
        assert.matches("/key: is not the file of 32 random bytes that belongs here", result.stderr)
    end)
end)
