local json = require("json")
local schemas = require("session.schemas")

describe("session.schemas", function()
    local function create(fields)
        fields.type = fields.type or "t"
        return schemas.read("create", fields)
    end

    it("gives defaults, ignores what it does not know, and takes null for an optional object", function()
        assert.same({ type = "t", ttl_minutes = 30, foo = 1 }, create({ foo = 1, requirements = json.null }))
        assert.same({ additional_minutes = 15 }, schemas.read("extend", {}))
        assert.same({ command = "x", timeout_ms = 30000 }, schemas.read("exec", { command = "x", cwd = json.null }))
    end)

    for given, read in pairs({ ["60"] = 60, [" 7 "] = 7, ["1_0"] = 10, [1.9] = 1, [120.0] = 120, [true] = 1 }) do
        it(("reads a ttl of %s %s as %d"):format(type(given), given, read), function()
            assert.equal(read, create({ ttl_minutes = given }).ttl_minutes)
        end)
    end

    for _, ttl in ipairs({ 0, 121, -5, "0", 1e300, -1e300, false }) do
        it("refuses a ttl of " .. tostring(ttl), function()
            local fields, complaint = create({ ttl_minutes = ttl })
            assert.is_nil(fields)
            assert.equal("ttl_minutes: must be between 1 and 120", complaint)
        end)
    end

    for _, ttl in ipairs({ "abc", "", "1.5", "0x10", {}, json.array({ 5 }), json.null, 0 / 0 }) do
        it("names the field for a ttl of another kind: " .. tostring(ttl), function()
            local fields, complaint = create({ ttl_minutes = ttl })
            assert.is_nil(fields)
            assert.matches("^ttl_minutes: expected an integer from 1 to 120, got ", complaint)
        end)
    end

    it("says of a missing, empty or wrong type or command what v0.1.0 said", function()
        for _, value in ipairs({ "", 5, json.null, json.array({ "a" }), {} }) do
            assert.equal("type: field required", select(2, create({ type = value })))
            assert.equal("command: field required", select(2, schemas.read("exec", { command = value })))
        end
        assert.equal("type: field required", select(2, schemas.read("create", {})))
        assert.equal("command: field required", select(2, schemas.read("exec", {})))
    end)

    it("takes owner/name for a repository and nothing that git could understand otherwise", function()
        for _, repo in ipairs({ "acme/widget", "a/b.c", "A-1/x_y-z" }) do
            assert.equal(repo, create({ requirements = { repo = repo } }).requirements.repo)
        end
        for _, repo in ipairs({ "not a repo", "acme", "-x/y", "../x/y", "a/b/c", "https://h/a/b", "a/b;ls", "a/$(x)", "a/b\n",
            "a@b/c" }) do
            assert.equal("requirements.repo: expected owner/name of a repository on GitHub",
                select(2, create({ requirements = { repo = repo } })), repo)
        end
        for _, repo in ipairs({ 5, true, json.array({}) }) do
            assert.matches("^requirements%.repo: ", select(2, create({ requirements = { repo = repo } })))
        end
        assert.matches("^requirements: expected an object or null, got an array",
            select(2, create({ requirements = json.array({ "repo" }) })))
    end)

    it("wants an object", function()
        for _, body in ipairs({ json.array({ 1 }), json.null, "t", 5, true }) do
            for _, name in ipairs({ "create", "exec", "extend" }) do
                assert.equal("body: expected a JSON object", select(2, schemas.read(name, body)))
            end
        end
    end)

    it("extends by 0 or more", function()
        assert.equal(1, schemas.read("extend", { additional_minutes = "1" }).additional_minutes)
        assert.equal("additional_minutes: expected an integer >= 0, got -30",
            select(2, schemas.read("extend", { additional_minutes = -30 })))
    end)
end)
