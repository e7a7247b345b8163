--- What the official conformance suite expects of a server, written as any operator's file would be.
local clock = require("clock")
local crypto = require("crypto")
local shared = require("shared")

local PNG = crypto.unbase64(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
local WAV = crypto.unbase64("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
local DAY_MS = 86400000

local function object(properties, required)
    return { type = "object", properties = properties or {}, required = required }
end

local function define(name, description, handler, more)
    local definition = { name = name, description = description, input = object(), handler = handler }
    for field, value in pairs(more or {}) do definition[field] = value end
    tool(definition)
end

local text = { type = "string" }

---- content ------------------------------------------------------------------------------------------------

local function image() return content.image({ data = PNG, mime_type = "image/png" }) end

define("test_simple_text", "Returns a text", function() return "This is a simple text response for testing." end)

define("test_image_content", "Returns a picture", image)

define("test_audio_content", "Returns a sound", function()
    return content.audio({ data = WAV, mime_type = "audio/wav" })
end)

define("test_embedded_resource", "Returns a resource", function()
    return content.resource({
        uri = "test://embedded-resource", mime_type = "text/plain", text = "This is an embedded resource content.",
    })
end)

define("test_multiple_content_types", "Returns a text, a picture and a resource", function()
    return {
        "Multiple content types test:", image(),
        content.resource({
            uri = "test://mixed-content-resource", mime_type = "application/json", text = '{"test":"data","value":123}',
        }),
    }
end)

define("test_error_handling", "Always fails", function()
    return nil, "This tool intentionally returns an error for testing"
end)

---- what happens before the answer ---------------------------------------------------------------------------

define("test_tool_with_logging", "Logs three times", function(_, ctx)
    for position, line in ipairs({ "Tool execution started", "Tool processing data", "Tool execution completed" }) do
        if position > 1 then clock.sleep(50) end
        ctx:log("info", line)
    end
    return "Logged"
end)

define("test_tool_with_progress", "Reports progress three times", function(_, ctx)
    for step = 0, 2 do
        if step > 0 then clock.sleep(50) end
        ctx:progress(step * 50, 100, ("Completed step %d of 100"):format(step * 50))
    end
    return "Done"
end)

define("test_logging_tool", "Logs once", function(_, ctx)
    ctx:log("info", "A line for whoever asked for it")
    return "Logged"
end)

define("test_reconnection", "Lets the client go and come back for the answer", function(_, ctx)
    ctx:go_async()
    clock.sleep(100)
    return "Reconnection test completed successfully"
end)

---- questions ------------------------------------------------------------------------------------------------

local function ask_model(ctx, key, prompt)
    local answer = ctx:sample(key, {
        messages = { { role = "user", content = content.text(prompt) } }, maxTokens = 100,
    })
    return "LLM response: " .. (answer.content.text or json.encode(answer.content))
end

define("test_sampling", "Asks the client's model", function(args, ctx) return ask_model(ctx, "model", args.prompt) end,
    { input = object({ prompt = text }, { "prompt" }) })

define("test_missing_capability", "Needs the client's model", function(_, ctx) return ask_model(ctx, "model", "Hello") end)

local function told(answer)
    return ("User response: action=%s, content=%s"):format(answer.action, json.encode(answer.content or {}))
end

define("test_elicitation", "Asks the user", function(args, ctx)
    return told(ctx:elicit("user", args.message, object({
        username = { type = "string", description = "User's response" },
        email = { type = "string", description = "User's email address" },
    }, { "username", "email" })))
end, { input = object({ message = text }, { "message" }) })

define("test_elicitation_sep1034_defaults", "Asks with defaults", function(_, ctx)
    return told(ctx:elicit("user", "Please review and update the form fields with defaults", object({
        name = { type = "string", default = "John Doe" },
        age = { type = "integer", default = 30 },
        score = { type = "number", default = 95.5 },
        status = { type = "string", enum = { "active", "inactive", "pending" }, default = "active" },
        verified = { type = "boolean", default = true },
    })))
end)

define("test_elicitation_sep1330_enums", "Asks for choices of every kind", function(_, ctx)
    local titled = { { const = "value1", title = "First" }, { const = "value2", title = "Second" } }
    return told(ctx:elicit("user", "Please select options", object({
        untitledSingle = { type = "string", enum = { "option1", "option2", "option3" } },
        titledSingle = { type = "string", oneOf = titled },
        legacyEnum = { type = "string", enum = { "opt1", "opt2" }, enumNames = { "Option One", "Option Two" } },
        untitledMulti = { type = "array", items = { type = "string", enum = { "option1", "option2" } } },
        titledMulti = { type = "array", items = { anyOf = titled } },
    })))
end)

define("test_streaming_elicitation", "Reports progress, then asks the user", function(_, ctx)
    ctx:progress(1, 2)
    return told(ctx:elicit("user", "Go on?", object({ ok = { type = "boolean" } })))
end)

local function ok_form() return object({ ok = { type = "boolean" } }, { "ok" }) end

define("test_input_required_result_elicitation", "Asks for a name", function(_, ctx)
    local answer = ctx:elicit("user_name", "What is your name?", object({ name = text }, { "name" }))
    if answer.action ~= "accept" then return "No name was given" end
    return ("Hello, %s!"):format(answer.content.name)
end)

define("test_input_required_result_sampling", "Asks the client's model", function(_, ctx)
    return ask_model(ctx, "capital_question", "What is the capital of France?")
end)

define("test_input_required_result_list_roots", "Asks for the client's roots", function(_, ctx)
    return ("%d roots"):format(#ctx:roots("client_roots"))
end)

local function confirm(_, ctx)
    ctx:once("started", function() return clock.now_ms() end)
    return told(ctx:elicit("confirm", "Please confirm", ok_form())) .. " state-ok"
end

define("test_input_required_result_request_state", "Asks, and keeps state", confirm)
define("test_input_required_result_tampered_state", "Asks, and trusts no changed state", confirm)

define("test_input_required_result_multiple_inputs", "Asks three questions at once", function(_, ctx)
    local form = object({ name = text }, { "name" })
    local answers = ctx:inputs({
        user_name = ctx.question.form("What is your name?", form),
        greeting = ctx.question.sample({
            messages = { { role = "user", content = content.text("Generate a greeting") } }, maxTokens = 50,
        }),
        client_roots = ctx.question.roots(),
    })
    return ("%s, %s, %d roots"):format(told(answers.user_name), answers.greeting.role, #answers.client_roots.roots)
end)

define("test_input_required_result_multi_round", "Asks twice", function(_, ctx)
    local first = ctx:elicit("step1", "Step 1: What is your name?", object({ name = text }, { "name" }))
    local second = ctx:elicit("step2", "Step 2: What is your favorite color?", object({ color = text }, { "color" }))
    return told(first) .. "; " .. told(second)
end)

define("test_input_required_result_capabilities", "Asks only what the client can be asked", function(_, ctx)
    local asked = {}
    local form = ctx.question.form("Please confirm", ok_form())
    local sample = ctx.question.sample({ messages = { { role = "user", content = content.text("Hello") } }, maxTokens = 50 })
    if ctx:can(form) then asked.confirm = form end
    if ctx:can(sample) then asked.sample = sample end
    if next(asked) == nil then return "Nobody can be asked" end
    ctx:inputs(asked)
    return "Asked"
end)

---- schemas --------------------------------------------------------------------------------------------------

define("json_schema_2020_12_tool", "Has a schema with everything", function() return "Valid" end, {
    input = {
        ["$schema"] = "https://json-schema.org/draft/2020-12/schema",
        type = "object",
        ["$defs"] = {
            address = {
                ["$anchor"] = "addressDef", type = "object", properties = { street = text, city = text },
            },
        },
        properties = {
            name = text,
            address = { ["$ref"] = "#/$defs/address" },
            contactMethod = { type = "string", enum = { "phone", "email" } },
            phone = text,
            email = text,
        },
        allOf = { { anyOf = { { required = { "phone" } }, { required = { "email" } } } } },
        ["if"] = { properties = { contactMethod = { const = "phone" } }, required = { "contactMethod" } },
        ["then"] = { required = { "phone" } },
        ["else"] = { required = { "email" } },
        additionalProperties = false,
    },
})

define("test_x_mcp_header", "Repeats an argument in a header", function(args) return "Region " .. args.region end, {
    input = object({ region = { type = "string", ["x-mcp-header"] = "Region" } }, { "region" }),
})

---- lists that change ----------------------------------------------------------------------------------------

-- Scripts keep no state; what is on is kept by the host.
local function is_on(name) return function() return shared.get(name) ~= nil end end

local function toggle(name, kind)
    return function()
        if not shared.remove(name) then shared.put(name, "on", DAY_MS) end
        changed(kind)
        return "Changed"
    end
end

define("test_trigger_tool_change", "Offers one more tool, or one less", toggle("extra tool", "tools"))
define("test_trigger_prompt_change", "Offers one more prompt, or one less", toggle("extra prompt", "prompts"))
define("test_extra_tool", "Comes and goes", function() return "Here" end, { enabled = is_on("extra tool") })

---- tasks ----------------------------------------------------------------------------------------------------

define("greet", "Greets", function(args) return ("Hello, %s!"):format(args.name) end,
    { input = object({ name = text }, { "name" }) })

define("slow_compute", "Takes its time", function(args)
    if args.seconds > 0 then clock.sleep(math.ceil(args.seconds * 1000)) end
    return ("Computed %s in %g seconds"):format(args.label or "it", args.seconds)
end, { task = "optional", input = object({ seconds = { type = "number", minimum = 0 }, label = text }, { "seconds" }) })

define("failing_job", "Fails after a second", function()
    clock.sleep(1000)
    return nil, "The job failed"
end, { task = "required" })

define("protocol_error_job", "Ends with an error of the protocol", function()
    clock.sleep(50)
    tool.refuse(-32603, "The job broke")
end, { task = "required" })

define("confirm_delete", "Asks before it deletes", function(args, ctx)
    local form = object({ confirm = { type = "boolean" } }, { "confirm" })
    local answer = ctx:elicit("confirm", ("Delete %s?"):format(args.filename), form)
    local sure = answer.action == "accept" and answer.content.confirm
    return (sure and "Deleted %s" or "Kept %s"):format(args.filename)
end, { task = "optional", input = object({ filename = text }, { "filename" }) })

define("multi_input", "Asks two questions at once", function(_, ctx)
    local answers = ctx:inputs({
        name = ctx.question.form("What is your name?", object({ name = text }, { "name" })),
        confirm = ctx.question.form("Are you sure?", object({ confirm = { type = "boolean" } }, { "confirm" })),
    })
    return told(answers.name) .. "; " .. told(answers.confirm)
end, { task = "optional" })

define("test_tool_with_task", "Asks for a name, then goes on as a task", function(_, ctx)
    local answer = ctx:elicit("user_name", "What is your name?", object({ name = text }, { "name" }))
    ctx:go_async()
    clock.sleep(200)
    return ("Hello, %s!"):format(answer.content and answer.content.name or "nobody")
end, { task = { support = "required", start = "manual" } })

---- resources ------------------------------------------------------------------------------------------------

resource {
    uri = "test://static-text", name = "Static text", description = "A text that never changes", mime_type = "text/plain",
    handler = function() return "This is the content of the static text resource." end,
}

resource {
    uri = "test://static-binary", name = "Static binary", description = "A picture", mime_type = "image/png",
    handler = function() return { blob = PNG } end,
}

resource {
    uri = "test://watched-resource", name = "Watched resource", description = "A text to subscribe to",
    mime_type = "text/plain",
    handler = function() return "Watched resource content" end,
}

resource_template {
    uri_template = "test://template/{id}/data", name = "Template", description = "Data of an id",
    mime_type = "application/json",
    handler = function(args)
        return json.encode({ id = args.id, templateTest = true, data = "Data for ID: " .. args.id }, { sort = true })
    end,
}

---- prompts --------------------------------------------------------------------------------------------------

prompt {
    name = "test_simple_prompt", description = "A prompt without arguments",
    handler = function() return "This is a simple prompt for testing." end,
}

prompt {
    name = "test_prompt_with_arguments", description = "A prompt with two arguments",
    arguments = {
        { name = "arg1", description = "First", required = true }, { name = "arg2", description = "Second", required = true },
    },
    handler = function(args) return ("Prompt with arguments: arg1='%s', arg2='%s'"):format(args.arg1, args.arg2) end,
}

completion {
    prompt = "test_prompt_with_arguments", argument = "arg1",
    handler = function(value)
        local values = {}
        for _, word in ipairs({ "test", "paris", "party" }) do
            if word:sub(1, #value) == value then values[#values + 1] = word end
        end
        return values
    end,
}

prompt {
    name = "test_prompt_with_embedded_resource", description = "A prompt with a resource",
    arguments = { { name = "resourceUri", description = "Its address", required = true } },
    handler = function(args)
        return {
            content.resource({ uri = args.resourceUri, mime_type = "text/plain", text = "Embedded resource content." }),
            "Please process the embedded resource above.",
        }
    end,
}

prompt {
    name = "test_prompt_with_image", description = "A prompt with a picture",
    handler = function() return { image(), "Please analyze the image above." } end,
}

prompt {
    name = "test_input_required_result_prompt", description = "A prompt that asks the user",
    handler = function(_, ctx)
        local answer = ctx:elicit("user_context", "What context?", object({ context = text }, { "context" }))
        return "Use this context: " .. (answer.content and answer.content.context or "none")
    end,
}

prompt {
    name = "test_extra_prompt", description = "Comes and goes",
    enabled = is_on("extra prompt"),
    handler = function() return "Here" end,
}
