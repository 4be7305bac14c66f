/**
 * The inbox: one function from a request to a response. It routes to the API, the page, live events and the channels that speak HTTP;
 * what each of them may do is decided elsewhere.
 */
import { inboxPort } from '../registry/inbox/inbox-port.js';
import type { AgentRegistry } from '../registry/registry.js';
import { checkedRegistry } from '../tools/options.js';
import { InboxCalls } from './calls.js';
import type { InboxOptions } from './options.js';
import { checkedInboxOptions } from './options.js';
import { Hono } from './packages.js';
import type { InboxParts } from './parts.js';

/** The inbox of a registry. */
export interface Inbox {
  /** Answers a request. It is bound: pass it on as it is. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * The inbox of a registry: what waits for people, for those who may see it, as a page and as a JSON API. `fetch` mounts in every
 * framework that has Request and Response.
 *
 * @example
 * import { serve } from '@hono/node-server';
 * import { AgentRegistry } from 'askback';
 * import { createInbox } from 'askback/server';
 *
 * const registry = new AgentRegistry();
 * await registry.start();
 * serve({ fetch: createInbox(registry).fetch, port: 3000, hostname: '127.0.0.1' });
 */
export function createInbox(registry: AgentRegistry, options: InboxOptions = {}): Inbox {
  const port = checkedRegistry(registry, 'createInbox()')[inboxPort];
  const checked = checkedInboxOptions(options);
  const parts: InboxParts = { registry, port, calls: new InboxCalls(registry, port), options: checked };
  const app = new Hono().basePath(checked.basePath);
  mountChannels(app, parts);
  return { fetch: async (request) => app.fetch(request) };
}

/** Channels that speak HTTP authenticate by themselves. */
function mountChannels(app: InstanceType<typeof Hono>, { port }: InboxParts): void {
  app.all('/channels/:name/*', async (context) => {
    const channel = port.channels.get(context.req.param('name')) as
      | { fetch?(request: Request): Promise<Response> }
      | undefined;
    return channel?.fetch === undefined ? context.notFound() : channel.fetch(context.req.raw);
  });
}
