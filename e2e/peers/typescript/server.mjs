// A memo server on the current SDK: over stdio, or with `http` on a port of the system's choice.

import { createServer } from 'node:http';
import { McpServer, ResourceTemplate, createMcpHandler, fromJsonSchema } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const NOTES = 'memo://notes';
const notes = {};
let tell = () => {};

function memo() {
    const server = new McpServer(
        { name: 'typescript-memo', version: '1.0.0' },
        { capabilities: { resources: { subscribe: true } } },
    );
    const read = text => uri => ({ contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(text()) }] });
    server.registerResource('notes', NOTES, { description: 'Notes.', mimeType: 'application/json' }, async uri => read(() => notes)(uri));
    const one = new ResourceTemplate('memo://one/{key}', { list: undefined });
    server.registerResource('note', one, { description: 'One note.' }, async (uri, { key }) => read(() => notes[key] ?? null)(uri));
    const inputSchema = fromJsonSchema({
        type: 'object',
        properties: { key: { type: 'string' }, value: {} },
        required: ['key', 'value'],
    });
    server.registerTool('memo_set', { description: 'Sets one key.', inputSchema }, async ({ key, value }) => {
        notes[key] = value;
        tell(server);
        return { content: [{ type: 'text', text: 'ok' }], structuredContent: { changed: true } };
    });
    return server;
}

if (process.argv[2] === 'http') {
    const handler = createMcpHandler(memo);
    tell = () => handler.notify.resourceUpdated(NOTES);
    const http = createServer(async (request, response) => {
        const chunks = [];
        for await (const chunk of request) chunks.push(chunk);
        const gone = new AbortController();
        response.on('close', () => gone.abort());
        const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, {
            method: request.method,
            headers: request.headers,
            body: chunks.length ? Buffer.concat(chunks) : undefined,
            signal: gone.signal,
        }));
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.flushHeaders();
        try {
            for await (const chunk of answer.body ?? []) response.write(chunk);
        } catch {
            // The client has left.
        }
        response.end();
    });
    http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
} else {
    tell = server => server.server.sendResourceUpdated({ uri: NOTES });
    serveStdio(memo);
}
