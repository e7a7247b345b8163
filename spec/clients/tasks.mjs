// Tasks with the SDK of both eras and the client package of the tasks extension, which checks every message against the
// extension's own schemas. The package sends through the host; here that is fetch.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import {
  isCreateTaskResultV2, isDetailedTaskV2, isTaskStatusNotificationV2, withTaskCapabilityV2,
} from "@modelcontextprotocol/ext-tasks/core/v2";
import { check, finish, headers, url } from "./checks.mjs";

const VERSION = "2026-07-28";
const clientInfo = { name: "spec-tasks", version: "1.0.0" };
const clientCapabilities = { elicitation: {} };
const client = new Client(clientInfo, { capabilities: clientCapabilities, versionNegotiation: { mode: "auto" } });

let last = 0;
const post = (request, signal) => fetch(url, {
  method: "POST", signal, body: JSON.stringify({ jsonrpc: "2.0", id: ++last, ...request }),
  headers: {
    ...headers, "Content-Type": "application/json", Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": VERSION, "Mcp-Method": request.method,
    ...(request.params.name ?? request.params.taskId ? { "Mcp-Name": request.params.name ?? request.params.taskId } : {}),
  },
});

const seen = { created: 0, detailed: 0 };
async function rawDispatch(request, options) {
  const text = await (await post(request, options?.signal)).text();
  const message = JSON.parse(text.startsWith("{") ? text : text.match(/^data: (\{.*)$/m)[1]);
  if (message.error) return { kind: "error", error: message.error };
  if (message.result.resultType === "task") {
    assert.ok(isCreateTaskResultV2(message.result), text);
    seen.created += 1;
  }
  if (request.method === "tasks/get") {
    const { _meta, resultType, ...task } = message.result;
    assert.equal(resultType, "complete");
    assert.ok(isDetailedTaskV2(task), text);
    seen.detailed += 1;
  }
  return { kind: "result", result: message.result };
}

await check("connect", async () => {
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  assert.equal(client.getProtocolEra(), "modern");
});
let asked = 0;
const session = createTaskSessionFromClient(client, {
  endpointId: "spec", rawDispatch, v2RequestFraming: { protocolVersion: VERSION, clientInfo, clientCapabilities },
  onInputRequest: async (request) => {
    assert.equal(request.params.message, "Name?");
    asked += 1;
    return { action: "accept", content: { name: "Ann" } };
  },
});
const run = async (name, args) => {
  const execution = await session.callTool(name, args ?? {});
  return { execution, outcome: (await execution.settle()).outcome };
};

await check("a task runs to its result, and says how far it is", async () => {
  const { execution, outcome } = await run("job", { ms: 50 });
  assert.equal(execution.kind, "task");
  assert.equal(resultFromTaskOutcome(outcome).content[0].text, "done");
  assert.equal(outcome.task.statusMessage, "half");
});
await check("a tool that is done at once makes no task", async () => {
  const { execution, outcome } = await run("job_slow", { ms: 1 });
  assert.equal(execution.kind, "immediate");
  assert.equal(resultFromTaskOutcome(outcome).content[0].text, "done");
});
await check("a task asks, one thing and several", async () => {
  assert.equal(resultFromTaskOutcome((await run("job", { ask: true })).outcome).content[0].text, "Ann");
  assert.equal(resultFromTaskOutcome((await run("job_many")).outcome).content[0].text, "Ann Ann Ann");
  assert.equal(asked, 4);
});
await check("a call asks before it becomes a task", async () => {
  const { execution, outcome } = await run("job_later");
  assert.equal(execution.kind, "task");
  assert.equal(resultFromTaskOutcome(outcome).content[0].text, "Ann");
});
await check("a tool that fails, and one that raises an error of the protocol", async () => {
  assert.equal(resultFromTaskOutcome((await run("job_broken")).outcome).isError, true);
  const { outcome } = await run("job_refused");
  assert.equal(outcome.status, "failed");
  assert.equal(outcome.error.code, -32000);
});
await check("a task is cancelled", async () => {
  const execution = await session.callTool("job_asleep", { name: "cancelled by the tasks client" });
  await execution.cancel();
  assert.equal((await session.task(execution.handle.taskId).snapshot()).status, "cancelled");
});
await check("a task is heard of", async () => {
  const execution = await session.callTool("job", { ask: true });
  const stop = new AbortController();
  const taskIds = [execution.handle.taskId];
  const meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION, "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": clientCapabilities,
  };
  const params = withTaskCapabilityV2({ notifications: { taskIds }, _meta: meta });
  const stream = await post({ method: "subscriptions/listen", params }, stop.signal);
  assert.equal(stream.status, 200, stream.status === 200 ? "" : await stream.text());
  const settled = execution.settle();
  const heard = [];
  let text = "";
  for await (const piece of stream.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) heard.push(JSON.parse(event.match(/^data: (.*)$/m)[1]));
    if (heard.some((message) => message.params.status === "completed")) break;
  }
  stop.abort();
  assert.equal(heard.shift().method, "notifications/subscriptions/acknowledged");
  for (const message of heard) assert.ok(isTaskStatusNotificationV2(message), JSON.stringify(message));
  await settled;
});
await check("the messages were those of the extension", async () => {
  assert.ok(seen.created >= 7 && seen.detailed >= 7, JSON.stringify(seen));
});
await check("close", async () => {
  await session.close();
  await client.close();
});
finish();
