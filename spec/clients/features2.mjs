// Everything with the SDK of both eras. The arguments are the transport, "http" or "stdio", and the era, "modern" or
// "legacy".
import assert from "node:assert/strict";
import { Client, LOG_LEVEL_META_KEY, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { check, finish, headers, url } from "./checks.mjs";
import { answers, capabilities, checkFeatures, inbox } from "./features.mjs";

const [kind, era] = process.argv.slice(2);
const mode = { modern: "auto", legacy: "legacy" }[era];
const client = new Client({ name: "spec-sdk2", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
const heard = inbox();
for (const [method, answer] of Object.entries(answers)) client.setRequestHandler(method, (request) => answer(request.params));
client.fallbackNotificationHandler = async (notification) => heard.put(notification);

const transport = kind === "stdio"
  ? new StdioClientTransport({ command: process.env.SANDSTORM_PROGRAM, args: ["stdio", "--tools", process.env.SANDSTORM_FIXTURE] })
  : new StreamableHTTPClientTransport(url, { requestInit: { headers } });

await check(`connect, speaking ${era}`, async () => {
  await client.connect(transport);
  assert.equal(client.getProtocolEra(), era);
});
const everything = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
await checkFeatures(client, {
  heard,
  resumes: kind === "http" && era === "legacy",
  listen: (uri) => era === "modern"
    ? client.listen({ ...everything, resourceSubscriptions: [uri] })
    : client.subscribeResource({ uri }),
  logs: {
    ask: (level) => era === "legacy" && client.setLoggingLevel(level),
    meta: era === "modern" ? { [LOG_LEVEL_META_KEY]: "warning" } : undefined,
    options: (options) => [options],
  },
});
await check("close", () => client.close());
finish();
