// The consent page in a real browser: node consent.mjs ORIGIN HTTPS_CALLBACK. The token is in SANDSTORM_TOKEN.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { request } from "node:https";
import { Browser } from "./chromium.mjs";

const [origin, httpsCallback] = process.argv.slice(2);
const token = process.env.SANDSTORM_TOKEN;
const verifier = "browser-verifier-0123456789-abcdefghijklmnopqrstuvwxyz";
const challenge = createHash("sha256").update(verifier).digest("base64url");
const CUSTOM = "cursor://anysphere.cursor-mcp/oauth/callback";
let failed = 0;

async function check(name, work) {
  try {
    await work();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}

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

const reached = [];
const app = createServer((incoming, answer) => {
  reached.push({ method: incoming.method, url: incoming.url, referer: incoming.headers.referer });
  answer.end("<title>back</title>back in the app");
});
await new Promise((resolve) => app.listen(0, "127.0.0.1", resolve));
const loopback = `http://127.0.0.1:${app.address().port}/callback`;
const client = await post("/oauth/register", JSON.stringify({
  client_name: "Browser spec", redirect_uris: ["http://127.0.0.1/callback", httpsCallback, CUSTOM],
}), "application/json");

const address = (redirect) => `${origin}/oauth/authorize?${new URLSearchParams({
  response_type: "code", client_id: client.client_id, redirect_uri: redirect, state: "s p&ä", code_challenge: challenge,
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

const browser = await Browser.start();

await check("A41 the field has the focus; typing and Enter are enough; loopback gets a GET without the password", async () => {
  await browser.open(address(loopback));
  await browser.focused("password");
  await browser.fill(token);
  await browser.press("Enter", "\r", () => reached.length > 0);
  assert.equal(reached[0].method, "GET");
  assert.ok(!reached[0].url.includes(token));
  assert.equal(reached[0].referer, undefined);
  assert.ok((await exchange(codeOf(new URL(reached[0].url, loopback)), loopback)).access_token);
  assert.deepEqual(browser.complaints(), []);
});

await check("A39 A40 the click on Allow leads to an https callback of another origin", async () => {
  await browser.open(address(httpsCallback));
  await browser.focused("password");
  await browser.fill(token);
  await browser.run("document.querySelector('button.go').click()");
  await browser.until(async () => (await browser.run("location.href")).startsWith(httpsCallback));
  assert.ok((await exchange(codeOf(await browser.run("location.href")), httpsCallback)).access_token);
  assert.deepEqual(browser.complaints(), []);
});

await check("A37 Deny needs no token and tells the client", async () => {
  await browser.open(address(loopback));
  const before = reached.length;
  await browser.run("document.querySelector('button.no').click()");
  await browser.until(() => reached.length > before);
  assert.equal(new URL(reached.at(-1).url, loopback).searchParams.get("error"), "access_denied");
});

await check("A41 a wrong token says so, keeps the name, and the next try works", async () => {
  await browser.open(address(loopback));
  await browser.focused("password");
  await browser.fill("wrong");
  await browser.press("Enter", "\r", () => browser.run("!!document.querySelector('[role=alert]')"));
  assert.match(await browser.run("document.querySelector('[role=alert]').textContent"), /not the token/);
  assert.match(await browser.run("document.querySelector('h1').textContent"), /Browser spec/);
  await browser.focused("password");
  const before = reached.length;
  await browser.fill(token);
  await browser.press("Enter", "\r", () => reached.length > before);
});

await check("keyboard: field, Allow, Deny, in this order; a screen reader meets names for all of them", async () => {
  await browser.open(address(loopback));
  await browser.focused("password");
  const stops = ["password"];
  for (let presses = 0; presses < 2; presses += 1) {
    const here = await browser.run("document.activeElement.outerHTML");
    await browser.press("Tab", undefined, async () => (await browser.run("document.activeElement.outerHTML")) !== here);
    stops.push(await browser.run("document.activeElement.textContent"));
  }
  assert.deepEqual(stops, ["password", "Allow", "Deny"]);
  const spoken = await browser.spoken();
  for (const wanted of ["heading: Give “Browser spec” access to this server?", "textbox: Server token", "button: Allow", "button: Deny"]) {
    assert.ok(spoken.includes(wanted), `${wanted} in ${spoken.join(" | ")}`);
  }
  assert.equal(await browser.run("document.documentElement.lang"), "en");
});

// What is wrong with the page as it is laid out now: text that is hard to read (contrast by WCAG 2, of every visible text and
// of the ring around what has the focus, against the nearest background behind it), and anything that is cut off.
const FAULTS = `(() => {
  const parse = (color) => (color.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const ratio = (color, node) => {
    const [a, b] = [light(parse(color)), light(behind(node))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const bad = [];
  for (const node of document.querySelectorAll("main *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (own && ratio(getComputedStyle(node).color, node) < 4.5) bad.push("contrast of " + node.textContent.slice(0, 30));
    if (node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0 && !node.closest("svg")) bad.push("cut off: " + node.outerHTML.slice(0, 60));
  }
  const focused = document.activeElement;
  if (focused !== document.body) {
    const { outlineStyle, outlineColor, outlineWidth } = getComputedStyle(focused);
    if (outlineStyle === "none" || parseFloat(outlineWidth) < 2) bad.push("focus is not seen");
    else if (ratio(outlineColor, focused.parentElement) < 3) bad.push("focus is hardly seen");
  }
  for (const node of document.querySelectorAll("button, a, input[type=password]")) {
    if (node.getBoundingClientRect().height < 44) bad.push("too small for a finger: " + node.outerHTML.slice(0, 60));
  }
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) bad.push("scrolls sideways by " + (root.scrollWidth - root.clientWidth));
  if (root.lang !== "en" || !/ · Sandstorm$/.test(document.title)) bad.push("language or title");
  if (document.querySelectorAll("h1").length !== 1 || document.querySelectorAll("main").length !== 1) bad.push("landmarks");
  if (document.scripts.length) bad.push("a script");
  return bad;
})()`;

// A phone, the narrowest that WCAG asks for (1.4.10), a desktop, and both at twice the size.
const SCREENS = [[390, 844], [320, 568], [1280, 860], [195, 422], [640, 430]];

async function fits(name) {
  for (const [width, height] of SCREENS) {
    await browser.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    for (const value of ["light", "dark"]) {
      await browser.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
      await browser.painted();
      assert.deepEqual(await browser.run(FAULTS), [], `${name}, ${width} ${value}`);
      const back = await browser.run("getComputedStyle(document.body).backgroundColor");
      assert.equal(value === "dark", Number(back.match(/\d+/)[0]) < 128);
    }
  }
  await browser.send("Emulation.clearDeviceMetricsOverride");
  await browser.send("Emulation.setEmulatedMedia", { features: [] });
}

const heading = () => browser.run("document.querySelector('h1')?.textContent ?? ''");

// Sends the form as a click would, with another content.
async function submit(changes) {
  for (const [name, value] of Object.entries(changes)) {
    await browser.run(`document.forms[0].elements[${JSON.stringify(name)}].value = ${JSON.stringify(value)}`);
  }
  await browser.run("document.querySelector('button.go').click()");
}

const PAGES = {
  consent: () => browser.open(address(CUSTOM)),
  "a long name and an address without end": async () => {
    const redirect = `com.example.app:/${"way-".repeat(200)}`;
    const long = await post("/oauth/register", JSON.stringify({ client_name: "W".repeat(100), redirect_uris: [redirect] }), "application/json");
    await browser.open(address(redirect).replace(/client_id=[^&]*/, `client_id=${long.client_id}`));
  },
  "a name in another direction, with marks": async () => {
    const name = `\u05d0\u05d1\u202eevil${"\u0301".repeat(20)}`;
    const turned = await post("/oauth/register", JSON.stringify({ client_name: name, redirect_uris: [httpsCallback] }), "application/json");
    await browser.open(address(httpsCallback).replace(/client_id=[^&]*/, `client_id=${turned.client_id}`));
    // The marks pile up to the height of the page; they must not reach what stands above.
    assert.equal(await browser.run("getComputedStyle(document.querySelector('h1')).overflowY"), "clip");
  },
  "wrong token": async () => {
    await browser.open(address(loopback));
    await submit({ password: "wrong" });
    await browser.until(() => browser.run("!!document.querySelector('[role=alert]')"));
    const told = await browser.run(`document.querySelector("#password").getAttribute("aria-describedby").split(" ")
      .map((id) => document.getElementById(id).textContent).join(" ")`);
    assert.match(told, /not the token of this server.*SANDSTORM_MCP_TOKEN/);
    assert.equal(await browser.run("document.querySelector('#password').getAttribute('aria-invalid')"), "true");
  },
  "damaged form": async () => {
    await browser.open(address(loopback));
    await submit({ request: "x", password: "x" });
    await browser.until(async () => /not valid/.test(await heading()));
  },
  "unknown client": () => browser.open(address(loopback).replace(/client_id=[^&]*/, "client_id=nobody")),
  "unregistered address": () => browser.open(address(`https://evil.example/${"steal".repeat(100)}`)),
  "undescribed client": () => browser.open(address(loopback).replace(/client_id=[^&]*/,
    `client_id=${encodeURIComponent("https://127.0.0.1:1/client.json")}`)),
};

for (const [name, reach] of Object.entries(PAGES)) {
  await check(`page fits every screen, light and dark, and can be read: ${name}`, async () => {
    await reach();
    await fits(name);
  });
}

await check("A38 another page can neither frame the form nor send it", async () => {
  await browser.open(`data:text/html,${encodeURIComponent(`<iframe src="${address(loopback)}"></iframe>`)}`);
  const frames = await browser.send("Page.getFrameTree");
  const inner = frames.frameTree.childFrames?.[0]?.frame;
  assert.ok(!inner || !inner.url.startsWith(origin) || inner.unreachableUrl, JSON.stringify(inner));
  await browser.open(`data:text/html,${encodeURIComponent(`<form method=post action="${origin}/oauth/authorize">
    <input name=request value=x><input name=password value="${token}"></form>`)}`);
  await browser.run("document.forms[0].submit()");
  await browser.until(async () => /another page|not valid/.test(await browser.run("document.body?.textContent ?? ''")));
});

await check("A40 no cookie, no script, nothing loaded from elsewhere", async () => {
  await browser.open(address(loopback));
  assert.equal((await browser.send("Network.getCookies")).cookies.length, 0);
  const asked = browser.events.filter((event) => event.method === "Network.requestWillBeSent").map((event) => event.params.request.url);
  assert.ok(asked.every((url) => url.startsWith(`${origin}/oauth/authorize`) || url === `${origin}/favicon.ico`), asked.join("\n"));
  assert.equal(await browser.run("document.scripts.length"), 0);
});

// Last: how a browser treats a scheme that no app handles is its own affair.
await check("A39 A40 the click on Allow leads to the scheme of an app", async () => {
  await browser.open(address(CUSTOM));
  await browser.focused("password");
  await browser.fill(token);
  await browser.run("document.querySelector('button.go').click()");
  const location = await browser.until(() => browser.locations().find((place) => place.startsWith("cursor://")));
  assert.ok((await exchange(codeOf(location), CUSTOM)).access_token);
  assert.deepEqual(browser.complaints(), []);
});

// The very last: after it this network may not try again for a minute.
await check("A53 too many wrong tokens are a page as well", async () => {
  for (let tries = 0; tries < 6 && !/Too many/.test(await heading()); tries += 1) {
    await browser.open(address(loopback));
    await submit({ password: "wrong" });
    await browser.until(async () => (await browser.run("!!document.querySelector('[role=alert]')")) || /Too many/.test(await heading()));
  }
  assert.match(await heading(), /Too many wrong tokens/);
  await fits("rate-limited");
});

await browser.stop();
app.close();
process.exit(failed === 0 ? 0 : 1);
