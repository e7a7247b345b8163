"""What the Python clients share: the server's address, and a line a check."""

import base64
import os
import sys
import traceback

URL = os.environ.get("SANDSTORM_URL")
TOKEN = os.environ.get("SANDSTORM_TOKEN")
PROGRAM = os.environ["SANDSTORM_PROGRAM"]
ARGS = ["stdio", "--tools", os.environ["SANDSTORM_FIXTURE"]]
# Tool results whose characters end lines, or events, for careless readers (case M15).
ODD = "a\nb\rc\u2028d\u2029e\u0085f\x1b[0m\ndata: x\r\n\r\nevent: y"

failed = 0


async def check(name, work):
    global failed
    try:
        await work()
        print(f"ok      {name}")
    except Exception:
        failed += 1
        print(f"FAILED  {name}\n{traceback.format_exc()}")


def finish():
    sys.exit(0 if failed == 0 else 1)


def text(result):
    return result.content[0].text


def is_bytes(data, wanted):
    return base64.b64decode(data) == wanted
