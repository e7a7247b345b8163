local fake_host = require("spec.support.fake_host")

describe("session.ending", function()
    local host, ending, signals, left

    before_each(function()
        host = fake_host.install()
        ending = require("session.ending")
        signals, left = {}, {}
        host.process.signal_marked = function(name, ids, signal)
            assert.same({ "SANDSTORM_SESSION_ID", { "a", "b" } }, { name, ids })
            signals[#signals + 1] = signal
            return table.remove(left, 1) or 0
        end
    end)

    it("stops the commands of the sessions before their processes, with the reason", function()
        host.process.signal_marked = function()
            assert.equal(2, #host.stopped)
            return 0
        end
        ending.processes({ "a", "b" }, "it is over")
        assert.same({ { "session:a", "it is over" }, { "session:b", "it is over" } }, host.stopped)
    end)

    it("kills nobody where nothing runs, or where what runs ends when it is asked to", function()
        ending.processes({ "a", "b" }, "")
        assert.same({ "TERM" }, signals)
        signals, left = {}, { 3, 3, 1, 0 }
        ending.processes({ "a", "b" }, "")
        assert.same({ "TERM", "0", "0", "0" }, signals)
    end)

    it("kills after two seconds what does not end, and waits until it is gone", function()
        local looks = 3 -- behind SIGKILL
        host.process.signal_marked = function(_, _, signal)
            if signal ~= "0" then signals[#signals + 1] = { signal, host.now } end
            if not signals[2] then return 1 end
            looks = looks - 1
            return math.max(0, looks)
        end
        ending.processes({ "a", "b" }, "")
        assert.same({ { "TERM", 0 }, { "KILL", 2000 } }, signals)
        assert.equal(0, looks)
    end)

    it("waits for ever for nobody", function()
        host.process.signal_marked = function() return 1 end
        ending.processes({ "a", "b" }, "")
        assert.equal(4000, host.now)
    end)

    it("says of which sessions the folder is gone, and why another is not", function()
        package.loaded["session.folders"].remove = function(row)
            if row.id == "b" then return nil, "Device or resource busy" end
            return true
        end
        local cleaned, failures = ending.folders({ { id = "a" }, { id = "b" }, { id = "c" } })
        assert.same({ { "a", "c" }, { { id = "b", message = "Device or resource busy" } } }, { cleaned, failures })
    end)
end)
