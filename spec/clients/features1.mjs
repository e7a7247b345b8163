// Everything with the SDK of the handshake era. The argument is the transport: "http" or "stdio".
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as types from "@modelcontextprotocol/sdk/types.js";
import { check, finish, headers, url } from "./checks.mjs";
import { answers, capabilities, checkFeatures, inbox } from "./features.mjs";

const SCHEMAS = {
  "elicitation/create": types.ElicitRequestSchema,
  "sampling/createMessage": types.CreateMessageRequestSchema,
  "roots/list": types.ListRootsRequestSchema,
};

const client = new Client({ name: "spec-sdk1", version: "1.0.0" }, { capabilities });
const heard = inbox();
for (const [method, schema] of Object.entries(SCHEMAS)) client.setRequestHandler(schema, (request) => answers[method](request.params));
client.fallbackNotificationHandler = async (notification) => heard.put(notification);

const transport = process.argv[2] === "stdio"
  ? new StdioClientTransport({ command: process.env.SANDSTORM_PROGRAM, args: ["stdio", "--tools", process.env.SANDSTORM_FIXTURE] })
  : new StreamableHTTPClientTransport(url, { requestInit: { headers } });

await check("connect", () => client.connect(transport));
await check("ping", () => client.ping());
await checkFeatures(client, {
  heard,
  resumes: process.argv[2] === "http",
  listen: (uri) => client.subscribeResource({ uri }),
  logs: {
    ask: (level) => client.setLoggingLevel(level),
    meta: undefined,
    options: (options) => [undefined, options],
  },
});
await check("a subscription ends", async () => {
  await client.unsubscribeResource({ uri: "test://text" });
  await client.callTool({ name: "touch", arguments: { name: "test://text" } });
  await client.callTool({ name: "switch", arguments: {} });
  await heard.next("notifications/tools/list_changed");
  assert.equal(heard.count("notifications/resources/updated"), 0);
  await client.callTool({ name: "switch", arguments: {} });
});
await check("close", async () => {
  if (transport.terminateSession) await transport.terminateSession();
  await client.close();
});
finish();
