// The SDK of both eras: @modelcontextprotocol/client. The argument is the era to speak: "modern" or "legacy".
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { check, checkTools, finish, headers, url } from "./checks.mjs";

const era = process.argv[2];
const mode = { modern: "auto", legacy: "legacy" }[era];
const client = new Client({ name: "spec-sdk2", version: "1.0.0" }, { versionNegotiation: { mode } });

await check(`connect, speaking ${era}`, async () => {
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  assert.equal(client.getProtocolEra(), era);
  assert.equal(client.getServerVersion().name, "sandstorm");
});
await checkTools(client);
await check("close", () => client.close());
finish();
