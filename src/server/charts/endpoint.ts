/**
 * The endpoint with the numbers of the operator's view.
 */
import { type Endpoint, endpoint } from '../api/endpoint.js';
import { foundReply } from '../api/errors.js';
import { oneOf } from '../api/fields.js';
import { z } from '../packages.js';
import type { InboxParts } from '../parts.js';
import { statsFor } from './read-stats.js';
import { statsSchema } from './schema.js';

export function statsEndpoints({ port }: InboxParts): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/stats',
      summary:
        'What waited, what became of it and how long that took, by hours of the last day or by days. For operators.',
      query: z.strictObject({ by: oneOf('hour', 'day').optional() }),
      reply: statsSchema,
      also: [404],
      handle: async ({ person, query }) => foundReply(await statsFor(port, person, query.by ?? 'hour')),
    }),
  ];
}
