/**
 * The numbers of the operator's view in the JSON API.
 */
import { type Endpoint, endpoint } from '../api/endpoint.js';
import { foundReply } from '../api/errors.js';
import { oneOf } from '../api/fields.js';
import { z } from '../packages.js';
import type { InboxParts } from '../parts.js';
import { statsFor } from './read-stats.js';

const time = () => z.string().openapi({ format: 'date-time' });
const count = () => z.number().int();
const milliseconds = () => z.number().openapi({ description: 'In ms.' });
const isMore = () =>
  z.literal(true).optional().openapi({ description: 'Not all were looked at: there may be more than this number.' });
const step = () => z.enum(['hour', 'day']);

const statsSchema = z
  .strictObject({
    step: step(),
    at: time(),
    buckets: z.array(
      z.strictObject({
        at: time(),
        waiting: count().optional(),
        answered: count().optional(),
        declined: count().optional(),
        expired: count().optional(),
        other: count().optional(),
        parked: count().optional(),
        p50: milliseconds().optional(),
        p90: milliseconds().optional(),
      }),
    ),
    waiting: count(),
    waitingIsMore: isMore(),
    oldest: time().optional(),
    parked: count(),
    parkedIsMore: isMore(),
    p50: milliseconds().optional(),
    p90: milliseconds().optional(),
    coveredFrom: time()
      .optional()
      .openapi({ description: 'From when on the log was looked at, where it is too long to look at all of it.' }),
  })
  .openapi('Stats');

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
