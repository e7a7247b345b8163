local run = require("spec.support.session_lua")

describe("session.folders", function()
    it("makes three folders, and files of the context in the order in which it was sent", function()
        assert.same({ "context outputs workspace", '{\n  "z": 1,\n  "env": {\n    "B": "2",\n    "A": "1"\n  }\n}',
            '{\n  "B": "2",\n  "A": "1"\n}' }, run([[
            local fs, body = require("fs"), '{"context":{"z":1,"env":{"B":"2","A":"1"}}}'
            assert(folders.make("a", body, json.decode(body).context))
            local names = {}
            for _, entry in ipairs(fs.list(folders.path("a")).entries) do
                if entry.name:sub(1, 1) ~= "." then names[#names + 1] = entry.name end
            end
            table.sort(names)
            local function read(name) return (fs.read(folders.path("a") .. "/context/" .. name)) end
            return { table.concat(names, " "), read("task.json"), read("env.json") }
        ]]))
    end)

    it("writes no file for a context that says nothing, and no env.json for what is no object", function()
        assert.same({ "", "", "", "task.json", "task.json", "task.json", "task.json" }, run([[
            local files = {}
            for position, context in ipairs({ "null", "{}", "[]", '"text"', '{"env":[1]}', '{"env":{}}', '{"env":null}' }) do
                local body = '{"context":' .. context .. "}"
                assert(folders.make("s" .. position, body, json.decode(body).context))
                files[position] = ""
                for _, entry in ipairs(require("fs").list(folders.path("s" .. position) .. "/context").entries) do
                    if entry.type == "file" then files[position] = files[position] .. entry.name end
                end
            end
            return files
        ]]))
    end)

    it("says what the file system has against it", function()
        local seen = run([[
            require("fs").write("sessions", "a file")
            return { select(2, folders.make("a", "{}", nil)) }
        ]])
        assert.same({ "ENOTDIR" }, { seen[2] })
        assert.matches("/sessions", seen[1], 1, true)
        assert.same({ "EISDIR", "EISDIR" }, run([[
            local body, codes = '{"context":{"env":{"A":"1"}}}', {}
            for position, name in ipairs({ "task.json", "env.json" }) do
                assert(require("fs").mkdir(folders.path(name) .. "/context/" .. name))
                codes[position] = select(3, folders.make(name, body, json.decode(body).context))
            end
            return codes
        ]]))
    end)

    it("gives commands the variables that an environment can hold", function()
        assert.same({ { TEXT = "a b", NUMBER = "5", HALF = "1.5", YES = "true", EMPTY = "" }, {}, {} }, run([[
            local function environment(id, env)
                local body = '{"context":{"env":' .. env .. "}}"
                assert(folders.make(id, body, json.decode(body).context))
                return json.object(folders.environment(id))
            end
            return { environment("a", '{"TEXT":"a b","NUMBER":5,"HALF":1.5,"YES":true,"EMPTY":"","LIST":[1],"OBJECT":{},'
                .. '"NULL":null,"A=B":"x","NUL":"a\\u0000b","START":"\\u0000","":"x"}'), environment("b", "[1]"),
                json.object(folders.environment("nobody")) }
        ]]))
    end)

    it("resolves a working directory inside the session, through links too", function()
        assert.same({ "/workspace", "/workspace", "/workspace/sub", "/outputs", "", "/outputs/deep", "/workspace/new" }, run([[
            insert("a")
            local base, seen = folders.path("a"), {}
            require("process").run({ command = "mkdir sub ../outputs/deep; ln -s ../outputs out; ln -s \"$PWD/out/deep\" two",
                cwd = base .. "/workspace", timeout_ms = 10000 })
            for position, cwd in ipairs({ "", base .. "/workspace", "sub/./x/..", "../outputs", base, "two", "new" }) do
                seen[position] = assert(folders.working_directory("a", cwd)):sub(#base + 1)
            end
            return seen
        ]]))
    end)

    it("refuses a working directory outside, by name, by link, and where links lead in circles", function()
        local seen = run([[
            insert("a")
            insert("ab")
            local base, seen = folders.path("a"), {}
            require("process").run({ command = "ln -s / root; ln -s ../../ab other; ln -s circle circle; ln -s ../../.. up",
                cwd = base .. "/workspace", timeout_ms = 10000 })
            for _, cwd in ipairs({ "/", "../..", "../../ab", base .. "b", "/etc", "root/etc", "other", "circle", "up/x" }) do
                local path, complaint = folders.working_directory("a", cwd)
                seen[#seen + 1] = path or complaint:gsub("%(.-/sessions/a%)", "(BASE)")
            end
            return seen
        ]])
        assert.equal(9, #seen)
        for _, complaint in ipairs(seen) do
            assert.equal("cwd: expected a folder inside the session (BASE), got ", complaint:match("^.-, got ") or complaint)
        end
        assert.matches('got "circle"$', seen[8])
    end)

    it("removes the folder of a session, and nothing for a row that names another path", function()
        assert.same({ true, false, true, true, true, true, true, true, true }, run([[
            local fs = require("fs")
            local row, other = insert("a"), insert("b")
            fs.write("precious/file", "x")
            local seen = { folders.remove(row), fs.stat(row.workspace_path) ~= nil, folders.remove(row) }
            for _, path in ipairs({ "precious", other.workspace_path .. "/..", "/etc", fs.root() }) do
                seen[#seen + 1] = folders.remove({ id = "c", workspace_path = path }) and fs.stat("precious/file") ~= nil
                    and fs.stat(other.workspace_path) ~= nil
            end
            local within = folders.path("b") .. "/workspace"
            seen[#seen + 1] = folders.remove({ id = "b/workspace", workspace_path = within }) and fs.stat(within) ~= nil
            seen[#seen + 1] = folders.remove({ id = "..", workspace_path = fs.root() .. "/sessions/.." })
                and fs.stat("precious/file") ~= nil
            return seen
        ]]))
    end)
end)
