/**
 * Reads what the operator's view counts: of one tenant, or of all for operators of all. However much there is, it looks at a bounded
 * number of records.
 */
import { definedFields } from '../../core/defined-fields.js';
import type { InboxPort, RecordedAsk } from '../../registry/inbox/inbox-port.js';
import type { InboxPerson } from '../person.js';
import { has, operates } from '../rights.js';
import type { CountedAsk, InboxStats, StatsStep } from './stats.js';
import { statsOf, windowOf } from './stats.js';

/** So many of each kind are looked at: decided asks, the last ones; open asks and parked work, the oldest. */
export const mostLookedAt = 2_000;
const pageSize = 500;

/** Numbers for an operator; null for anybody else. */
export async function statsFor(port: InboxPort, person: InboxPerson, step: StatsStep): Promise<InboxStats | null> {
  if (!has(person, 'admin')) return null;
  const window = windowOf(step, await port.now(), port.settings.retention);
  const since = Math.max(0, window.starts[0] ?? 0);
  const [decided, open, parked] = await Promise.all([
    upToLimit(async (page) => rowsOf(await port.list({ status: 'decided', since, ...page }))),
    upToLimit(async (page) => rowsOf(await port.list({ status: 'pending', ...page }))),
    upToLimit(async (page) => {
      const { items, cursor } = await port.parked(page);
      return { rows: items, cursor };
    }),
  ]);
  const own = (recorded: readonly RecordedAsk[]) =>
    recorded.filter(({ ask }) => operates(person, ask.tenant)).map(counted);
  const earliest = decided.rows.at(-1)?.ask.decision?.at;
  return statsOf(window, {
    decided: own(decided.rows),
    open: own(open.rows),
    parkedAt: parked.rows.filter(({ tenant }) => operates(person, tenant)).map(({ at }) => at.getTime()),
    ...definedFields({ coveredFrom: decided.isCut ? (earliest ?? window.now) : undefined }),
  });
}

interface ReadPage<T> {
  readonly rows: readonly T[];
  readonly cursor: string | undefined;
}

function rowsOf({
  asks,
  cursor,
}: {
  readonly asks: readonly RecordedAsk[];
  readonly cursor?: string;
}): ReadPage<RecordedAsk> {
  return { rows: asks, cursor };
}

async function upToLimit<T>(
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<ReadPage<T>>,
): Promise<{ readonly rows: readonly T[]; readonly isCut: boolean }> {
  const rows: T[] = [];
  let cursor: string | undefined;
  for (let looked = 0; looked < mostLookedAt; looked += pageSize) {
    const page = await read({ limit: pageSize, ...definedFields({ cursor }) });
    rows.push(...page.rows);
    cursor = page.cursor;
    if (cursor === undefined) return { rows, isCut: false };
  }
  return { rows, isCut: true };
}

function counted({ ask: { askedAt, status, decision } }: RecordedAsk): CountedAsk {
  return { askedAt, status, ...definedFields({ decidedAt: decision?.at }) };
}
