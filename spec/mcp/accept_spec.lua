local accept = require("mcp.accept")

local CASES = {
    { nil, true, false },
    { "", true, false },
    { " ", true, false },
    { "*/*", true, true },
    { "application/json", true, false },
    { "text/event-stream", false, true },
    { "application/json, text/event-stream", true, true },
    { "text/event-stream,application/json", true, true },
    { "application/json;q=0.9, text/event-stream;q=0.5", true, true },
    { "Application/JSON, Text/Event-Stream", true, true },
    { "application/*, text/*", true, true },
    { "text/html", false, false },
    { "text/html, */*;q=0.1", true, true },
    { "application/json;q=0, text/event-stream", false, true },
    { "application/json; q=0.0; x=1", false, false },
    { "application/vnd.api+json", false, false },
}

describe("accept.read", function()
    for _, case in ipairs(CASES) do
        it(("reads %q"):format(tostring(case[1])), function()
            for _ = 1, 2 do
                local takes = accept.read(case[1])
                assert.same({ json = case[2], stream = case[3] }, takes)
            end
        end)
    end

    it("does not keep what clients make up without end", function()
        for number = 1, 300 do
            assert.same({ json = true, stream = false }, accept.read("application/json;x=" .. number))
        end
    end)
end)
