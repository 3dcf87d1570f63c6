"""A server on the last SDK with only the old handshake: stdio, or `http`."""

import asyncio
import socket
import sys

import uvicorn
from mcp.server.fastmcp import FastMCP

server = FastMCP("python-old")


@server.resource("memo://old")
def old() -> str:
    """An old note."""
    return "old"


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


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
