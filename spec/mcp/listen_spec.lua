local fake_host = require("spec.support.fake_host")
local json = require("json")

local KEY = "io.modelcontextprotocol/subscriptionId"

describe("subscriptions/listen", function()
    local listen, server, opened, host

    before_each(function()
        host = fake_host.install()
        listen = require("mcp.listen")
        local registry = require("mcp.registry").new()
        registry:add_resource({ uri = "a:b", name = "n", handler = print })
        server = { registry = registry }
        opened = nil
    end)

    local function run(filter, id, scope)
        local exchange = { id = id or 7, transport = { scope = scope } }
        function exchange.transport.listen(_, options)
            opened = { options = options, sent = {} }
            return { send = function(_, text) opened.sent[#opened.sent + 1] = json.decode(text) end }
        end
        return listen.run(server, { notifications = filter }, exchange, function(task) return task == "mine" end)
    end

    it("acknowledges first what it honours: lists that there are, addresses, one's own tasks", function()
        assert.is_nil(run({
            toolsListChanged = true, promptsListChanged = true, resourcesListChanged = false, unknown = true,
            resourceSubscriptions = json.array({ "a:b", 5, "a\0b" }), taskIds = json.array({ "mine", "other" }),
        }))
        local ack = opened.sent[1]
        assert.equal("notifications/subscriptions/acknowledged", ack.method)
        assert.same({ [KEY] = 7 }, ack.params._meta)
        local honoured = { toolsListChanged = true, resourceSubscriptions = { "a:b" }, taskIds = { "mine" } }
        assert.same(honoured, ack.params.notifications)
        assert.same({ "modern list tools", "modern resource a:b", "task mine", "modern listeners" }, opened.options.topics)
        assert.equal("7", opened.options.tag)
    end)

    it("keeps the type of its id, and can be cancelled by it where messages do that", function()
        run({}, "7", "pipe")
        assert.equal('"7"', opened.options.tag)
        assert.equal('answer to call pipe "7"', opened.options.topics[2])
    end)

    it("has bounds, as the acknowledgement shows", function()
        local many = json.array({})
        for number = 1, 100 do many[number] = "a:" .. number end
        run({ resourceSubscriptions = many })
        assert.equal(40, #opened.sent[1].params.notifications.resourceSubscriptions)
        assert.is_true(#opened.options.topics <= 64)
    end)

    it("refuses what is no filter, and more streams than there can be", function()
        for _, filter in ipairs({ "x", 5, json.array({}) }) do assert.equal(-32602, select(2, run(filter)).code) end
        local exchange = { id = 1, transport = { listen = function() return nil end } }
        assert.equal(-32603, select(2, listen.run(server, { notifications = {} }, exchange, print)).code)
    end)

    it("ends in good order: a cancellation, then a result, each with the id", function()
        listen.finish(function(result)
            result.resultType = "complete"
            return result
        end)
        local cancelled, ended = host.sent[1], host.sent[2]
        assert.is_true(ended.ended)
        local first = json.decode((cancelled[2]:gsub("\1", "7")))
        assert.same({ "notifications/cancelled", 7, 7 }, { first.method, first.params.requestId, first.params._meta[KEY] })
        local last = json.decode((ended[2]:gsub("\1", "7")))
        assert.same({ 7, "complete", 7 }, { last.id, last.result.resultType, last.result._meta[KEY] })
    end)
end)
