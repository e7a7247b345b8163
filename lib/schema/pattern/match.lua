--- Runs programs of program.lua over a text: all ways through the expression at once, one character after the other,
--- so the time is bounded by length x program size whatever the expression. Places are 0 … n, between characters.
---
--- A look-around is answered for every place before the main program runs, by running its own program over the whole text
--- (ahead: from the end backwards), so that it costs no more than another expression would.
local charset = require("schema.pattern.charset")

local is_word = charset.lookup(charset.word)

local places = {}
function places.start(_, place) return place == 0 end
places["end"] = function(text, place) return place == text.n end
function places.word(text, place)
    return is_word[text[place] or -1] ~= is_word[text[place + 1] or -1]
end
function places.inside(text, place) return not places.word(text, place) end

--- Follows the operations that consume nothing from `start`; appends those that consume to `list`.
---@return boolean matched
local function follow(run, list, start, place)
    local program, seen, stack = run.program, run.seen, { start }
    local op, x, y, mark = program.op, program.x, program.y, run.mark
    local size, matched = 1, false
    while size > 0 do
        local at = stack[size]
        size = size - 1
        if seen[at] ~= mark then
            seen[at] = mark
            run.cost = run.cost + 1
            local kind = op[at]
            if kind == "SET" then
                list[#list + 1] = at
            elseif kind == "SPLIT" then
                stack[size + 1], stack[size + 2] = y[at], x[at]
                size = size + 2
            elseif kind == "JUMP" then
                size = size + 1
                stack[size] = x[at]
            elseif kind == "MATCH" then
                matched = true
            elseif (kind == "AT" and places[x[at]](run.text, place))
                or (kind == "LOOK" and (run.holds[x[at]][place] or false) == y[at]) then
                size = size + 1
                stack[size] = at + 1
            end
        end
    end
    return matched
end

local function step(run, list, code, place)
    local x, following, matched = run.program.x, {}, false
    for i = 1, #list do
        local at = list[i]
        run.cost = run.cost + 1
        if x[at][code] and follow(run, following, at + 1, place) then matched = true end
    end
    return following, matched
end

--- Runs one program; `on_match(place)` returns true to end the run.
local function simulate(program, text, holds, spend, on_match)
    local run = { program = program, text = text, holds = holds, seen = {}, mark = 0, cost = 0 }
    local first, last, direction = 0, text.n, 1
    if program.backward then first, last, direction = text.n, 0, -1 end
    local list, matched = {}, false
    for place = first, last, direction do
        if place ~= first then
            run.mark = run.mark + 1
            list, matched = step(run, list, text[direction == 1 and place or place + 1], place)
        end
        if place == first or not program.anchored then matched = follow(run, list, 1, place) or matched end
        spend(run.cost + 1)
        run.cost = 0
        if matched and on_match(place) then return end
        if program.anchored and #list == 0 then return end
    end
end

local function single_bytes(bytes)
    local text = { n = #bytes }
    for i = 1, #bytes do text[i] = bytes:byte(i) end
    return text
end

local function code_points(bytes)
    if not utf8.len(bytes) then return single_bytes(bytes) end
    local text, n = {}, 0
    for _, code in utf8.codes(bytes) do
        n = n + 1
        text[n] = code
    end
    text.n = n
    return text
end

--- Tells whether the program matches anywhere in `bytes`. Text that is not UTF-8 is read byte by byte.
---@param program schema.pattern.Program
---@param bytes string
---@param spend fun(steps: integer) told of the work as it is done; may raise to end it
---@return boolean
return function(program, bytes, spend)
    spend(#bytes)
    local text, holds, found = code_points(bytes), {}, false
    for number, look in ipairs(program.looks) do
        local answers = {}
        holds[number] = answers
        simulate(look, text, holds, spend, function(place) answers[place] = true end)
    end
    simulate(program, text, holds, spend, function() found = true; return true end)
    return found
end
