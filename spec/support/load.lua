--- A client that calls a server without pause until it is told to end: run as a program of its own by specs.
---
---     lua5.4 spec/support/load.lua HOST PORT TOKEN STOP_FILE TOOL ARGUMENTS_JSON
---
--- Prints one JSON object when STOP_FILE appears: {calls=, failures=[text, ...]}. Ends by itself after a minute.
package.path = "lib/?.lua;" .. package.path
local cjson = require("cjson")
local http = require("spec.support.http")

local host, port, token, stop_file, tool, arguments = table.unpack(arg)
local body = cjson.encode({
    jsonrpc = "2.0", id = 1, method = "tools/call", params = { name = tool, arguments = cjson.decode(arguments) },
})
local headers = {
    Authorization = "Bearer " .. token,
    ["Content-Type"] = "application/json",
    Accept = "application/json, text/event-stream",
}

local calls, failures = 0, {}
local deadline = os.time() + 60

local function stop_wanted()
    local file = io.open(stop_file)
    if file then file:close() end
    return file ~= nil or os.time() > deadline
end

local function check(response, why)
    local answer = response and response.status == 200 and cjson.decode(response.body)
    if answer and answer.result and not answer.result.isError then return end
    failures[#failures + 1] = response and ("%d %s"):format(response.status, response.body) or tostring(why)
end

local connection = http.connect(host, tonumber(port))
repeat
    check(connection:request({ method = "POST", path = "/mcp", headers = headers, body = body, host = host }))
    calls = calls + 1
until stop_wanted() or #failures > 10
io.write(cjson.encode({ calls = calls, failures = failures }), "\n")
