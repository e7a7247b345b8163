local Run = require("schema.run")
local runner = require("schema.runner")

local function new_run(quiet) return Run.new({ steps = 100, depth = 10, errors = 10 }, "argument", quiet) end

describe("schema.runner", function()
    local seen

    before_each(function() seen = {} end)

    --- A runner of checks { name, answer, definition }; each notes that it was asked.
    local function runner_of(list)
        local checks = runner.checks()
        for _, item in ipairs(list) do
            checks:add(item[3] or {}, function(_, _, record)
                seen[#seen + 1] = item[1]
                if item[4] then item[4](record) end
                return item[2]
            end)
        end
        return checks:runner()
    end

    it("asks the checks of a value's kind alone, in their order", function()
        local run = runner_of({ { "any", true }, { "number", true, { kinds = { "number" } } },
            { "text", true, { kinds = { "string" } } } })
        assert.is_true(run(new_run(true), 5))
        assert.same({ "any", "number" }, seen)
    end)

    it("ends at the first failure unless errors are wanted", function()
        local run = runner_of({ { "first", false }, { "second", true } })
        assert.is_false(run(new_run(true), 5))
        assert.same({ "first" }, seen)
        assert.is_false(run(new_run(false), 5))
        assert.same({ "first", "first", "second" }, seen)
    end)

    it("asks late checks with the record of the others, and only when those held", function()
        local late
        local function remember(record) late = record end
        local run = runner_of({ { "late", true, { late = true }, remember },
            { "early", true, {}, function(record) record.names.a = true end } })
        assert.is_true(run(new_run(true), {}))
        assert.same({ { "early", "late" }, { a = true } }, { seen, late.names })
        seen = {}
        run = runner_of({ { "late", true, { late = true } }, { "early", false } })
        assert.is_false(run(new_run(false), {}))
        assert.same({ "early" }, seen)
    end)

    it("hides from late checks what stands beside the schema, and tells outside what held", function()
        local outer = require("schema.evaluated").new()
        outer.names.beside = true
        local inner
        local run = runner_of({ { "early", true, {}, function(record) record.names.own = true end },
            { "late", true, { late = true }, function(record) inner = record.names.beside end } })
        run(new_run(true), {}, outer)
        assert.is_nil(inner)
        assert.same({ beside = true, own = true }, outer.names)
    end)

    it("runs true and false as schemas, at a price", function()
        local run = new_run(false)
        assert.is_true(runner.constant(true)(run, 1))
        assert.is_false(runner.constant(false)(run, 1))
        assert.equal("is not allowed here", run.errors[1].message)
        assert.is_true(run.steps < 100)
    end)

    it("keeps the outermost entry of a resource while it is entered", function()
        local run, one, two = new_run(true), {}, {}
        local scopes = {}
        local function note(r)
            local entry, list = r.scope, {}
            while entry do
                list[#list + 1] = entry.resource == one and "one" or "two"
                entry = entry.outer
            end
            scopes[#scopes + 1] = table.concat(list, " ")
            return true
        end
        local again = runner.scoped(note, one)
        runner.scoped(function(r) return runner.scoped(again, two)(r) end, one)(run)
        assert.same({ "two one" }, scopes)
        assert.is_nil(run.scope)
    end)
end)
