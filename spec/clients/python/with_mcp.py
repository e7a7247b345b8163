"""Everything with the package mcp. Arguments: the transport, "http" or "stdio", and the era, "auto" or "legacy"."""

import asyncio
import sys

import httpx2
from mcp import Client, StdioServerParameters, stdio_client, types
from mcp.client.streamable_http import streamable_http_client

from checks import ARGS, ODD, PROGRAM, TOKEN, URL, check, finish, is_bytes, text

KIND, MODE = sys.argv[1:]
logged, heard = [], asyncio.Queue()


async def elicit(context, params):
    assert params.message == "Name?"
    return types.ElicitResult(action="accept", content={"name": "Ann"})


async def sample(context, params):
    return types.CreateMessageResult(role="assistant", model="spec", content=types.TextContent(type="text", text="heard"))


async def roots(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///spec")])


async def log(params):
    logged.append(params.level)


async def message(incoming):
    method = getattr(incoming, "method", None)
    if method:
        await heard.put(method)


def transport():
    if KIND == "stdio":
        return stdio_client(StdioServerParameters(command=PROGRAM, args=ARGS))
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"})
    return streamable_http_client(URL, http_client=http)


async def lists(client):
    names, cursor = [], None
    while True:
        page = await client.list_tools(cursor=cursor)
        names += [tool.name for tool in page.tools]
        cursor = page.next_cursor
        if not cursor:
            break
    assert "many_120" in names and len(set(names)) == len(names)
    assert any(str(r.uri) == "test://text" for r in (await client.list_resources()).resources)
    assert (await client.list_resource_templates()).resource_templates[0].uri_template == "test://item/{id}"
    assert any(p.name == "greet" for p in (await client.list_prompts()).prompts)


async def contents(client):
    result = await client.call_tool("contents")
    assert [item.type for item in result.content] == ["text", "audio", "image", "resource_link", "resource"]
    assert is_bytes(result.content[2].data, b"PNG")
    assert result.structured_content == {"n": 1}
    assert text(await client.call_tool("echo", {"text": ODD})) == ODD
    assert (await client.read_resource("test://item/7")).contents[0].text == "7 of test://item/7"
    prompt = await client.get_prompt("greet", {"name": "Ann"})
    assert prompt.messages[0].content.text == "Hello Ann"
    ref = types.ResourceTemplateReference(type="ref/resource", uri="test://item/{id}")
    assert len((await client.complete(ref, {"name": "id", "value": "a"})).completion.values) == 100


async def progress(client):
    steps = []

    async def step(value, total, message):
        steps.append(value)

    await client.call_tool("progress", progress_callback=step)
    assert steps == [0, 5, 10], steps


async def questions(client):
    assert text(await client.call_tool("ask", {"name": f"python {KIND} {MODE}"})).startswith("accept Ann")
    assert text(await client.call_tool("ask_model")) == "heard"
    assert text(await client.call_tool("ask_roots")) == "file:///spec"


async def logging(client):
    if MODE == "legacy":
        await client.set_logging_level("warning")
    await client.call_tool("log")
    assert logged == ["warning", "error"], logged


async def changes(client):
    if MODE == "legacy":
        await client.subscribe_resource("test://text")
        await client.call_tool("touch", {"name": "test://text"})
        while await heard.get() != "notifications/resources/updated":
            pass
        return
    async with client.listen(resource_subscriptions=["test://text"]) as subscription:
        await client.call_tool("touch", {"name": "test://text"})
        async for event in subscription:
            assert "test://text" in repr(event)
            break


async def main():
    options = {} if MODE == "legacy" else {"log_level": "warning"}
    async with Client(
        transport(), mode=MODE, elicitation_callback=elicit, sampling_callback=sample, list_roots_callback=roots,
        logging_callback=log, message_handler=message, **options,
    ) as client:
        modern = MODE == "auto"
        await check(f"connected with {client.protocol_version}", lambda: asyncio.sleep(0))
        assert (client.protocol_version == "2026-07-28") == modern
        for work in (lists, contents, progress, questions, logging, changes):
            await check(work.__name__, lambda: asyncio.wait_for(work(client), 30))


asyncio.run(main())
finish()
