// The consent page in a real browser: node consent.mjs ORIGIN HTTPS_CALLBACK. The token is in SANDSTORM_TOKEN.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { request } from "node:https";
import { launch } from "./chromium.mjs";
import { faults } from "./faults.mjs";

const [origin, httpsCallback] = process.argv.slice(2);
const token = process.env.SANDSTORM_TOKEN;
const verifier = "browser-verifier-0123456789-abcdefghijklmnopqrstuvwxyz";
const challenge = createHash("sha256").update(verifier).digest("base64url");
const CUSTOM = "cursor://anysphere.cursor-mcp/oauth/callback";
let failed = 0;

// A request of an app (not of the browser).
function post(path, body, type) {
  const send = origin.startsWith("https:") ? request : undefined;
  const headers = { "Content-Type": type };
  if (!send) return fetch(origin + path, { method: "POST", headers, body: String(body) }).then((answer) => answer.json());
  return new Promise((resolve, reject) => {
    const sent = send(origin + path, { method: "POST", headers, rejectUnauthorized: false }, (answer) => {
      let text = "";
      answer.on("data", (bytes) => { text += bytes; });
      answer.on("end", () => resolve(JSON.parse(text)));
    });
    sent.on("error", reject);
    sent.end(String(body));
  });
}

// The app that asks, and another page that would like to be it: what is behind `/html?`.
const reached = [];
const app = createServer((incoming, answer) => {
  answer.setHeader("Content-Type", "text/html");
  if (incoming.url.startsWith("/html?")) return answer.end(decodeURIComponent(incoming.url.slice("/html?".length)));
  if (incoming.url.startsWith("/callback?")) {
    reached.push({ method: incoming.method, url: incoming.url, referer: incoming.headers.referer });
  }
  return answer.end("<title>back</title>back in the app");
});
await new Promise((resolve) => app.listen(0, "127.0.0.1", resolve));
const elsewhere = `http://127.0.0.1:${app.address().port}`;
const loopback = `${elsewhere}/callback`;
const foreign = (html) => `${elsewhere}/html?${encodeURIComponent(html)}`;
const register = (name, ...redirects) => post("/oauth/register", JSON.stringify({
  client_name: name, redirect_uris: redirects,
}), "application/json");
const client = await register("Browser spec", "http://127.0.0.1/callback", httpsCallback, CUSTOM);

const address = (redirect, id = client.client_id) => `${origin}/oauth/authorize?${new URLSearchParams({
  response_type: "code", client_id: id, redirect_uri: redirect, state: "s p&ä", code_challenge: challenge,
})}`;
const codeOf = (location) => {
  const told = new URL(location).searchParams;
  assert.equal(told.get("state"), "s p&ä");
  assert.equal(told.get("iss"), origin);
  return told.get("code");
};
const exchange = (code, redirect) => post("/oauth/token", new URLSearchParams({
  grant_type: "authorization_code", code, client_id: client.client_id, redirect_uri: redirect, code_verifier: verifier,
}), "application/x-www-form-urlencoded");

const PATIENCE_MS = 60000; // what takes longer hangs
const browser = await launch();
const context = await browser.newContext({ ignoreHTTPSErrors: true });
context.setDefaultTimeout(PATIENCE_MS);

// What Chromium says of an answer that is no success, and of an app that is not installed.
const EXPECTED = /status of 4|ERR_UNKNOWN_URL_SCHEME/;
const NEAR = [`${origin}/`, `${elsewhere}/`, httpsCallback, "data:", "cursor:"];

// One check, in a window of its own. Whatever it visits leaves no cookie, asks for nothing from elsewhere, and gives the
// browser no reason to complain but what `work` takes out of the list.
async function check(name, work) {
  const page = await context.newPage();
  try {
    const complaints = [];
    const requests = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (asked) => requests.push(asked.url()));
    await work(page, { complaints, requests });
    assert.deepEqual(await context.cookies(), []);
    assert.deepEqual(complaints.filter((text) => !EXPECTED.test(text)), []);
    assert.deepEqual(requests.filter((url) => !NEAR.some((start) => url.startsWith(start))), []);
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED  ${name}\n${error.stack}`);
  } finally {
    await page.close();
  }
}

const button = (page, name) => page.getByRole("button", { name, exact: true });
const heading = (page, name) => page.getByRole("heading", { level: 1, name });
const field = (page) => page.getByLabel("Server token", { exact: true });

// The field as soon as it has the focus by itself and could be clicked: what is typed is for it.
async function focused(page) {
  await field(page).and(page.locator(":focus")).waitFor();
  await field(page).click({ trial: true });
  return field(page);
}

// Types into what has the focus.
async function type(page, text) {
  const input = await focused(page);
  await page.keyboard.type(text);
  assert.equal(await input.inputValue(), text);
}

// Opens the page as a person finds it.
async function open(page, url) {
  await page.goto(url);
  await focused(page);
}

// Sends the form by a click.
async function submit(page, password) {
  await field(page).fill(password);
  await button(page, "Allow").click();
}

const arrive = (page, callback) => page.waitForURL((url) => url.href.startsWith(callback));

await check("A41 the field has the focus; typing and Enter are enough; loopback gets a GET without the password", async (page) => {
  await open(page, address(loopback));
  await type(page, token);
  await page.keyboard.press("Enter");
  await arrive(page, loopback);
  assert.equal(reached.length, 1);
  assert.equal(reached[0].method, "GET");
  assert.ok(!reached[0].url.includes(token));
  assert.equal(reached[0].referer, undefined);
  assert.ok((await exchange(codeOf(new URL(reached[0].url, loopback)), loopback)).access_token);
});

await check("A39 A40 the click on Allow leads to an https callback of another origin", async (page) => {
  await open(page, address(httpsCallback));
  await submit(page, token);
  await arrive(page, httpsCallback);
  assert.ok((await exchange(codeOf(page.url()), httpsCallback)).access_token);
});

await check("A37 Deny needs no token and tells the client", async (page) => {
  await open(page, address(loopback));
  await button(page, "Deny").click();
  await arrive(page, loopback);
  assert.equal(new URL(page.url()).searchParams.get("error"), "access_denied");
});

await check("A41 a wrong token says so, keeps the name, and the next try works", async (page) => {
  await open(page, address(loopback));
  await type(page, "wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "not the token" }).waitFor();
  await heading(page, /Browser spec/).waitFor();
  await type(page, token);
  await page.keyboard.press("Enter");
  await arrive(page, loopback);
  assert.ok((await exchange(codeOf(page.url()), loopback)).access_token);
});

await check("keyboard: field, Allow, Deny, in this order; a screen reader meets names for all of them", async (page) => {
  await open(page, address(loopback));
  for (const name of ["Allow", "Deny"]) {
    await page.keyboard.press("Tab");
    await button(page, name).and(page.locator(":focus")).waitFor();
  }
  const spoken = await page.locator("body").ariaSnapshot();
  assert.deepEqual(spoken.match(/(?<=^\s*- )(heading|textbox|button|link|alert)\b.*$/gm), [
    'heading "Give “Browser spec” access to this server?" [level=1]', 'textbox "Server token"', 'button "Allow"', 'button "Deny"',
  ]);
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
});

// A phone, the narrowest that WCAG asks for (1.4.10), a desktop, and both at twice the size.
const SCREENS = [[390, 844], [320, 568], [1280, 860], [195, 422], [640, 430]];

// Runs in the page: has it got there?
const shows = ([width, scheme]) => innerWidth === width && matchMedia(`(prefers-color-scheme: ${scheme})`).matches;

async function fits(page, name) {
  for (const [width, height] of SCREENS) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction(shows, [width, colorScheme]);
      assert.deepEqual(await page.evaluate(faults, colorScheme), [], `${name}, ${width} ${colorScheme}`);
    }
  }
}

// What each page says on top, and the way to it.
const PAGES = {
  consent: [/Browser spec/, (page) => open(page, address(CUSTOM))],
  "a long name and an address without end": [/W{20}/, async (page) => {
    const redirect = `com.example.app:/${"way-".repeat(200)}`;
    const long = await register("W".repeat(100), redirect);
    await open(page, address(redirect, long.client_id));
  }],
  "a name in another direction, with marks": [/\u05d0\u05d1/, async (page) => {
    const turned = await register(`\u05d0\u05d1\u202eevil${"\u0301".repeat(20)}`, httpsCallback);
    await open(page, address(httpsCallback, turned.client_id));
    // The marks pile up to the height of the page; they must not reach what stands above.
    assert.equal(await page.locator("h1").evaluate((node) => getComputedStyle(node).overflowY), "clip");
  }],
  "wrong token": [/Browser spec/, async (page) => {
    await open(page, address(loopback));
    await submit(page, "wrong");
    await page.getByRole("alert").waitFor();
    const input = await focused(page);
    const told = await input.evaluate((node) => node.getAttribute("aria-describedby").split(" ")
      .map((id) => document.getElementById(id).textContent).join(" "));
    assert.match(told, /not the token of this server.*SANDSTORM_MCP_TOKEN/);
    assert.equal(await input.getAttribute("aria-invalid"), "true");
  }],
  "damaged form": [/not valid/, async (page) => {
    await open(page, address(loopback));
    await page.locator("input[name=request]").evaluate((node) => { node.value = "x"; });
    await submit(page, "x");
  }],
  "unknown client": [/cannot start/, (page) => page.goto(address(loopback, "nobody"))],
  "unregistered address": [/cannot start/, (page) => page.goto(address(`https://evil.example/${"steal".repeat(100)}`))],
  "undescribed client": [/cannot start/, (page) => page.goto(address(loopback, "https://127.0.0.1:1/client.json"))],
};

for (const [name, [title, reach]] of Object.entries(PAGES)) {
  await check(`page fits every screen, light and dark, and can be read: ${name}`, async (page) => {
    await reach(page);
    await heading(page, title).waitFor();
    await fits(page, name);
  });
}

await check("A38 another page cannot frame the form", async (page, { complaints }) => {
  const frame = foreign(`<iframe src="${address(loopback)}"></iframe>`);
  const [answer] = await Promise.all([page.waitForResponse((one) => one.url() === address(loopback)), page.goto(frame)]);
  assert.equal(answer.status(), 200);
  await page.frames()[1].waitForURL("chrome-error://**");
  assert.match(complaints.splice(0).join("\n"), /frame-ancestors/);
});

// An origin that the browser counts to the same site, where a port makes none, and one that is no origin at all.
const STRANGERS = { "another origin": foreign, "no origin": (html) => `data:text/html,${encodeURIComponent(html)}` };

for (const [kind, stranger] of Object.entries(STRANGERS)) {
  await check(`A38 another page cannot send the form: ${kind}`, async (page) => {
    await open(page, address(loopback));
    const sealed = await page.locator("input[name=request]").inputValue();
    const before = reached.length;
    await page.goto(stranger(`<form method=post action="${origin}/oauth/authorize"><input name=request value="${sealed}">
      <input name=password value="${token}"><button name=decision value=allow>Win a prize</button></form>`));
    await button(page, "Win a prize").click();
    await heading(page, /another page/).waitFor();
    assert.equal(reached.length, before);
  });
}

await check("A40 no cookie, no script, nothing loaded from elsewhere", async (page, { requests }) => {
  await open(page, address(loopback));
  assert.deepEqual(requests, [address(loopback)]);
  assert.equal(await page.evaluate(() => document.scripts.length), 0);
});

await check("A39 A40 the click on Allow leads to the scheme of an app", async (page) => {
  await open(page, address(CUSTOM));
  const [left] = await Promise.all([page.waitForRequest((asked) => asked.url().startsWith(CUSTOM)), submit(page, token)]);
  assert.ok((await exchange(codeOf(left.url()), CUSTOM)).access_token);
});

// The very last: after it this network may not try again for a minute.
await check("A53 too many wrong tokens are a page as well", async (page) => {
  const late = heading(page, /Too many wrong tokens/);
  for (let tries = 0; tries < 20 && !(await late.isVisible()); tries += 1) {
    await open(page, address(loopback));
    await submit(page, "wrong");
    await page.getByRole("alert").or(late).waitFor();
  }
  assert.ok(await late.isVisible());
  await fits(page, "rate-limited");
});

await browser.close();
app.close();
process.exit(failed === 0 ? 0 : 1);
