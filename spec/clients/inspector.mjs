// The Inspector's command line as an OAuth client: node inspector.mjs CALLBACK_PORT HOME. The person is consent.mjs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { check, finish, url } from "./checks.mjs";
import { consent } from "./consent.mjs";

const [port, home] = process.argv.slice(2);
const cli = `${import.meta.dirname}/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`;
const callback = `http://127.0.0.1:${port}/oauth/callback`;

// `--method tools/list`; answers what it printed, and the address that it sent the person to.
function list() {
  const child = spawn(process.execPath, [cli, "--cli", String(url), "--transport", "http", "--callback-url", callback, "--method", "tools/list"], {
    cwd: home, stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: home, MCP_AUTO_OPEN_ENABLED: "true", MCP_INSPECTOR_SECRET_STORE: "memory" },
  });
  const said = { stdout: "", stderr: "" };
  let asked;
  for (const name of ["stdout", "stderr"]) {
    child[name].on("data", (bytes) => {
      said[name] += bytes;
      const found = /(http:\/\/127\S+\/oauth\/authorize\?\S+)\s/.exec(said.stdout + said.stderr);
      if (!found || asked) return;
      asked = found[1];
      consent(asked, process.env.SANDSTORM_TOKEN).then((back) => fetch(back)).catch((error) => {
        said.stderr += error.stack;
        child.kill();
      });
    });
  }
  return new Promise((resolve) => child.on("exit", (code) => resolve({ code, asked, ...said })));
}

await check("registers, is led to the consent page, and lists the tools", async () => {
  const { code, asked, stdout, stderr } = await list();
  assert.equal(code, 0, stdout + stderr);
  assert.equal(new URL(asked).searchParams.get("redirect_uri"), callback);
  assert.equal(new URL(asked).searchParams.get("resource"), String(url));
  assert.ok(JSON.parse(stdout.slice(stdout.indexOf('{\n  "tools"'))).tools.length > 5, stdout);
});
finish();
