--- The text of a directory listing, in the columns of `ls -la`.
local names = require("names")

local listing = {}

local TYPES = { file = "-", directory = "d", link = "l", fifo = "p", socket = "s", char = "c", block = "b" }
local HALF_A_YEAR = 15778476 -- seconds; older times show the year

-- Set-user, set-group and sticky bit: where they stand, and their letters with and without the x below.
local SPECIAL = { { bit = 0x800, at = 3, on = "s", off = "S" }, { bit = 0x400, at = 6, on = "s", off = "S" },
    { bit = 0x200, at = 9, on = "t", off = "T" } }

local function permissions(mode)
    local letters = {}
    for position = 1, 9 do
        local set = mode & (1 << (9 - position)) ~= 0
        letters[position] = set and ("rwx"):sub((position - 1) % 3 + 1, (position - 1) % 3 + 1) or "-"
    end
    for _, special in ipairs(SPECIAL) do
        if mode & special.bit ~= 0 then
            letters[special.at] = letters[special.at] == "x" and special.on or special.off
        end
    end
    return table.concat(letters)
end

local function when(mtime, now)
    local recent = mtime <= now and now - mtime < HALF_A_YEAR
    return os.date(recent and "%b %e %H:%M" or "%b %e  %Y", mtime)
end

local function size(entry)
    if entry.major then return ("%d, %d"):format(entry.major, entry.minor) end
    return tostring(entry.size)
end

-- The columns of one entry but its name.
local function columns(entry, now)
    return {
        (TYPES[entry.type] or "?") .. permissions(entry.mode), tostring(entry.nlink), entry.user, entry.group,
        size(entry), when(entry.mtime, now),
    }
end

local function name_of(entry, name)
    name = name or names.show(entry.name)
    return entry.target and ("%s -> %s"):format(name, names.show(entry.target)) or name
end

local function widths(rows)
    local width = { 0, 0, 0, 0, 0, 0 }
    for _, row in ipairs(rows) do
        for column, cell in ipairs(row) do width[column] = math.max(width[column], #cell) end
    end
    return width
end

--- The text for what fs.list found at `path`. The one entry of something that is no folder is named by its path.
---@param found fs.Listing
---@param path string absolute, as text
---@return string
function listing.format(found, path)
    local now, rows, lines = os.time(), {}, {}
    for position, entry in ipairs(found.entries) do rows[position] = columns(entry, now) end
    local width = widths(rows)
    local row_format = ("%%s %%%ds %%-%ds %%-%ds %%%ds %%s %%s\n"):format(width[2], width[3], width[4], width[5])
    local is_folder = found.kind == "directory"
    if is_folder then lines[1] = ("total %d\n"):format(found.blocks) end
    for position, row in ipairs(rows) do
        row[7] = name_of(found.entries[position], not is_folder and path or nil)
        lines[#lines + 1] = row_format:format(table.unpack(row))
    end
    return table.concat(lines)
end

return listing
