/**
 * Metrics in the text format of Prometheus: counters of what this process did, and gauges of what waits. Each person is told of their
 * own tenant only; what the process did is for those who see every tenant.
 */
import type { RegistryEvents } from '../../core/events.js';
import type { AgentRegistry } from '../../registry/registry.js';
import type { InboxCalls, WaitingCount } from '../calls.js';
import type { InboxPerson } from '../person.js';

const counted = [
  ...(['asked', 'answered', 'declined', 'exhausted', 'expired', 'cancelled', 'undeliverable', 'reminded'] as const),
  ...(['escalated', 'handedOver'] as const),
  ...([
    'voted',
    'refused',
    'handled',
    'failed',
    'parked',
    'fenced',
    'rejected',
    'delivered',
    'deliveryFailed',
  ] as const),
  ...(['handedBack', 'storeFailed'] as const),
] satisfies readonly (keyof RegistryEvents)[];

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export class InboxMetrics {
  readonly #calls: InboxCalls;
  readonly #counts = new Map<string, number>(counted.map((event) => [event, 0]));
  readonly #off: readonly (() => void)[];

  constructor(registry: Pick<AgentRegistry, 'on'>, calls: InboxCalls) {
    this.#calls = calls;
    this.#off = counted.map((event) =>
      registry.on(event, () => void this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1)),
    );
  }

  /** For operators; null for everybody else. */
  async text(person: InboxPerson): Promise<string | null> {
    const waiting = await this.#calls.waiting(person);
    if (waiting === null) return null;
    const { open, parked } = waiting;
    const isMore = open.isMore || parked.isMore;
    const gauges = [
      family('askback_open_asks', 'gauge', 'Asks that wait for an answer, as far as they were counted.', counts(open)),
      family(
        'askback_parked_work',
        'gauge',
        'Work that waits for an operator, as far as it was counted.',
        counts(parked),
      ),
      family('askback_waiting_is_more', 'gauge', '1 if not all was looked at, so that there may be more.', [
        { value: isMore ? 1 : 0 },
      ]),
    ];
    if (person.everyTenant !== true) return gauges.join('');
    const events = [...this.#counts].map(([event, value]) => ({ labels: { event }, value }));
    return [...gauges, family('askback_events_total', 'counter', 'Events of this process, by name.', events)].join('');
  }

  close(): void {
    for (const off of this.#off) off();
  }
}

/** No number rather than a zero that may be wrong. */
function counts({ count, isMore }: WaitingCount): readonly Sample[] {
  return isMore && count === 0 ? [] : [{ value: count }];
}

function family(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(({ labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (each) => (each === '\n' ? '\\n' : `\\${each}`));
