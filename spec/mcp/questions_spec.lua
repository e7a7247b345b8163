local fake_host = require("spec.support.fake_host")
local json = require("json")

describe("questions", function()
    local questions

    setup(function()
        fake_host.install()
        questions = require("mcp.questions")
    end)

    local FORM = { type = "object", properties = { name = { type = "string" } }, required = { "name" } }
    local function form() return questions.form("Name?", FORM) end

    it("are requests of the newest revision", function()
        assert.equal("elicitation/create", form().method)
        assert.same({ mode = "url", message = "Log in", url = "https://x" }, questions.address("Log in", "https://x").params)
        assert.equal('{"messages":[],"stopSequences":[]}',
            json.encode(questions.sample({ messages = {}, stopSequences = {} }).params, { sort = true }))
        assert.equal("{}", json.encode(questions.roots().params))
    end)

    it("need what the client declares, part by part", function()
        local function missing(question, capabilities) return questions.missing(question, capabilities, "2026-07-28") end
        local tools = questions.sample({ messages = {}, tools = {} })
        for _, case in ipairs({
            { form(), { elicitation = {} } }, { form(), { elicitation = { form = {}, url = {} } } },
            { questions.address("m", "https://x"), { elicitation = { url = {} } } },
            { questions.sample({ messages = {} }), { sampling = {} } }, { tools, { sampling = { tools = {} } } },
            { questions.roots(), { roots = {} } },
        }) do
            assert.is_nil(missing(case[1], case[2]))
            assert.is_table(missing(case[1], {}))
        end
        assert.same({ elicitation = {} }, missing(form(), { elicitation = { url = {} } }))
        assert.same({ elicitation = { url = {} } }, missing(questions.address("m", "https://x"), { elicitation = {} }))
        assert.same({ sampling = { tools = {} } }, missing(tools, { sampling = {} }))
        assert.is_table(missing(form(), { elicitation = true }))
    end)

    it("are not asked in revisions that do not have them", function()
        assert.is_table(questions.missing(form(), { elicitation = {} }, "2025-03-26"))
        assert.is_nil(questions.missing(questions.roots(), { roots = {} }, "2024-11-05"))
    end)

    it("judge what is no answer, what does not fit, and what does", function()
        local function judge(question, answer) return questions.judge(question, answer) end
        for _, answer in ipairs({ { action = "decline" }, { action = "cancel" },
            { action = "accept", content = { name = "Ann" } } }) do
            assert.is_nil(judge(form(), answer))
        end
        for _, answer in ipairs({ 5, json.null, json.array({}), {}, { action = "maybe" } }) do
            assert.equal("malformed", judge(form(), answer))
        end
        for _, answer in ipairs({ { action = "accept" }, { action = "accept", content = { name = 5 } } }) do
            assert.equal("incomplete", judge(form(), answer))
        end
        assert.is_nil(judge(questions.address("m", "https://x"), { action = "accept" }))
        assert.is_nil(judge(questions.roots(), { roots = json.array({}) }))
        assert.equal("malformed", judge(questions.roots(), { roots = "x" }))
        assert.equal("malformed", judge(questions.sample({}), { role = "assistant" }))
        local function roots(...) return judge(questions.roots(), { roots = json.array({ ... }) }) end
        assert.is_nil(roots({ uri = "file:///a", name = "a" }, { uri = "file:///b" }))
        for _, wrong in ipairs({ 1, "file:///a", {}, { uri = 5 }, { uri = "file:///a", name = 5 } }) do
            assert.equal("malformed", roots(wrong))
            assert.equal("malformed", roots({ uri = "file:///a" }, wrong))
        end
        local function sample(content, role)
            return judge(questions.sample({}), { role = role or "assistant", content = content, model = "m" })
        end
        local text, image = { type = "text", text = "t" }, { type = "image", data = "", mimeType = "image/png" }
        assert.is_nil(sample(text))
        assert.is_nil(sample(json.array({ text, image, { type = "tool_use", id = "1" } })))
        assert.is_nil(sample(json.array({})))
        assert.equal("malformed", sample(text, "nobody"))
        local nothing = json.object({})
        for _, wrong in ipairs({ nothing, { type = 5 }, { type = "text" }, { type = "text", text = 5 },
            { type = "image", data = "" }, "t", json.array({ "t" }), json.array({ text, nothing }) }) do
            assert.equal("malformed", sample(wrong))
        end
    end)
end)
