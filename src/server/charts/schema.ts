/**
 * The numbers of the operator's view, of one tenant or of all: their schema in the API, and the types that the charts use.
 */
import type { z as Zod } from '@hono/zod-openapi';
import { z } from '../packages.js';

const time = () => z.string().openapi({ format: 'date-time' });
const count = () => z.number().int();
const milliseconds = () => z.number().openapi({ description: 'In ms.' });
const isMore = () =>
  z.literal(true).optional().openapi({ description: 'Not all were looked at: there may be more than this number.' });

/** One step of the period. A number that is not known is absent. */
const bucketSchema = z.strictObject({
  /** When the step begins. */
  at: time(),
  /** How many waited when the step was over; in the last one, how many wait now. */
  waiting: count().optional(),
  answered: count().optional(),
  declined: count().optional(),
  expired: count().optional(),
  /** Cancelled, or closed after too many replies that were no answer. */
  other: count().optional(),
  /** How much of the work that is parked now was parked by then. */
  parked: count().optional(),
  /** Half of the answers came within this time. */
  p50: milliseconds().optional(),
  /** Nine of ten answers came within this time. */
  p90: milliseconds().optional(),
});

export const statsSchema = z
  .strictObject({
    step: z.enum(['hour', 'day']),
    /** When the numbers were counted. */
    at: time(),
    buckets: z.array(bucketSchema),
    /** How many wait now. */
    waiting: count(),
    waitingIsMore: isMore(),
    /** When the ask that waits longest was asked. */
    oldest: time().optional(),
    parked: count(),
    parkedIsMore: isMore(),
    /** Of all answers in the period. */
    p50: milliseconds().optional(),
    p90: milliseconds().optional(),
    coveredFrom: time()
      .optional()
      .openapi({ description: 'From when on the log was looked at, where it is too long to look at all of it.' }),
  })
  .openapi('Stats');

export type InboxStats = Zod.infer<typeof statsSchema>;
export type StatsBucket = Zod.infer<typeof bucketSchema>;
/** By hours of the last day, or by days for as long as asks are kept. */
export type StatsStep = InboxStats['step'];
