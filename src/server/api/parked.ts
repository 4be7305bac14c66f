/**
 * Endpoints about parked work: for operators, who retry it or close it with a reason.
 */
import { definedFields } from '../../core/defined-fields.js';
import type { ParkedChange } from '../calls.js';
import { z } from '../packages.js';
import type { InboxParts } from '../parts.js';
import { pageReply } from './cursors.js';
import type { Endpoint } from './endpoint.js';
import { endpoint } from './endpoint.js';
import { errorReply } from './errors.js';
import { pageFields, reason } from './fields.js';
import type { ApiReply } from './reply.js';
import { parkedChangeSchema, parkedPageSchema } from './schemas.js';

const parkedQuery = z.strictObject(pageFields);
const closeBody = z.strictObject({ reason: reason() });

export function parkedEndpoints({ calls, access: { cursors } }: InboxParts): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/parked',
      summary: 'Work that failed too often and waits for an operator, in the order it was parked.',
      query: parkedQuery,
      reply: parkedPageSchema,
      also: [404],
      handle: ({ person, query }) =>
        pageReply(cursors, { person, list: 'parked', filter: query }, (cursor) =>
          calls.parked(person, { limit: query.limit ?? 50, ...definedFields({ cursor }) }),
        ),
    }),
    endpoint({
      method: 'post',
      path: '/parked/{id}/retry',
      summary: 'Tries parked work once more.',
      reply: parkedChangeSchema,
      also: [202, 404],
      handle: async ({ person, id, key }) => changeReply(await calls.retryParked(person, id, definedFields({ key }))),
    }),
    endpoint({
      method: 'post',
      path: '/parked/{id}/close',
      summary: 'Ends parked work as it is, and says why.',
      body: closeBody,
      reply: parkedChangeSchema,
      also: [202, 404],
      handle: async ({ person, id, body, key }) =>
        changeReply(await calls.closeParked(person, id, { reason: body.reason, ...definedFields({ key }) })),
    }),
  ];
}

function changeReply({ type }: ParkedChange): ApiReply {
  if (type === 'unknown') return errorReply('not-found');
  if (type === 'gone') return errorReply('no-longer-parked');
  return { status: type === 'received' ? 202 : 200, body: { type } };
}
