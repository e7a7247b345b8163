local Run = require("schema.run")
local evaluated = require("schema.evaluated")
local message = require("schema.message")

local function new(quiet, limits)
    local all = { steps = 1000, depth = 3, errors = 2 }
    for name, value in pairs(limits or {}) do all[name] = value end
    return Run.new(all, "argument", quiet)
end

local function wrong(word) return "wrong " .. word end

--- A node that fails everything.
local NEVER = { run = function(run) return run:fail("false", wrong, "here") end }

describe("schema.run", function()
    it("ends a validation that costs or nests too much, until it is reset", function()
        local run = new(true, { steps = 10 })
        run:spend(10)
        local ok, raised = pcall(run.spend, run, 1)
        assert.is_false(ok)
        assert.equal(Run.Exhausted, getmetatable(raised))
        assert.matches("too costly", raised.message)
        run:reset()
        for _ = 1, 3 do run:enter() end
        ok, raised = pcall(run.enter, run)
        assert.is_false(ok)
        assert.matches("nested too deep", raised.message)
        run:reset()
        run:enter()
        run:leave()
        assert.equal(0, run.depth)
    end)

    it("keeps place and words of an error only when somebody will read them", function()
        local quiet, loud = new(true), new(false)
        assert.is_false(quiet:child(NEVER, "a", 1))
        assert.same({}, quiet.errors)
        assert.is_false(loud:child({ run = function(run, v) return run:child(NEVER, 0, v) end }, "a", 1))
        assert.same({ { path = "/a/0", keyword = "false", message = "wrong here" } }, loud.errors)
        assert.same({}, loud.path)
    end)

    it("names the property that is missing, and comes back to where it was", function()
        local run = new(false)
        run:fail_at("b", "required", wrong, "there")
        assert.same({ "/b", {} }, { run.errors[1].path, run.path })
    end)

    it("marks errors about the value itself", function()
        local run = new(false)
        run:fail("type", message.mismatch, { type = "string" }, 5)
        assert.is_true(run.errors[1].mismatch)
    end)

    it("says the same once, and stops when the list is full", function()
        local run = new(false)
        for _ = 1, 3 do run:fail("x", wrong, "a") end
        assert.equal(1, #run.errors)
        assert.is_false(run.quiet)
        run:fail_at("a", "x", wrong, "a")
        assert.is_true(run.quiet)
        run:fail("x", wrong, "c")
        assert.equal(2, #run.errors)
    end)

    it("tries a schema without a word, and keeps what it evaluated only where it fits", function()
        local run, record = new(false), evaluated.new()
        local function node(answer)
            return { run = function(_, _, own)
                own.names.a = true
                return answer
            end }
        end
        assert.is_false(run:probe(node(false), {}, record))
        assert.same({}, record.names)
        assert.is_true(run:probe(node(true), {}, record))
        assert.same({ a = true }, record.names)
        assert.is_false(run:probe(NEVER, 1))
        assert.same({ {}, false }, { run.errors, run.quiet })
    end)

    it("collects the errors of one schema apart from its own", function()
        local run = new(false)
        run:fail("x", wrong, "before")
        local found = run:errors_of(NEVER, 1)
        assert.equal("wrong here", found[1].message)
        assert.same({ "wrong before", nil }, { run.errors[1].message, run.errors[2] })
    end)

    it("calls properties of the whole value what the caller does", function()
        local run = new(false)
        assert.equal("argument", run:property_noun())
        run.path[1] = "a"
        assert.equal("property", run:property_noun())
    end)
end)
