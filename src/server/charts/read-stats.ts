/**
 * Reads what the operator's view counts: of one tenant, or of all for operators of all. However much there is, it looks at a bounded
 * number of records.
 */
import { definedFields } from '../../core/defined-fields.js';
import type { AskFilter } from '../../registry/calls/list-asks.js';
import type { ParkedWork } from '../../registry/calls/lookup.js';
import type { InboxPort, RecordedAsk } from '../../registry/inbox/inbox-port.js';
import type { InboxPerson } from '../person.js';
import { has, operates } from '../rights.js';
import { type BoundedRead, boundedRead } from './bounded-read.js';
import type { InboxStats, StatsStep } from './schema.js';
import type { CountedAsk } from './stats.js';
import { statsOf, windowOf } from './stats.js';

/** So many of each kind are counted: decided asks, the last ones; open asks and parked work, the oldest. */
export const mostCounted = 2_000;
const bounds = { own: mostCounted, looked: 10_000 };

/** Numbers for an operator; null for anybody else. */
export async function statsFor(port: InboxPort, person: InboxPerson, step: StatsStep): Promise<InboxStats | null> {
  if (!has(person, 'admin')) return null;
  const window = windowOf(step, await port.now(), port.settings.retention);
  const since = Math.max(0, window.starts[0] ?? 0);
  // no filter by tenant: it would save no read, and hide how far the log was looked at
  const asks = (filter: AskFilter): Promise<BoundedRead<RecordedAsk>> =>
    boundedRead(
      bounds,
      ({ ask }) => operates(person, ask.audience.tenant),
      async (page) => {
        const found = await port.list({ ...filter, ...page });
        return { rows: found.asks, cursor: found.cursor };
      },
    );
  const [decided, open, parked] = await Promise.all([
    asks({ status: 'decided', since }),
    asks({ status: 'pending' }),
    boundedRead<ParkedWork>(
      bounds,
      ({ tenant }) => operates(person, tenant),
      async (page) => {
        const { items, cursor } = await port.parked(page);
        return { rows: items, cursor };
      },
    ),
  ]);
  return statsOf(window, {
    decided: decided.own.map(counted),
    open: open.own.map(counted),
    parkedAt: parked.own.map(({ at }) => at.getTime()),
    ...definedFields({
      coveredFrom: decided.isCut ? (decided.end?.ask.decision?.at ?? window.now) : undefined,
      openUntil: open.isCut ? (open.end?.ask.timing.askedAt ?? 0) : undefined,
      parkedUntil: parked.isCut ? (parked.end?.at.getTime() ?? 0) : undefined,
    }),
  });
}

function counted({ ask: { timing, status, decision } }: RecordedAsk): CountedAsk {
  return { askedAt: timing.askedAt, status, ...definedFields({ decidedAt: decision?.at }) };
}
