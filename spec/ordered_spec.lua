local ordered = require("ordered")

describe("ordered.encode", function()
    it("writes members in their order and leaves out what is nil", function()
        assert.equal('{"b":1,"a":"ü\\"","d":null}',
            ordered.encode({ { "b", 1 }, { "a", 'ü"' }, { "c", nil }, { "d", require("json").null } }))
        assert.equal("{}", ordered.encode({}))
    end)
end)
