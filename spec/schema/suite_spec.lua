local json = require("json")
local lfs = require("lfs")
local schema = require("schema")
local documents = require("spec.schema.suite_documents")

local FOLDER = "spec/fixtures/jsonschema/"
local CASES = 1299

--- Groups that do not compile without documents from elsewhere: exactly these.
local needs_documents = {
    ["dynamicRef.json"] = {
        "strict-tree schema, guards against misspelled properties", "tests for implementation dynamic anchor and reference link",
        "$ref and $dynamicAnchor are independent of order - $defs first",
        "$ref and $dynamicAnchor are independent of order - $ref first", "$ref to $dynamicRef finds detached $dynamicAnchor",
    },
    ["refRemote.json"] = {
        "remote ref", "fragment within remote ref", "anchor within remote ref", "ref within remote ref", "base URI change",
        "base URI change - change folder", "base URI change - change folder in subschema", "root ref in remote ref",
        "remote ref with ref to defs", "Location-independent identifier in remote ref",
        "retrieved nested refs resolve relative to their URI not $id", "remote HTTP ref with different $id",
        "remote HTTP ref with different URN $id", "remote HTTP ref with nested absolute ref",
        "$ref to $ref finds detached $anchor",
    },
    ["vocabulary.json"] = {
        "schema that uses custom metaschema with with no validation vocabulary", "ignore unrecognized optional vocabulary",
    },
}

local function groups_of(name)
    local file <close> = assert(io.open(FOLDER .. name))
    return assert(json.decode(file:read "a"))
end

local function file_names()
    local names = {}
    for name in lfs.dir(FOLDER) do
        if name:find "%.json$" then names[#names + 1] = name end
    end
    table.sort(names)
    return names
end

--- Number of cases that end as they should; the names of the others are added to `failures`.
local function passed_of(group, failures)
    local check, passed = schema.compile(group.schema, { documents = documents }), 0
    for _, case in ipairs(group.tests) do
        local valid, errors = check(case.data)
        local explained = valid or #schema.explain(errors) > 0
        if valid == case.valid and explained then
            passed = passed + 1
        else
            failures[#failures + 1] = group.description .. ": " .. case.description
        end
    end
    return passed
end

describe("the published cases of JSON Schema 2020-12", function()
    local passed = 0

    for _, name in ipairs(file_names()) do
        it(name, function()
            local failures = {}
            for _, group in ipairs(groups_of(name)) do passed = passed + passed_of(group, failures) end
            assert.same({}, failures)
        end)
    end

    it("are all there", function()
        local count = 0
        for _, name in ipairs(file_names()) do
            for _, group in ipairs(groups_of(name)) do count = count + #group.tests end
        end
        assert.equal(CASES, count)
    end)

    teardown(function() print(("\nJSON Schema cases that pass: %d of %d"):format(passed, CASES)) end)
end)

describe("a reference to a document that is not at hand", function()
    for _, name in ipairs(file_names()) do
        it("stops the compilation, and nothing else does: " .. name, function()
            local refused = {}
            for _, group in ipairs(groups_of(name)) do
                local ok, problem = pcall(schema.compile, group.schema)
                if not ok then
                    refused[#refused + 1] = group.description
                    assert.truthy(problem:find("not fetched", 1, true) or problem:find("/$schema: expected", 1, true), problem)
                end
            end
            assert.same(needs_documents[name] or {}, refused)
        end)
    end
end)
