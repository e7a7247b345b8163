--- Reads the text format of Prometheus strictly, as `promtool check metrics` does: what it returns is what a scraper sees,
--- what is wrong is raised with its line.
local exposition = {}

local TYPES = { counter = true, gauge = true, histogram = true }
local SUFFIXES = { histogram = { _bucket = true, _sum = true, _count = true } }

local function wrong(number, line, why) error(("line %d: %s: %s"):format(number, why, line), 0) end

local function read_labels(text, number, line)
    local labels, at = {}, 1
    while at <= #text do
        local name, stop = text:match('^([%a_][%w_]*)="()', at)
        if not name then wrong(number, line, "no label") end
        if labels[name] then wrong(number, line, "label twice") end
        local value = ""
        at = stop
        while text:sub(at, at) ~= '"' do
            local c = text:sub(at, at)
            if c == "" or c == "\n" then wrong(number, line, "label without end") end
            if c == "\\" then
                c = ({ n = "\n", ["\\"] = "\\", ['"'] = '"' })[text:sub(at + 1, at + 1)]
                if not c then wrong(number, line, "escape") end
                at = at + 1
            end
            value, at = value .. c, at + 1
        end
        if not utf8.len(value) then wrong(number, line, "not UTF-8") end
        labels[name] = value
        at = at + 1
        if text:sub(at, at) == "," then at = at + 1 elseif at <= #text then wrong(number, line, "no comma") end
    end
    return labels
end

local function read_value(text, number, line)
    local special = { ["+Inf"] = math.huge, ["-Inf"] = -math.huge, NaN = 0 / 0 }
    local value = special[text] or (text:match("^[+-]?[%d.]+[eE]?[+-]?%d*$") and tonumber(text))
    if not value then wrong(number, line, "no number") end
    return value
end

local function key_of(name, labels)
    local parts = {}
    for label, value in pairs(labels) do parts[#parts + 1] = label .. "=" .. value end
    table.sort(parts)
    return name .. "{" .. table.concat(parts, "\1") .. "}"
end

local function begin_family(families, name, number, line)
    if families[name] and families[name].closed then wrong(number, line, "family is not in one piece") end
    for other, family in pairs(families) do
        if other ~= name then family.closed = true end
    end
    families[name] = families[name] or { name = name, samples = {}, seen = {} }
    return families[name]
end

local function family_of(families, name, number, line)
    local own = families[name]
    if own and own.type and own.type ~= "histogram" then return own end
    for suffix in pairs(SUFFIXES.histogram) do
        local family = name:sub(-#suffix) == suffix and families[name:sub(1, -#suffix - 1)]
        if family and family.type == "histogram" then return family end
    end
    wrong(number, line, "sample without TYPE before it")
end

local function read_comment(families, line, number)
    local keyword, name, rest = line:match("^# (%u+) ([%a_:][%w_:]*) (.+)$")
    if keyword ~= "HELP" and keyword ~= "TYPE" then wrong(number, line, "comment") end
    local family = begin_family(families, name, number, line)
    local field = keyword:lower()
    if family[field] then wrong(number, line, keyword .. " twice") end
    if #family.samples > 0 then wrong(number, line, keyword .. " behind samples") end
    if field == "type" and not TYPES[rest] then wrong(number, line, "type") end
    family[field] = rest
end

local function read_sample(families, line, number)
    local name, labels, value = line:match("^([%a_:][%w_:]*)(%b{}) (%S+)$")
    if not name then name, value = line:match("^([%a_:][%w_:]*) (%S+)$") end
    if not name then wrong(number, line, "no sample") end
    local family = family_of(families, name, number, line)
    if family.closed then wrong(number, line, "family is not in one piece") end
    local sample = { name = name, labels = read_labels((labels or "{}"):sub(2, -2), number, line) }
    sample.value = read_value(value, number, line)
    local key = key_of(name, sample.labels)
    if family.seen[key] then wrong(number, line, "sample twice") end
    family.seen[key] = sample
    family.samples[#family.samples + 1] = sample
end

local function check_histogram(family)
    local groups = {}
    for _, sample in ipairs(family.samples) do
        local labels = {}
        for name, value in pairs(sample.labels) do labels[name] = name ~= "le" and value or nil end
        local key = key_of("", labels)
        groups[key] = groups[key] or { buckets = {} }
        if sample.name:sub(-7) == "_bucket" then
            table.insert(groups[key].buckets, { border = read_value(sample.labels.le, 0, family.name), value = sample.value })
        else
            groups[key][sample.name:match("_(%l+)$")] = sample.value
        end
    end
    for key, group in pairs(groups) do
        local last
        for position, bucket in ipairs(group.buckets) do
            last = group.buckets[position - 1]
            assert(not last or (last.border < bucket.border and last.value <= bucket.value), family.name .. key .. ": buckets")
        end
        last = group.buckets[#group.buckets]
        assert(last and last.border == math.huge and last.value == group.count and group.sum, family.name .. key .. ": totals")
    end
end

local function check_family(family)
    assert(family.help and family.type and #family.samples > 0, family.name .. ": HELP, TYPE and samples")
    assert(family.type ~= "counter" or family.name:match("_total$"), family.name .. ": a counter ends in _total")
    assert(family.type == "counter" or not family.name:match("_total$"), family.name .. ": no counter")
    assert(not family.name:match("_milli") and not family.name:match("_ms_"), family.name .. ": base units")
    if family.type == "histogram" then check_histogram(family) end
    for _, sample in ipairs(family.samples) do
        assert(family.type ~= "counter" or sample.value >= 0, family.name .. ": a counter below 0")
    end
end

--- Reads the text; returns the families by name: {type=, help=, samples={{name=, labels=, value=}...}}.
function exposition.read(text)
    assert(text:sub(-1) == "\n", "the last line does not end")
    local families, number = {}, 0
    for line in text:gmatch("([^\n]*)\n") do
        number = number + 1
        if line:sub(1, 1) == "#" then read_comment(families, line, number) else read_sample(families, line, number) end
    end
    for _, family in pairs(families) do check_family(family) end
    return families
end

--- The value of a sample, or nil.
function exposition.value(families, name, labels)
    for _, sample in ipairs(families[name] and families[name].samples or {}) do
        if sample.name == name and key_of("", sample.labels) == key_of("", labels or {}) then return sample.value end
    end
end

return exposition
