// Watches a file in an empty FOLDER on the file server: `files.mjs FOLDER URL`, or `files.mjs FOLDER COMMAND...` for
// stdio. Prints what it saw as JSON; fails if the server does not behave.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { connect } from './connect.mjs';

const [folder, ...target] = process.argv.slice(2);
const file = `${folder}/a b.json`;
const uri = pathToFileURL(file).href;

const { client, updates } = await connect(target);
const text = async uri => (await client.readResource({ uri })).contents[0].text;
const { resources } = await client.listResources();
assert.deepEqual(resources.map(resource => resource.uri), [pathToFileURL(folder).href]);

const subscription = await client.listen({ resourceSubscriptions: [uri] });
assert.deepEqual(subscription.honoredFilter.resourceSubscriptions, [uri]);
const saw = { version: client.getNegotiatedProtocolVersion(), states: [await text(uri)] };
for (const change of [() => writeFileSync(file, '{"a": 1}'), () => rmSync(file)]) {
    change();
    assert.equal(await updates.next(), uri);
    saw.states.push(await text(uri));
}
writeFileSync(file, 'text');
const read = await client.callTool({ name: 'read_file', arguments: { path: file } });
saw.read = read.content[0].text;
const listed = await client.callTool({ name: 'list_dir', arguments: { path: folder } });
saw.listed = listed.structuredContent.entries.map(entry => [entry.name, entry.type, entry.size]);
const outside = await client.callTool({ name: 'read_file', arguments: { path: '/etc/passwd' } });
saw.refused = outside.isError;
console.log(JSON.stringify(saw));
await client.close();
