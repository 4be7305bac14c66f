/**
 * The inbox: one function from a request to a response. It routes to the API, the page, live events and the channels that speak HTTP.
 * It checks no rights.
 */
import { definedFields } from '../core/defined-fields.js';
import type { Participant } from '../core/participant.js';
import { inboxPort } from '../registry/inbox/inbox-port.js';
import type { AgentRegistry } from '../registry/registry.js';
import { checkedRegistry } from '../tools/options.js';
import { Access } from './access/caller.js';
import { healthRoutes } from './api/health.js';
import { apiRoutes } from './api/routes.js';
import { InboxCalls } from './calls.js';
import { InboxMetrics } from './charts/metrics.js';
import { Idempotency } from './idempotency.js';
import { checkedLinkOptions, LinkedAsks, type LinkOptions } from './linked-asks.js';
import { LiveEvents } from './live/routes.js';
import type { InboxOptions } from './options.js';
import { checkedInboxOptions } from './options.js';
import { Hono } from './packages.js';
import { pageRoutes } from './page/routes.js';
import { noRouteReply, wrongHostReply } from './page/visitors/outside.js';
import type { InboxParts } from './parts.js';
import type { InboxPerson } from './person.js';

/** The inbox of a registry. */
export interface Inbox {
  /** Answers a request. It is bound: pass it on as it is. */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * A signed link: the address of one ask for one person who may answer it. Whoever has the address is taken for that person, so it
   * only shows the ask; it decides, once, where the ask has `links: 'decide'`. Without the option `origin` the address is a path.
   */
  readonly link: (askId: string, person: Participant, options?: LinkOptions) => Promise<string>;
  /** Nobody can use the link from now on. */
  readonly revokeLink: (address: string) => Promise<void>;
  /** Signs in somebody whom your own application has verified: the value of a Set-Cookie header. */
  readonly session: (person: InboxPerson) => string;
  /** Ends the live streams; `registry.stop()` does so, too. The clients come back by themselves, to whoever serves them then. */
  readonly close: () => void;
  /** The token to sign in with on this machine. It is there if no `authenticate` is given, and ends with the process. */
  readonly token?: string;
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
  const parts = inboxParts(registry, options);
  const { access, linked, live, port, options: checked } = parts;
  const app = inboxApp(parts);
  const { localToken } = access;
  if (localToken !== undefined)
    port.logger.warn(
      `The inbox has no \`authenticate\`, so it is for this machine only. Sign in at ${checked.basePath}/sign-in with the token ${localToken}`,
    );
  const links = `${checked.origin ?? ''}${checked.basePath}/link/`;
  return {
    fetch: async (request) => app.fetch(request),
    link: async (askId, person, more = {}) => `${links}${await linked.create(askId, person, checkedLinkOptions(more))}`,
    revokeLink: (address) => access.links.revoke(String(address).split('/').at(-1) ?? ''),
    session: (person) => access.startSession(person),
    close: () => {
      live.close();
      parts.metrics.close();
    },
    ...definedFields({ token: localToken }),
  };
}

export function inboxParts(registry: AgentRegistry, options: InboxOptions): InboxParts {
  const port = checkedRegistry(registry, 'createInbox()')[inboxPort];
  const checked = checkedInboxOptions(options);
  const access = new Access({ ...checked, clock: port.clock, kept: port, logger: port.logger });
  const calls = new InboxCalls(registry, port, (id) => access.personWith(id));
  const linked = new LinkedAsks(calls, port, access);
  const live = new LiveEvents({ registry, port, calls, access }, checked.live);
  const metrics = new InboxMetrics(registry, calls);
  const idempotency = new Idempotency(port, () => port.newId());
  return { port, calls, access, linked, live, idempotency, metrics, options: checked };
}

/** All routes on one app. */
export function inboxApp(parts: InboxParts): InboxApp {
  const { access, live, options: checked } = parts;
  const app = new Hono({ strict: false }).basePath(checked.basePath);
  app.notFound(({ req }) => noRouteReply(req.raw, checked.basePath));
  mountChannels(app, parts);
  app.use('*', async ({ req }, next) => {
    const refused = probes.has(req.path.slice(checked.basePath.length)) ? undefined : access.hostRefusal(req.raw);
    return refused === undefined ? next() : wrongHostReply(req.raw, refused);
  });
  app.get('/live', ({ req }) => live.page(req.raw));
  app.get('/api/v1/events', ({ req }) => live.api(req.raw));
  app.route('/api/v1', apiRoutes(parts)); // after the routes under it: it answers every other path there
  app.route('/', healthRoutes(parts));
  app.route('/', pageRoutes(parts)); // the last: it answers every address that nothing else has
  return app;
}

type InboxApp = InstanceType<typeof Hono>;

/** Served under every host name: whatever runs the process asks here whether it is up. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Channels that speak HTTP authenticate by themselves. */
function mountChannels(app: InboxApp, { port }: InboxParts): void {
  app.all('/channels/:name/*', async (context) => {
    const channel = port.channels.get(context.req.param('name')) as
      | { fetch?(request: Request): Promise<Response> }
      | undefined;
    return channel?.fetch === undefined ? context.notFound() : channel.fetch(context.req.raw);
  });
}
