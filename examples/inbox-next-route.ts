/**
 * The inbox in Next: copy this file to app/inbox/[[...path]]/route.ts. Next calls GET and POST with a Request and sends the Response.
 * It runs nothing by itself. The registry is kept on globalThis, because Next loads a route anew when its file changes.
 *   npm install askback hono @hono/zod-openapi
 */
import { AgentRegistry } from 'askback';
import { createInbox, hashToken, type Inbox, staticTokens } from 'askback/server';

/** Next must not answer from a cache, and needs Node. */
export const dynamic = 'force-dynamic';
export const runtime = 'nodejs';

const kept = globalThis as typeof globalThis & { inbox?: Inbox };

function inbox(): Inbox {
  kept.inbox ??= createInbox(new AgentRegistry(), {
    authenticate: staticTokens({
      [hashToken(process.env['INBOX_TOKEN'] ?? 'only-for-this-machine-1')]: { id: 'staff:anna', scopes: ['admin'] },
    }),
  });
  return kept.inbox;
}

export const GET = (request: Request): Promise<Response> => inbox().fetch(request);
export const HEAD = GET;
export const POST = GET;
