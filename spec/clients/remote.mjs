// mcp-remote as a host runs it: stdio in front, OAuth behind. The person is consent.mjs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { check, finish, url } from "./checks.mjs";
import { consent } from "./consent.mjs";

const proxy = spawn(process.execPath, ["node_modules/mcp-remote/dist/proxy.js", String(url), "--allow-http", "--transport", "http-only"],
  { cwd: import.meta.dirname, stdio: ["pipe", "pipe", "pipe"] });
const answers = new Map();
createInterface({ input: proxy.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  answers.get(message.id)?.(message);
});
let log = "";
const asked = new Promise((resolve) => createInterface({ input: proxy.stderr }).on("line", (line) => {
  log += `${line}\n`;
  const found = /(http:\/\/\S+\/oauth\/authorize\?\S+)/.exec(line);
  if (found) resolve(found[1]);
}));
const ended = new Promise((_, reject) => proxy.on("exit", (code) => reject(new Error(`mcp-remote ended with ${code}\n${log}`))));
ended.catch(() => {});
let last = 0;
const call = (method, params) => {
  const id = ++last;
  const answer = new Promise((resolve) => answers.set(id, resolve));
  proxy.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  return Promise.race([answer, ended]);
};

await check("asks for consent and returns to its callback", async () => {
  const back = await consent(await Promise.race([asked, ended]), process.env.SANDSTORM_TOKEN);
  assert.equal(back.hostname, "localhost");
  assert.equal((await fetch(back)).status, 200);
});
await check("initialize and tools/list through it", async () => {
  const hello = await call("initialize", {
    protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "spec-host", version: "1" },
  });
  assert.equal(hello.result.serverInfo.name, "sandstorm");
  proxy.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  assert.ok((await call("tools/list", {})).result.tools.length > 5);
});
proxy.removeAllListeners("exit");
proxy.kill();
finish();
