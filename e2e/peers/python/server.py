"""A memo server on the current SDK: over stdio, or with `http` on a port of the system's choice."""

import asyncio
import json
import socket
import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

NOTES = "memo://notes"
notes: dict[str, object] = {}
server = MCPServer("python-memo")


@server.resource(NOTES, mime_type="application/json")
def read_notes() -> str:
    """Notes. Example: await watch_start(name="notes", uri="memo://notes")"""
    return json.dumps(notes)


@server.resource("memo://one/{key}")
def read_note(key: str) -> str:
    """One note."""
    return json.dumps(notes.get(key))


@server.tool()
async def memo_set(key: str, value: str, ctx: Context) -> str:
    """Sets one key."""
    notes[key] = value
    await ctx.notify_resource_updated(NOTES)
    return "ok"


async def http() -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.streamable_http_app(), log_level="error")
    await uvicorn.Server(config).serve(sockets=[listener])


if sys.argv[1:] == ["http"]:
    asyncio.run(http())
else:
    server.run("stdio")
