/**
 * The JSON API: its endpoints on one app, their OpenAPI document, and the way of a request, the same for all: who calls, what they
 * send, the reply. Rights are not checked here: InboxCalls does.
 */
import type { OpenAPIHono as App, RouteConfig } from '@hono/zod-openapi';
import { statsEndpoints } from '../charts/endpoint.js';
import type { KeyedResult } from '../idempotency.js';
import { isIdempotencyKey } from '../idempotency.js';
import { eventsDescribed } from '../live/routes.js';
import { OpenAPIHono, z } from '../packages.js';
import type { InboxParts } from '../parts.js';
import type { InboxPerson } from '../person.js';
import { askEndpoints } from './asks.js';
import { conversationEndpoints } from './conversations.js';
import type { Described, Endpoint } from './endpoint.js';
import { endpoint } from './endpoint.js';
import { badRequest, errorReply, refusalReply, thrownReply } from './errors.js';
import { parkedEndpoints } from './parked.js';
import { readBody, readBytes, readQuery } from './read-request.js';
import type { ApiReply } from './reply.js';
import { ok, responseOf } from './reply.js';
import { errorSchema, personSchema } from './schemas.js';

const nothing = z.strictObject({});

/** Mount it after the routes under it: it answers every path there. */
export function apiRoutes(parts: InboxParts): App {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  const endpoints = [
    ...askEndpoints(parts),
    ...conversationEndpoints(parts),
    ...parkedEndpoints(parts),
    ...statsEndpoints(parts),
    ...aboutEndpoints(app),
  ];
  for (const each of endpoints) {
    app.openAPIRegistry.registerPath(documented(each));
    app.on(each.method.toUpperCase(), honoPath(each.path), async ({ req }) =>
      responseOf(await served(parts, each, req.raw, req.param())),
    );
  }
  app.openAPIRegistry.registerPath(documented(eventsDescribed)); // inbox.ts mounts its route
  for (const { path, method } of [...endpoints, eventsDescribed]) {
    const allow = method === 'get' ? 'GET, HEAD' : 'POST'; // no path has both
    app.all(honoPath(path), async ({ req }) =>
      responseOf(await guarded(parts, req.raw, async () => errorReply('wrong-method', {}, { allow }))),
    );
  }
  app.all('*', async ({ req }) => responseOf(await guarded(parts, req.raw, async () => errorReply('not-found'))));
  return app;
}

/** The reply to a request of an authenticated caller. What is thrown becomes a reply, too. */
export async function guarded(
  { port, access }: InboxParts,
  request: Request,
  handle: (person: InboxPerson) => Promise<ApiReply>,
): Promise<ApiReply> {
  try {
    const caller = await access.api(request);
    return caller.type === 'caller' ? await handle(caller.person) : refusalReply(caller);
  } catch (thrown) {
    return thrownReply(thrown, port.logger, port.newId());
  }
}

async function served(
  parts: InboxParts,
  { method, path, query: querySchema = nothing, body: bodySchema = nothing, repeats = 'reply', handle }: Endpoint,
  request: Request,
  params: Readonly<Record<string, string>>,
): Promise<ApiReply> {
  return guarded(parts, request, async (person) => {
    const query = readQuery(request.url, querySchema);
    if (!query.ok) return query.reply;
    const { id = '' } = params;
    if (method === 'get') return handle({ person, id, query: query.value, body: {} });
    const bytes = await readBytes(request);
    if (!bytes.ok) return bytes.reply;
    const body = readBody(request.headers, bytes.value, bodySchema);
    if (!body.ok) return body.reply;
    const call = { person, id, query: query.value, body: body.value };
    const key = request.headers.get('idempotency-key');
    if (key === null) return handle(call);
    if (!isIdempotencyKey(key)) return badRequest('Idempotency-Key must be 1 to 255 printable characters of ASCII.');
    const route = JSON.stringify([method, path, params]); // decoded: a path has several writings
    const keyed = { person, route, key, body: bytes.value, repeats };
    return keyedReply(await parts.idempotency.once(keyed, () => handle({ ...call, key })));
  });
}

function keyedReply(result: KeyedResult<ApiReply>): ApiReply {
  switch (result.type) {
    case 'done':
      return result.reply;
    case 'repeat':
      return { ...result.reply, headers: { ...result.reply.headers, 'idempotent-replayed': 'true' } };
    case 'running':
      return errorReply('running', {}, { 'retry-after': '1' });
    case 'other-body':
      return errorReply('key-used');
  }
}

function aboutEndpoints(app: App): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/me',
      summary: 'Who you are here, and what you may do.',
      reply: personSchema,
      handle: async ({ person }) => ok(person),
    }),
    endpoint({
      method: 'get',
      path: '/openapi.json',
      summary: 'This document.',
      reply: z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }),
      handle: async () =>
        ok(
          app.getOpenAPI31Document({
            openapi: '3.1.0',
            info: { title: 'askback inbox', version: '1' },
            servers: [{ url: '.' }],
            security: [{ bearer: [] }],
          }),
        ),
    }),
  ];
}

const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

const statusTexts: Readonly<Record<number, string>> = {
  202: 'Recorded, and not worked on yet.',
  400: 'The request cannot be read; the message says what is wrong.',
  401: 'No token, or none that is known here.',
  403: 'You see it, and may not do this.',
  404: 'There is none, or you may not see it.',
  409: 'Not possible any more, or not now.',
  413: 'The body is too large.',
  415: 'The body is not application/json.',
  422: 'It can be read, and does not fit.',
  503: 'The store cannot be reached, or the process stops. Nothing was accepted.',
};

const keyHeader = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({ description: 'The same request again under the same key is done once. Kept for 24 hours.' }),
});

const json: { readonly type: string; readonly description?: string } = { type: 'application/json' };

/** The endpoint as OpenAPI describes it. */
function documented({ method, path, summary, query, body, reply, replyType, also = [] }: Described): RouteConfig {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const errors = [
    ...also.filter((status) => status >= 400),
    400,
    401,
    503,
    ...(method === 'post' ? [409, 413, 415, 422] : []),
  ];
  const said = (status: number, schema: typeof reply, { type, description } = json) => ({
    [status]: { description: description ?? statusTexts[status] ?? 'Done.', content: { [type]: { schema } } },
  });
  return {
    method,
    path,
    summary,
    request: {
      ...(names.length > 0 && { params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
      ...(query && { query: query as never }), // an object schema
      ...(method === 'post' && { headers: keyHeader }),
      ...(body && { body: { content: { 'application/json': { schema: body } } } }),
    },
    responses: Object.assign(
      said(200, reply, replyType),
      also.includes(202) ? said(202, reply) : {},
      ...[...new Set(errors)].map((status) => said(status, errorSchema)),
    ),
  };
}
