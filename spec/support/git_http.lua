--- A small HTTP server with `git http-backend` behind it, or with answers that a git client must survive. Runs as a
--- process of its own (it is a script), because the specs block while they wait:
---
---     lua5.4 spec/support/git_http.lua PORT ROOT LOG MODE [OTHER]
---
--- MODE: open      serves the repositories below ROOT
---       password  the same for the user "agent" with the password "right"; 401 for others
---       refuse    401 always
---       redirect  302 to OTHER for the first request of a conversation
---       stall     tells half of a step, then nothing; takes no push
--- Each request is a line in LOG: METHOD PATH AUTHORIZATION.
local uv = require("luv")

local PORT, ROOT, LOG, MODE, OTHER = table.unpack(arg)
local AUTHORIZED = "Basic YWdlbnQ6cmlnaHQ=" -- agent:right

-- git-http-backend may have ended before its input is written.
local broken_pipe = uv.new_signal()
broken_pipe:start("sigpipe", function() end)
broken_pipe:unref()

local log = assert(io.open(LOG, "a"))
log:setvbuf("line")

local function answer(client, status, headers, body)
    local lines = { "HTTP/1.1 " .. status, "Connection: close", "Content-Length: " .. #body }
    for name, value in pairs(headers) do lines[#lines + 1] = name .. ": " .. value end
    client:write(table.concat(lines, "\r\n") .. "\r\n\r\n" .. body, function()
        client:shutdown(function() -- the client closes when it has read all: closing first could take the answer away
            client:read_start(function(_, more) if not more and not client:is_closing() then client:close() end end)
        end)
    end)
end

-- The output of a CGI program as a response.
local function relay(client, output)
    local head, body = output:match("^(.-)\r?\n\r?\n(.*)$")
    if not head then return answer(client, "500 Internal Server Error", {}, "git http-backend said: " .. output) end
    local headers, status = {}, "200 OK"
    for name, value in head:gmatch("([^:\r\n]+): ([^\r\n]*)") do
        if name == "Status" then status = value else headers[name] = value end
    end
    answer(client, status, headers, body)
end

local function backend(client, request)
    local input, output = uv.new_pipe(), uv.new_pipe()
    local path, query = request.target:match("^([^?]*)%??(.*)$")
    local environment = {
        "PATH=/usr/bin:/bin", "HOME=" .. ROOT, "GIT_PROJECT_ROOT=" .. ROOT, "GIT_HTTP_EXPORT_ALL=1",
        "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=http.receivepack", "GIT_CONFIG_VALUE_0=true",
        "GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*",
        "REQUEST_METHOD=" .. request.method, "PATH_INFO=" .. path, "QUERY_STRING=" .. query, "REMOTE_USER=agent",
        "REMOTE_ADDR=127.0.0.1", "CONTENT_TYPE=" .. (request.headers["content-type"] or ""),
        "HTTP_CONTENT_ENCODING=" .. (request.headers["content-encoding"] or ""),
        "CONTENT_LENGTH=" .. #request.body, "GIT_PROTOCOL=" .. (request.headers["git-protocol"] or ""),
    }
    local process
    process = uv.spawn("/usr/lib/git-core/git-http-backend", { env = environment, stdio = { input, output, nil } },
        function() process:close() end)
    local pieces = {}
    output:read_start(function(_, bytes)
        if bytes then
            pieces[#pieces + 1] = bytes
        else
            output:close()
            relay(client, table.concat(pieces))
        end
    end)
    input:write(request.body, function() input:close() end)
end

local function refuse(client) answer(client, "401 Unauthorized", { ["WWW-Authenticate"] = 'Basic realm="spec"' }, "no") end

local MODES = { open = backend, refuse = refuse }

function MODES.password(client, request)
    if request.headers.authorization == AUTHORIZED then backend(client, request) else refuse(client) end
end

function MODES.redirect(client, request)
    if request.target:find("info/refs", 1, true) then
        answer(client, "302 Found", { Location = OTHER .. request.target }, "")
    else
        answer(client, "404 Not Found", {}, "")
    end
end

local HALF_A_STEP = "\2Compressing objects:  50% (1/2)\r" -- on the channel of progress

function MODES.stall(client, request)
    if request.method == "POST" and request.body:find("want ", 1, true) then
        client:write("HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-result\r\nContent-Length: 100000\r\n\r\n"
            .. "000dpackfile\n" .. ("%04x"):format(#HALF_A_STEP + 4) .. HALF_A_STEP)
    elseif request.method == "POST" and request.target:find("git-receive-pack", 1, true) then
        return -- no answer
    else
        backend(client, request)
    end
end

local function parse(bytes)
    local head, rest = bytes:match("^(.-\r\n)\r\n(.*)$")
    if not head then return nil end
    local method, target = head:match("^(%S+) (%S+)")
    local request = { method = method, target = target, headers = {} }
    for name, value in head:gmatch("\r\n([^:]+): ([^\r]*)") do request.headers[name:lower()] = value end
    if (request.headers["transfer-encoding"] or "") == "chunked" then
        if not rest:find("0\r\n\r\n$") then return nil end
        local pieces, at = {}, 1
        while true do
            local size, start = rest:match("^(%x+)\r\n()", at)
            if tonumber(size, 16) == 0 then break end
            pieces[#pieces + 1] = rest:sub(start, start + tonumber(size, 16) - 1)
            at = start + tonumber(size, 16) + 2
        end
        request.body = table.concat(pieces)
        return request
    end
    local length = tonumber(request.headers["content-length"] or 0)
    if #rest < length then return nil end
    request.body = rest:sub(1, length)
    return request
end

local function serve(client)
    local bytes, continued = "", false
    client:read_start(function(_, more)
        if not more then
            if not client:is_closing() then client:close() end
            return
        end
        bytes = bytes .. more
        if not continued and bytes:lower():find("expect: 100-continue", 1, true) then
            continued = true
            client:write("HTTP/1.1 100 Continue\r\n\r\n")
        end
        local request = parse(bytes)
        if not request then return end
        client:read_stop()
        log:write(("%s %s %s\n"):format(request.method, request.target, request.headers.authorization or "-"))
        MODES[MODE](client, request)
    end)
end

local listener = uv.new_tcp()
assert(listener:bind("127.0.0.1", tonumber(PORT)))
assert(listener:listen(16, function()
    local client = uv.new_tcp()
    listener:accept(client)
    serve(client)
end))
uv.run()
