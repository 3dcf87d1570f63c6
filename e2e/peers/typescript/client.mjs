// Watches `memo://notes` on the simple server: `client.mjs URL`, or `client.mjs COMMAND...` for stdio.
//
// Prints what it saw as JSON; fails if the server does not behave.

import assert from 'node:assert/strict';
import { connect } from './connect.mjs';

const NOTES = 'memo://notes';

const { client, updates } = await connect(process.argv.slice(2));
const notes = async () => JSON.parse((await client.readResource({ uri: NOTES })).contents[0].text);
assert(client.getServerCapabilities().resources.subscribe);
const { resources } = await client.listResources();
assert.deepEqual(resources.map(resource => resource.uri), [NOTES]);

const subscription = await client.listen({ resourceSubscriptions: [NOTES] });
assert.deepEqual(subscription.honoredFilter.resourceSubscriptions, [NOTES]);
const before = await notes();
const set = await client.callTool({ name: 'memo_set', arguments: { key: 'from', value: 'typescript' } });
assert(!set.isError);
const event = await updates.next();
const after = await notes();
await subscription.close();
const refused = await client.listen({ resourceSubscriptions: ['memo://other'] });
const failed = await client.callTool({ name: 'memo_set', arguments: { key: '', value: 1 } });
console.log(JSON.stringify({
    version: client.getNegotiatedProtocolVersion(),
    before,
    event,
    after,
    refused: refused.honoredFilter.resourceSubscriptions ?? [],
    failed: failed.isError,
}));
await client.close();
