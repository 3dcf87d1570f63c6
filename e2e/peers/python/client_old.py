"""Uses the simple server by the old handshake over stdio: `client_old.py COMMAND...`."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(arguments: list[str]) -> None:
    server = StdioServerParameters(command=arguments[0], args=arguments[1:])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        version = (await session.initialize()).protocolVersion
        await session.call_tool("memo_set", {"key": "from", "value": "old"})
        contents = (await session.read_resource("memo://notes")).contents
    print(json.dumps({"version": version, "after": json.loads(contents[0].text)}))


asyncio.run(asyncio.wait_for(main(sys.argv[1:]), 60))
