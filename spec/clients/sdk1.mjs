// The SDK of the handshake era: @modelcontextprotocol/sdk.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { check, checkTools, finish, headers, url } from "./checks.mjs";

const client = new Client({ name: "spec-sdk1", version: "1.0.0" });

await check("connect", async () => {
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  assert.equal(client.getServerVersion().name, "sandstorm");
});
await check("ping", () => client.ping());
await checkTools(client);
await check("a wrong bearer is refused", async () => {
  const stranger = new Client({ name: "spec-stranger", version: "1.0.0" });
  const requestInit = { headers: { Authorization: "Bearer wrong" } };
  await assert.rejects(() => stranger.connect(new StreamableHTTPClientTransport(url, { requestInit })));
});
await check("close", () => client.close());
finish();
