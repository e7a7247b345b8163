// Both generations of the SDK as OAuth clients: node oauth.mjs sdk1|sdk2 [token_endpoint_auth_method]
import assert from "node:assert/strict";
import { check, finish, url } from "./checks.mjs";
import { consent, Provider } from "./consent.mjs";

const [generation, method = "none"] = process.argv.slice(2);
const token = process.env.SANDSTORM_TOKEN;
const sdk = generation === "sdk1"
  ? { ...await import("@modelcontextprotocol/sdk/client/index.js"), ...await import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      ...await import("@modelcontextprotocol/sdk/client/auth.js") }
  : await import("@modelcontextprotocol/client");

const provider = new Provider("http://localhost:4711/callback", { token_endpoint_auth_method: method });
const make = () => new sdk.Client({ name: "spec-oauth", version: "1.0.0" });
const open = () => new sdk.StreamableHTTPClientTransport(url, { authProvider: provider });
const first = open();

await check("A17 A18 an unknown client is led to the consent page", async () => {
  await assert.rejects(() => make().connect(first), (error) => error.name === "UnauthorizedError" || error instanceof sdk.UnauthorizedError);
  assert.equal(provider.authorizationUrl.pathname, "/oauth/authorize");
  assert.equal(provider.authorizationUrl.searchParams.get("resource"), String(url));
  assert.equal(provider.client.token_endpoint_auth_method, method);
});
await check("the code becomes tokens", async () => {
  const back = await consent(provider.authorizationUrl, token);
  assert.equal(back.searchParams.get("state"), "spec-state");
  await first.finishAuth(generation === "sdk2" ? back.searchParams : back.searchParams.get("code"));
  assert.ok(provider.kept.access_token && provider.kept.refresh_token);
});
await check("connects and lists the tools", async () => {
  const client = make();
  await client.connect(open());
  assert.ok((await client.listTools()).tools.length > 5);
  await client.close();
});
await check("a token that ended is refreshed without a person", async () => {
  const saved = provider.saved;
  provider.kept = { ...provider.kept, access_token: "ended" };
  const client = make();
  await client.connect(open());
  await client.listTools();
  assert.equal(provider.saved, saved + 1);
  await client.close();
});
finish();
