--- The authorization endpoint: shows the consent page, and turns the right token into a code. GET changes nothing.
local artifact = require("oauth.artifact")
local authorization = require("oauth.authorization")
local consent = require("oauth.consent")
local crypto = require("crypto")
local form = require("oauth.form")
local limits = require("oauth.limits")
local log = require("oauth.journal")
local page = require("oauth.page")
local uri = require("oauth.uri")

local authorize = {}

local FORM_S, CODE_S = 600, 60
local START_AGAIN = "Go back to the app and connect again."

local function no_address(request)
    return page.message(nil, {
        status = 400, heading = "This address does not work", what = "The server cannot tell under which address it was " ..
            'reached: the host name "' .. request.host .. '" is not one.',
    })
end

local function log_outcome(outcome, asked, reason)
    local note = outcome == "granted" and log.info or log.attempt
    note("authorization " .. outcome, { client = asked.name, redirect = uri.shown(asked.redirect), reason = reason })
end

local function blob_of(request)
    local client = request.client
    return {
        h = request.origin, client = client.id, kind = client.kind, name = client.name, trust = client.trust(request.redirect),
        redirect = request.redirect, state = request.state and crypto.base64url(request.state), challenge = request.challenge,
        scope = request.scope, e = artifact.now() + FORM_S,
    }
end

-- To the client where it may be told, else to the person.
local function complain(origin, complaint)
    if not complaint.redirect then
        log.attempt("authorization refused", { reason = complaint.why })
        return page.message(origin, {
            status = 400, heading = "This sign-in cannot start", what = complaint.why, detail = complaint.detail,
            advice = "Nothing was granted. Remove the connection in the app and add it again.",
        })
    end
    local parameters = { { "error", complaint.error }, { "error_description", complaint.why } }
    local location = authorization.back(origin, complaint.redirect, complaint.state, parameters)
    log.attempt("authorization refused", { redirect = uri.shown(complaint.redirect), reason = complaint.error })
    return consent.back(origin, location, "The app asked for something else", "Nothing was granted: " .. complaint.why .. ".")
end

function authorize.show(request)
    local origin = request.origin
    if not origin then return no_address(request) end
    local asked, complaint = authorization.read(origin, request.query)
    if not asked then return complain(origin, complaint) end
    local blob = blob_of(asked)
    return consent.page(origin, blob, artifact.make("form", blob))
end

local function foreign(request, origin)
    local from = request:header("origin")
    if request:header("sec-fetch-site") == "cross-site" then return true end
    return from ~= nil and from ~= "null" and not (uri.is_resource_of(origin, from) and not from:find("/", 9, true))
end

-- The validated request in what was posted, and the form; nil and a message for the person.
local function read_form(request, origin)
    if foreign(request, origin) then
        return nil, { status = 403, heading = "This form came from another page", what = "Only this server's own page may " ..
            "send the token. Nothing was granted.", advice = START_AGAIN }
    end
    local sent = form.media_type(request:header("content-type")) == form.MEDIA_TYPE and form.parse(request:body())
    if not sent then
        return nil, { status = 400, heading = "This is no form", what = "The server expected what its own page sends.",
            advice = START_AGAIN }
    end
    local asked, expired = artifact.read("form", sent.values.request or "")
    if not asked or asked.h ~= origin then
        local why = expired and "The page was open for more than ten minutes, which is as long as it can be used." or
            "The form was changed on its way, or belongs to another server."
        return nil, { status = 400, heading = expired and "This page has expired" or "This form is not valid",
            what = why .. " Nothing was granted.", advice = START_AGAIN }
    end
    return asked, nil, sent.values
end

local function state_of(asked) return asked.state and crypto.unbase64url(asked.state) end

local function deny(origin, asked)
    local parameters = { { "error", "access_denied" }, { "error_description", "The request was denied" } }
    local location = authorization.back(origin, asked.redirect, state_of(asked), parameters)
    log_outcome("denied", asked)
    return consent.back(origin, location, "Access denied", asked.name .. " was told that you said no. You can close this page.")
end

local function allow(origin, asked)
    local code = artifact.make("code", {
        i = crypto.random_text(12), h = origin, c = artifact.fingerprint(asked.client), n = asked.name, r = asked.redirect,
        q = asked.challenge, s = asked.scope, e = artifact.now() + CODE_S,
    })
    local location = authorization.back(origin, asked.redirect, state_of(asked), { { "code", code } })
    log_outcome("granted", asked)
    return consent.back(origin, location, "Access granted", "You are being sent back to " .. asked.name .. ".")
end

local function too_many(origin, seconds)
    return page.message(origin, {
        status = 429, heading = "Too many wrong tokens",
        what = ("From your network there were too many wrong tokens. Try again in %d seconds."):format(seconds),
        advice = "Then go back and enter it again. Apps that are signed in go on working.",
        headers = { ["Retry-After"] = tostring(seconds) },
    })
end

-- The password as people paste it: without the blanks and line ends around.
local function trimmed(password) return (password or ""):match("^%s*(.-)%s*$") end

local function wrong(origin, asked, blob, password)
    local said = password == "" and "Enter the server token." or "That is not the token of this server. Nothing was granted."
    log_outcome("refused", asked, "wrong token")
    return consent.page(origin, asked, blob, { status = 401, text = said })
end

function authorize.decide(request)
    local origin, network = request.origin, request.network
    if not origin then return no_address(request) end
    local asked, message, values = read_form(request, origin)
    if not asked then return page.message(origin, message) end
    if values.decision == "deny" then return deny(origin, asked) end
    local seconds = limits.password_wait(network)
    if seconds then
        log_outcome("refused", asked, "too many wrong tokens")
        return too_many(origin, seconds)
    end
    local password = trimmed(values.password)
    local right = crypto.secret_is(password)
    if not right and password ~= "" then limits.password_failed(network) end
    limits.slow_down()
    if right then return allow(origin, asked) end
    return wrong(origin, asked, values.request, password)
end

-- Also where this server itself is at fault people get a page.
local function broken(origin, why)
    log.failure("the sign-in page failed", { reason = why })
    return page.message(origin, {
        status = 500, heading = "Something went wrong here", what = "This server made a mistake. Nothing was granted.",
        advice = START_AGAIN .. " If it happens again, the log of the server says what it was.",
    })
end

local function answer_of(origin, ok, ...)
    if ok then return ... end
    return broken(origin, tostring(...))
end

function authorize.handle(request)
    local origin = request.origin
    request:on_stop(function(reason) return broken(origin, reason) end)
    return answer_of(origin, pcall(request.method == "POST" and authorize.decide or authorize.show, request))
end

return authorize
