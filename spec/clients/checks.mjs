// What every client does with the server: lists the tools and calls each of them. Prints a line a check.
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";

const NAMES = [
  "file_delete", "file_list", "file_mkdir", "file_move", "file_read", "file_write",
  "terminal_exec", "terminal_exec_background", "terminal_kill",
  "workspace_info", "workspace_install",
];

let failed = 0;

export async function check(name, work) {
  try {
    await work();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n        ${String(error.stack ?? error).replaceAll("\n", "\n        ")}`);
  }
}

// Ends the process; the exit code says whether all checks held.
export function finish() {
  process.exit(failed === 0 ? 0 : 1);
}

export const url = new URL(process.env.SANDSTORM_URL);
export const headers = { Authorization: `Bearer ${process.env.SANDSTORM_TOKEN}` };
const workspace = process.env.SANDSTORM_WORKSPACE;

const exists = (path) => stat(path).then(() => true, () => false);

function textOf(result) {
  assert.equal(result.content.length, 1);
  assert.equal(result.content[0].type, "text");
  return result.content[0].text;
}

function checkDefinition(tool) {
  assert.ok(tool.title, "has a title");
  assert.ok(tool.description, "has a description");
  for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) {
    assert.equal(typeof tool.annotations?.[hint], "boolean", hint);
  }
  assert.equal(tool.inputSchema.type, "object");
  assert.equal(tool.outputSchema.type, "object");
}

// `client` is connected. The SDK itself checks structured content against the tool's output schema and throws.
export async function checkTools(client) {
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name} failed: ${JSON.stringify(result.content)}`);
    assert.equal(typeof result.structuredContent, "object", `${name} gives structured content`);
    return result;
  };

  await check("tools/list names the tools and defines each fully", async () => {
    const { tools } = await client.listTools();
    const offered = tools.map((tool) => tool.name).sort();
    for (const name of NAMES) assert.ok(offered.includes(name), `${name} is offered`);
    tools.forEach(checkDefinition);
  });

  await check("file_write writes bytes", async () => {
    const result = await call("file_write", { path: "d/a.txt", content: "héllo\n" });
    assert.equal(textOf(result), `Written 7 bytes to ${workspace}/d/a.txt`);
    assert.equal(await readFile(`${workspace}/d/a.txt`, "utf8"), "héllo\n");
  });

  await check("file_read reads them back", async () => {
    const result = await call("file_read", { path: "d/a.txt" });
    assert.equal(textOf(result), "héllo\n");
    assert.equal(result.structuredContent.result, "héllo\n");
  });

  await check("file_mkdir makes a folder", async () => {
    assert.equal(textOf(await call("file_mkdir", { path: "e/f" })), `Created directory ${workspace}/e/f`);
    assert.ok((await stat(`${workspace}/e/f`)).isDirectory());
  });

  await check("file_move renames", async () => {
    const result = await call("file_move", { source: "d/a.txt", dest: "e/b.txt" });
    assert.equal(textOf(result), `Moved ${workspace}/d/a.txt → ${workspace}/e/b.txt`);
    assert.ok(!(await exists(`${workspace}/d/a.txt`)));
    assert.equal(await readFile(`${workspace}/e/b.txt`, "utf8"), "héllo\n");
  });

  await check("file_list lists", async () => {
    assert.match(textOf(await call("file_list", { path: "e" })), / b\.txt\n/);
  });

  await check("file_delete removes", async () => {
    assert.equal(textOf(await call("file_delete", { path: "e/b.txt" })), `Deleted ${workspace}/e/b.txt`);
    assert.ok(!(await exists(`${workspace}/e/b.txt`)));
  });

  await check("terminal_exec gives output and exit code", async () => {
    const result = await call("terminal_exec", { command: "echo out; echo err >&2" });
    assert.equal(textOf(result), "stdout:\nout\n\n\nstderr:\nerr\n\n\nexit_code: 0");
    assert.equal(result.structuredContent.stdout, "out\n");
    assert.equal(result.structuredContent.stderr, "err\n");
    assert.equal(result.structuredContent.exit_code, 0);
    assert.equal(result.structuredContent.timed_out, false);
  });

  await check("terminal_exec reports a failing command as an error", async () => {
    const result = await client.callTool({ name: "terminal_exec", arguments: { command: "exit 3" } });
    assert.equal(result.isError, true);
    assert.equal(textOf(result), "exit_code: 3");
  });

  await check("terminal_exec_background and terminal_kill", async () => {
    const started = textOf(await call("terminal_exec_background", { command: "exec sleep 600" }));
    const pid = Number(started.match(/^PID: (\d+)\n/)[1]);
    assert.ok(await exists(`/proc/${pid}`));
    assert.equal(textOf(await call("terminal_kill", { pid })), `Sent SIGTERM to ${pid}`);
    for (let left = 1000; left > 0 && (await exists(`/proc/${pid}`)); left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.ok(!(await exists(`/proc/${pid}`)), "the process is gone and reaped");
  });

  await check("workspace_info", async () => {
    const text = textOf(await call("workspace_info", {}));
    assert.match(text, /^=== OS ===\n/);
    assert.match(text, new RegExp(`\n=== CWD ===\n${workspace}\n`));
  });

  // The spec puts an npm of its own first in PATH, which prints its arguments.
  await check("workspace_install passes package names as arguments", async () => {
    const text = textOf(await call("workspace_install", { packages: "left-pad is-odd", manager: "npm" }));
    assert.equal(text, "npm [install] [left-pad] [is-odd]");
  });

  await check("a missing argument is told, not thrown", async () => {
    const result = await client.callTool({ name: "file_read", arguments: {} });
    assert.equal(result.isError, true);
    assert.match(textOf(result), /path/);
  });

  await check("an unknown tool is a protocol error that names the nearest", async () => {
    await assert.rejects(
      () => client.callTool({ name: "file_raed", arguments: {} }),
      (error) => error.code === -32602 && /file_read/.test(error.message),
    );
  });
}
