// Claude Code as people use it on a host without a browser: adds the server, signs in, lists, signs out. The person is
// consent.mjs. It finds nothing but loopback: every other address goes to a proxy that is not there.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { check, finish, url } from "./checks.mjs";
import { consent } from "./consent.mjs";

const home = process.argv[2];
const packages = `${import.meta.dirname}/node_modules/@anthropic-ai`;
const program = `${packages}/${readdirSync(packages).find((name) => name.startsWith("claude-code-linux-"))}/claude`;
const nowhere = "http://127.0.0.1:1";
const env = {
  PATH: process.env.PATH, HOME: home, TERM: "xterm", HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: "127.0.0.1,localhost",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1",
};

// Runs a command; `heard` gets everything that it has printed so far, whenever there is more.
function run(command, args, heard = () => {}) {
  const child = spawn(command, args, { cwd: home, env, stdio: ["pipe", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes) => {
      text += bytes;
      heard(text);
    });
  }
  return new Promise((resolve) => child.on("exit", (code) => resolve({ code, text })));
}

const claude = (...words) => run(program, ["mcp", ...words]);
const state = async () => (await claude("list")).text;

await check("adds the server, and finds that it has to sign in", async () => {
  assert.equal((await claude("add", "--transport", "http", "sandstorm", String(url))).code, 0);
  assert.match(await state(), /sandstorm.*Needs authentication/);
});
await check("signs in, with the address on a terminal", async () => {
  let answered;
  const { code, text } = await run("script", ["-qfec", `${program} mcp login sandstorm --no-browser`, "/dev/null"], (said) => {
    const found = /(http:\/\/127[^\s\u0007\u001b]*\/oauth\/authorize\?[^\s\u0007\u001b]+)[\s\u0007\u001b]/.exec(said);
    if (!found || answered) return;
    answered = consent(found[1], process.env.SANDSTORM_TOKEN).then((back) => fetch(back));
    answered.catch((error) => { console.log(error); process.exit(1); });
  });
  assert.equal(code, 0, text);
  assert.equal((await answered).status, 200);
});
await check("is connected then", async () => assert.match(await state(), /sandstorm.*Connected/));
await check("signs out", async () => {
  assert.equal((await claude("logout", "sandstorm")).code, 0);
  assert.match(await state(), /sandstorm.*Needs authentication/);
});
finish();
