// What a person does in the browser, without one: opens the page, enters the token, and follows the way back.
import assert from "node:assert/strict";

export async function consent(authorizationUrl, token) {
  const page = await fetch(authorizationUrl);
  assert.equal(page.status, 200, await page.clone().text());
  const request = /name="request" value="([^"]+)"/.exec(await page.text())[1];
  const answer = await fetch(new URL("/oauth/authorize", authorizationUrl), {
    method: "POST",
    redirect: "manual",
    headers: { Origin: new URL(authorizationUrl).origin },
    body: new URLSearchParams({ request, password: token, decision: "allow" }),
  });
  assert.equal(answer.status, 302);
  return new URL(answer.headers.get("location"));
}

// A provider as applications write it: keeps everything in memory.
export class Provider {
  constructor(redirectUrl, extra = {}) {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: "spec", redirect_uris: [redirectUrl], grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"], token_endpoint_auth_method: "none", ...extra,
    };
  }
  state() { return "spec-state"; }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; this.saved = (this.saved ?? 0) + 1; }
  redirectToAuthorization(url) { this.authorizationUrl = url; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
}
