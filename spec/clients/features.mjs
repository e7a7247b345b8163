// What a client can do with a server that offers everything (spec/fixtures/tools/protocol.lua), for both SDKs.
import assert from "node:assert/strict";
import { check } from "./checks.mjs";

export const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };

let declines = 0; // how many of the next questions the user declines

// What the client answers to the server's questions, by method.
export const answers = {
  "elicitation/create": (params) => {
    if (declines > 0) {
      declines -= 1;
      return { action: "decline" };
    }
    if (params.mode === "url") {
      assert.equal(params.url, "https://example.com/login");
      return { action: "accept" };
    }
    assert.equal(params.message, "Name?");
    return { action: "accept", content: { name: "Ann" } };
  },
  "sampling/createMessage": (params) => ({
    role: "assistant", model: "spec", content: { type: "text", text: `heard ${params.messages[0].content.text}` },
  }),
  "roots/list": () => ({ roots: [{ uri: "file:///spec", name: "spec" }] }),
};

const textOf = (result) => result.content[0].text;

async function all(list, member) {
  const found = [];
  let cursor;
  do {
    const page = await list(cursor === undefined ? {} : { cursor });
    found.push(...page[member]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

// A queue of notifications: `next(method)` waits for one.
export function inbox() {
  const kept = [];
  let wake = () => {};
  return {
    put(notification) {
      kept.push(notification);
      wake();
    },
    count: (method) => kept.filter((notification) => notification.method === method).length,
    async next(method) {
      for (;;) {
        const at = kept.findIndex((notification) => notification.method === method);
        if (at >= 0) return kept.splice(at, 1)[0];
        await new Promise((resolve) => { wake = resolve; });
      }
    },
  };
}

// `client` is connected and answers questions; `heard` gets its notifications. `listen(uri)` makes it hear of lists and
// of a resource, in the way of its era.
export async function checkFeatures(client, { heard, listen, logs, resumes }) {
  const call = (name, args = {}, options) => client.callTool({ name, arguments: args }, ...options ?? []);

  await check("tools/list goes on over pages", async () => {
    const names = (await all((page) => client.listTools(page), "tools")).map((tool) => tool.name);
    assert.ok(names.includes("echo") && names.includes("many_120"));
    assert.equal(new Set(names).size, names.length);
  });
  await check("every kind of content", async () => {
    const result = await call("contents");
    assert.deepEqual(result.content.map((item) => item.type), ["text", "audio", "image", "resource_link", "resource"]);
    assert.equal(Buffer.from(result.content[2].data, "base64").toString(), "PNG");
    assert.deepEqual(result.structuredContent, { n: 1 });
  });
  await check("text that ends lines and events for careless readers", async () => {
    const odd = "a\nb\rc\u2028d\u2029e\u0085f\u001b[0m\ndata: x\r\n\r\nevent: y\u0000";
    assert.equal(textOf(await call("echo", { text: odd })), odd);
  });
  await check("resources", async () => {
    const uris = (await all((page) => client.listResources(page), "resources")).map((resource) => resource.uri);
    assert.ok(uris.includes("test://text"));
    assert.equal((await client.readResource({ uri: "test://text" })).contents[0].text, "text");
    const blob = (await client.readResource({ uri: "test://blob" })).contents[0];
    assert.deepEqual([...Buffer.from(blob.blob, "base64")], [0, 255]);
    const templates = await all((page) => client.listResourceTemplates(page), "resourceTemplates");
    assert.equal(templates[0].uriTemplate, "test://item/{id}");
    assert.equal((await client.readResource({ uri: "test://item/7" })).contents[0].text, "7 of test://item/7");
    await assert.rejects(() => client.readResource({ uri: "test://nope" }));
  });
  await check("prompts", async () => {
    const prompts = await all((page) => client.listPrompts(page), "prompts");
    assert.ok(prompts.some((prompt) => prompt.name === "greet" && prompt.arguments[0].required));
    const prompt = await client.getPrompt({ name: "greet", arguments: { name: "Ann" } });
    assert.equal(prompt.messages[0].content.text, "Hello Ann");
    assert.equal(prompt.messages[1].role, "assistant");
  });
  await check("completion", async () => {
    const { completion } = await client.complete({
      ref: { type: "ref/resource", uri: "test://item/{id}" }, argument: { name: "id", value: "a" },
    });
    assert.equal(completion.values.length, 100);
    assert.equal(completion.hasMore, true);
  });
  await check("progress", async () => {
    const steps = [];
    await client.callTool({ name: "progress", arguments: {} }, ...logs.options({ onprogress: (step) => steps.push(step.progress) }));
    assert.deepEqual(steps, [0, 5, 10]);
  });
  await check("logging", async () => {
    await logs.ask("warning");
    await client.callTool({ name: "log", arguments: {}, _meta: logs.meta }, ...logs.options({}));
    assert.equal((await heard.next("notifications/message")).params.level, "warning");
    assert.equal((await heard.next("notifications/message")).params.level, "error");
  });
  await check("questions to the user, the model and for roots", async () => {
    assert.match(textOf(await call("ask")), /^accept Ann/);
    assert.equal(textOf(await call("ask_model")), "heard Hello");
    assert.equal(textOf(await call("ask_roots")), "file:///spec");
    assert.equal(textOf(await call("ask_open")), "accept");
    declines = 1;
    assert.match(textOf(await call("ask")), /^decline/);
  });
  await check("a question of a prompt and of a resource", async () => {
    assert.equal((await client.readResource({ uri: "test://ask" })).contents[0].text, "Ann");
    assert.equal((await client.getPrompt({ name: "ask" })).messages[0].content.text, "Hello Ann");
  });
  await check("the answer of a call that lets its client go", async () => {
    const tokens = [];
    const result = await client.callTool(
      { name: "come_back", arguments: {} }, ...logs.options({ onresumptiontoken: (token) => tokens.push(token) }));
    assert.equal(textOf(result), "back");
    assert.equal(tokens.length > 0, resumes);
  });
  await check("errors of the protocol, and of tools", async () => {
    await assert.rejects(() => call("nope"), (error) => error.code === -32602);
    await assert.rejects(() => call("refuse"), (error) => error.code === -32000 && error.data.why === "spec");
    assert.equal((await call("echo")).isError, true);
    await assert.rejects(() => client.getPrompt({ name: "greet" }), (error) => error.code === -32602);
  });
  await check("what changes is heard of", async () => {
    await listen("test://text");
    await call("touch", { name: "test://text" });
    assert.equal((await heard.next("notifications/resources/updated")).params.uri, "test://text");
    await call("switch");
    for (const kind of ["tools", "prompts", "resources"]) await heard.next(`notifications/${kind}/list_changed`);
    const names = (await all((page) => client.listTools(page), "tools")).map((tool) => tool.name);
    assert.ok(names.includes("switched"));
    await call("switch");
  });
  await check("a call is cancelled", async () => {
    const stop = new AbortController();
    const name = `cancelled by ${process.argv.slice(2).join(" ")}`;
    const asleep = client.callTool({ name: "sleep", arguments: { name } }, ...logs.options({ signal: stop.signal }));
    asleep.catch(() => {});
    const fate = async () => textOf(await call("fate", { name }));
    const until = async (wanted) => { while ((await fate()) !== wanted) await new Promise((wait) => setTimeout(wait, 5)); };
    await until("began -");
    stop.abort();
    await assert.rejects(() => asleep);
    await until("began closed");
  });
}
