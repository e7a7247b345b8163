local program = require("spec.support.program")

describe("Pages", function()
    it("A40 escape every value that is put into them, and put nothing in twice", function()
        local seen = program.lua([[
            local page = require("oauth.page")
            return {
                page.escape("<a href='x'>&\"\0\27[1m\u{202E}\xFF"),
                page.fill("{a} {{b}} {c}", { a = "{c} {{b}}", b = "<b>{a}</b>", c = "\1b\2" }),
            }
        ]])
        assert.same({ "&lt;a href=&#39;x&#39;&gt;&amp;&quot;??[1m?\u{FFFD}", "{c} {{b}} <b>{a}</b> ?b?" }, seen)
    end)

    it("A40 a heading of a stranger stays text", function()
        local answer = program.lua([[
            local status, body = require("oauth.page").message("https://a.example", {
                status = 400, heading = "<script>", what = "{nonce}", advice = "</p>" })
            return { status, body }
        ]])
        assert.equal(400, answer[1])
        assert.matches("<h1>&lt;script&gt;</h1>\n<p>{nonce}</p>\n<p class=\"soft\">&lt;/p&gt;</p>", answer[2])
    end)

    it("A40 show what a stranger wrote, escaped and cut where it is long", function()
        local function shown(detail)
            return (program.lua([[
                local message = { status = 400, heading = "h", what = "w", detail = ... }
                local _, body = require("oauth.page").message("https://a.example", message)
                return body:match('<p class="detail" dir="ltr">([^\n]*)</p>\n') or "nothing"
            ]], { args = { detail } }))
        end
        assert.equal(("x"):rep(159) .. "&lt;", shown(("x"):rep(159) .. "<"))
        assert.equal(("x"):rep(159) .. "…", shown(("x"):rep(159) .. "é"))
        assert.equal("nothing", shown())
    end)
end)
