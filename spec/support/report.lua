--- Busted's output for this project: a dot a test, then each failure as one readable block, then a line of counts.
--- Where SPEC_COUNTS names a file, "<passed> <failed>" is added to it, so that several runs can be summed; a run
--- that dies writes nothing there.
return function()
    local busted = require("busted")
    local handler = require("busted.outputHandlers.base")()

    local MARK = { success = ".", pending = "P", failure = "F", error = "E" }

    function handler.testEnd(_, _, status)
        io.write(MARK[status] or "?")
        io.flush()
        return nil, true
    end

    local function text_of(message)
        if type(message) == "table" and message.message then message = message.message end
        if message == nil then return "pending" end
        return type(message) == "string" and message or require("pl.pretty").write(message)
    end

    local function print_failure(failure)
        io.write("\nFAILED ", failure.name or "?", "\n  ")
        io.write((text_of(failure.message):gsub("\n", "\n  ")), "\n")
        local detail = failure.trace and failure.trace.traceback
        if failure.isError and detail then io.write("  ", (detail:gsub("\n", "\n  ")), "\n") end
    end

    local function keep_counts(passed, failed)
        local path = os.getenv("SPEC_COUNTS")
        if not path then return end
        local file = assert(io.open(path, "a"))
        assert(file:write(("%d %d\n"):format(passed, failed)))
        file:close()
    end

    -- A pending test proves nothing and is counted as failed.
    function handler.suiteEnd()
        for _, list in ipairs({ handler.failures, handler.errors, handler.pendings }) do
            for _, failure in ipairs(list) do print_failure(failure) end
        end
        local passed = handler.successesCount
        local failed = handler.failuresCount + handler.errorsCount + handler.pendingsCount
        io.write(("\n%d tests passed, %d failed, %.1f s\n"):format(passed, failed, handler.getDuration()))
        keep_counts(passed, failed)
        return nil, true
    end

    busted.subscribe({ "test", "end" }, handler.testEnd, { predicate = handler.cancelOnPending })
    busted.subscribe({ "suite", "end" }, handler.suiteEnd)
    return handler
end
