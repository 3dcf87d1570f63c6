"""Watches `memo://notes` on the simple server: `client.py URL`, or `client.py COMMAND...` for stdio.

Prints what it saw as JSON; fails if the server does not behave.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters

NOTES = "memo://notes"


async def notes(client: Client) -> dict[str, object]:
    result = await client.read_resource(NOTES)
    assert result.ttl_ms == 0, result
    return json.loads(result.contents[0].text)


async def main(arguments: list[str]) -> None:
    target = arguments[0]
    if not target.startswith("http://"):
        target = StdioServerParameters(command=target, args=arguments[1:])
    async with Client(target) as client:
        assert client.server_capabilities.resources.subscribe, client.server_capabilities
        resources = (await client.list_resources()).resources
        assert [str(resource.uri) for resource in resources] == [NOTES], resources
        async with client.listen(resource_subscriptions=[NOTES]) as subscription:
            before = await notes(client)
            result = await client.call_tool("memo_set", {"key": "from", "value": "python"})
            assert not result.is_error, result
            event = await anext(subscription)
            after = await notes(client)
        async with client.listen(resource_subscriptions=["memo://other"]) as refused:
            honored = refused.honored.resource_subscriptions
        failed = await client.call_tool("memo_set", {"key": "", "value": 1})
        seen = {
            "version": client.protocol_version,
            "before": before,
            "event": str(event.uri),
            "after": after,
            "refused": honored or [],
            "failed": failed.is_error,
        }
    print(json.dumps(seen))


asyncio.run(asyncio.wait_for(main(sys.argv[1:]), 60))
