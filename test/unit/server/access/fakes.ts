/** What the tests of the inbox's access stand on: kept values in memory, and an access with a clock that stands still. */
import type { Logger } from '../../../../src/core/events.js';
import { Access, type AccessOptions } from '../../../../src/server/access/caller.js';
import type { KeptValues } from '../../../../src/server/access/kept-values.js';
import type { InboxPerson } from '../../../../src/server/person.js';
import { FakeClock } from '../../../../src/testing/index.js';

/** Kept values as a store keeps them. */
export class MemoryKeptValues implements KeptValues {
  readonly entries = new Map<string, { readonly value: string; readonly until: number }>();
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  swap({ key, expected, value, ttl }: Parameters<KeptValues['swap']>[0]): ReturnType<KeptValues['swap']> {
    const entry = this.entries.get(key);
    let current = entry !== undefined && entry.until > this.#clock.now() ? entry.value : null;
    if (current === expected && value !== expected) {
      if (value === null) this.entries.delete(key);
      else this.entries.set(key, { value, until: this.#clock.now() + ttl });
      current = value;
    }
    return Promise.resolve({ swapped: current === value, current });
  }
}

export const secret = 'a secret of thirty-two characters or more';
export const anna: InboxPerson = { id: 'web:anna', name: 'Anna', tenant: 'acme', scopes: ['answer'] };
export const origin = 'https://inbox.example.com';

/** An access of one replica; give `kept` and `clock` of another one for the same store. */
export function accessOf(
  options: { [K in keyof AccessOptions]?: AccessOptions[K] | undefined } & { readonly clock?: FakeClock } = {},
) {
  const clock = options.clock ?? new FakeClock();
  const kept = (options.kept ?? new MemoryKeptValues(clock)) as MemoryKeptValues; // no test gives another one
  const errors: string[] = [];
  const silent = () => {};
  const logger: Logger = { debug: silent, info: silent, warn: silent, error: (message) => void errors.push(message) };
  const sessionLifetime = 12 * 60 * 60_000;
  const usual = {
    authenticate: () => undefined,
    sessionLifetime,
    secret: [secret],
    origin,
    basePath: '/inbox',
    clock,
    kept,
    logger,
  };
  return { access: new Access({ ...usual, ...options } as AccessOptions), clock, kept, errors };
}

/** A request with the cookie that a Set-Cookie header sets. */
export function withCookie(setCookie: string, headers: Record<string, string> = {}): Request {
  return new Request(`${origin}/inbox`, { headers: { cookie: setCookie.split(';')[0] ?? '', ...headers } });
}
