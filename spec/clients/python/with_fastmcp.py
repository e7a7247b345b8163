"""Everything with the package fastmcp. Arguments: the transport, "http" or "stdio", and the era, "auto" or "legacy"."""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.exceptions import ToolError

from checks import ARGS, ODD, PROGRAM, TOKEN, URL, check, finish, is_bytes, text

KIND, MODE = sys.argv[1:]


async def elicit(message, response_type, params, context):
    assert message == "Name?"
    return response_type(name="Ann")


async def sample(messages, params, context):
    return "heard"


def transport():
    if KIND == "stdio":
        return StdioTransport(command=PROGRAM, args=ARGS)
    return StreamableHttpTransport(URL, headers={"Authorization": f"Bearer {TOKEN}"})


async def lists(client):
    names = [tool.name for tool in await client.list_tools()]
    assert "many_120" in names
    assert any(str(r.uri) == "test://text" for r in await client.list_resources())
    assert any(p.name == "greet" for p in await client.list_prompts())


async def contents(client):
    result = await client.call_tool("contents")
    assert is_bytes(result.content[2].data, b"PNG")
    assert result.structured_content == {"n": 1}
    assert text(await client.call_tool("echo", {"text": ODD})) == ODD
    assert (await client.read_resource("test://text"))[0].text == "text"
    assert (await client.get_prompt("greet", {"name": "Ann"})).messages[0].content.text == "Hello Ann"


async def progress(client):
    steps = []

    async def step(value, total, message):
        steps.append(value)

    await client.call_tool("progress", progress_handler=step)
    assert steps == [0, 5, 10], steps


async def questions(client):
    assert text(await client.call_tool("ask", {"name": f"fastmcp {KIND} {MODE}"})).startswith("accept Ann")
    assert text(await client.call_tool("ask_model")) == "heard"
    assert text(await client.call_tool("ask_roots")) == "file:///spec"


async def failures(client):
    try:
        await client.call_tool("echo", {})
    except ToolError:
        return
    raise AssertionError("no error")


async def main():
    async with Client(
        transport(), mode=MODE, elicitation_handler=elicit, sampling_handler=sample, roots=["file:///spec"],
    ) as client:
        for work in (lists, contents, progress, questions, failures):
            await check(work.__name__, lambda: asyncio.wait_for(work(client), 30))


asyncio.run(main())
finish()
