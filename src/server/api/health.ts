/**
 * What asks whether the process is well: the two probes, which say nothing but yes or no and ask nobody who they are, and the metrics,
 * which need an operator.
 */
import type { Hono as App } from 'hono';
import { within } from '../../machine/clock.js';
import { Hono } from '../packages.js';
import type { InboxParts } from '../parts.js';
import { errorReply } from './errors.js';
import type { ApiReply } from './reply.js';
import { ok, responseOf } from './reply.js';
import { guarded } from './routes.js';

/** The store has so long to answer. */
const patience = 2_000;

export function healthRoutes(parts: InboxParts): App {
  const app = new Hono();
  app.get('/healthz', () => responseOf(ok({ status: 'up' })));
  app.get('/readyz', async () => responseOf(await ready(parts)));
  app.get('/metrics', async ({ req }) => responseOf(await metrics(parts, req.raw)));
  return app;
}

async function ready({ port }: InboxParts): Promise<ApiReply> {
  const answers = port.now().then(
    () => true,
    () => false,
  );
  const isReady = await within(port.clock, patience, answers, () => false);
  return isReady ? ok({ status: 'ready' }) : { status: 503, body: { status: 'not-ready' } };
}

async function metrics(parts: InboxParts, request: Request): Promise<ApiReply> {
  return guarded(parts, request, async (person) => {
    const body = await parts.metrics.text(person);
    if (body === null) return errorReply('not-found');
    return { status: 200, body, headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } };
  });
}
