// A client that is connected to a URL, or to a command over stdio, and what it is told.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const PATIENCE = 60_000;

export async function connect([target, ...args]) {
    setTimeout(() => {
        console.error('waited in vain');
        process.exit(1);
    }, PATIENCE).unref();
    const client = new Client({ name: 'peer', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const updates = new Updates();
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => updates.add(params.uri));
    const transport = target.startsWith('http://')
        ? new StreamableHTTPClientTransport(new URL(target))
        : new StdioClientTransport({ command: target, args });
    await client.connect(transport);
    return { client, updates };
}

// The URIs that were told of, in their order.
class Updates {
    told = [];
    waiting = [];

    add(uri) {
        const next = this.waiting.shift();
        if (next) next(uri);
        else this.told.push(uri);
    }

    next() {
        return this.told.length ? Promise.resolve(this.told.shift()) : new Promise(next => this.waiting.push(next));
    }
}
