/**
 * Which conversation a thread belongs to whose first message is our own: that message says so itself, in its metadata. Nothing is stored
 * here that another process would need.
 */
import type { Clock } from '../../../machine/clock.js';
import type { SlackApi } from '../api.js';
import { readMetadata } from '../drawing/action-data.js';
import { isBySelf, type SlackPeople } from '../people.js';
import { RecentAnswers } from '../recent-answers.js';
import type { SlackWritten } from './payload.js';

type ThreadTarget = NonNullable<ReturnType<typeof readMetadata>>;

/** How long it is remembered what a thread is about, in ms. It never changes; this bounds what is kept. */
const rootLife = 60 * 60_000;

export class ThreadRoots {
  readonly #api: Pick<SlackApi, 'threadRoot'>;
  readonly #people: SlackPeople;
  readonly #roots: RecentAnswers<ThreadTarget | 'not ours' | 'gone'>;

  constructor(api: Pick<SlackApi, 'threadRoot'>, people: SlackPeople, clock: Clock) {
    this.#api = api;
    this.#people = people;
    this.#roots = new RecentAnswers(clock, rootLife);
  }

  /** What the thread of a message is about, if its first message is one of ours. Rejects if Slack cannot be asked. */
  async targetOf({ team, channel, thread, threadAuthor, self }: SlackWritten): Promise<ThreadTarget | undefined> {
    if (thread === undefined) return undefined;
    const isOurs = threadAuthor === undefined || threadAuthor === (self ?? (await this.#people.self(team)).userId);
    if (!isOurs) return undefined;
    const key = `${team}/${channel}/${thread}`;
    const root = await this.#roots.get(key, () => this.#read(team, channel, thread));
    if (root === 'gone') this.#roots.forget(key); // Slack may find it a moment later
    return typeof root === 'string' ? undefined : root;
  }

  /** Anybody can post metadata that looks like ours: it counts only in a message of our own. */
  async #read(team: string, channel: string, ts: string): Promise<ThreadTarget | 'not ours' | 'gone'> {
    const [root, self] = await Promise.all([this.#api.threadRoot({ team, channel, ts }), this.#people.self(team)]);
    if (root === undefined) return 'gone';
    return (isBySelf(root, self) ? readMetadata(root.metadata) : undefined) ?? 'not ours';
  }
}
