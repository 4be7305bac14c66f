/** What the tests with many processes share: the world outside, settings that recover soon, and names of their own. */
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../../src/core/settings.js';
import { type NodeProcess, spawnNode } from '../processes.js';

/** For replicas that die: others take over within two seconds, so that tests need not wait for half a minute. */
export const soon = { lease: 1_200, renewal: 250, sweep: 150, sendLease: 2_500 } satisfies Partial<Settings>;
/** For replicas that nothing is done to: no machine is so busy that they lose a lease. */
export const safe = { ...soon, lease: 60_000, sendLease: 60_000, grace: 60_000 } satisfies Partial<Settings>;
/** Only what needs no sweep happens in time. */
export const never = { sweep: 600_000 } satisfies Partial<Settings>;

let made = 0;
/** A name that no other test has. For a conversation it says how it goes, see agents.mjs. */
export const fresh = (name: string) => `${name}-${++made}`;

/** A call to the world outside. */
export interface Call {
  readonly what: 'pay' | 'note' | 'deliver';
  readonly by: string;
  readonly conversationId: string;
  readonly key?: string;
  readonly order?: string;
  readonly text?: string;
  readonly askId?: string;
  /** The address that something was delivered to, if it is another than the conversation's own. */
  readonly to?: string;
  readonly attempt?: number;
  /** There was one with this key before, and it was told of that one. */
  readonly repeat: boolean;
  /** False where a ledger does not look at keys. */
  readonly honours?: boolean;
}

export class World {
  readonly #process: NodeProcess;
  readonly url: string;
  #asked = 0;

  private constructor(process: NodeProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async begin(): Promise<World> {
    const process = spawnNode(fileURLToPath(new URL('world.mjs', import.meta.url)));
    const { url } = await process.next<{ url: string }>();
    return new World(process, url);
  }

  /** The next call of that kind in a conversation. */
  next(what: Call['what'], conversationId: string, fits: (call: Call) => boolean = () => true): Promise<Call> {
    const wanted = (call: Call) => call.what === what && call.conversationId === conversationId && fits(call);
    return this.#process.next<Call>(wanted);
  }

  hears(conversationId: string, text: string): Promise<Call> {
    return this.next('deliver', conversationId, (call) => call.text === text);
  }

  /** Keeps the answer to the next call of that kind back until release(). */
  keep(what: Call['what']): void {
    this.#process.send({ keep: what });
  }

  release(): void {
    this.#process.send({ release: true });
  }

  /** Settles when so many calls of that kind have come, from everywhere. */
  async reached(what: Call['what'], count: number): Promise<void> {
    const reached = ++this.#asked;
    this.#process.send({ reached, what, count });
    await this.#process.next((message) => message['reached'] === reached);
  }

  /** All that came so far, of one conversation or of all. */
  async calls(conversationId?: string): Promise<readonly Call[]> {
    const report = ++this.#asked;
    this.#process.send({ report });
    const { calls } = await this.#process.next<{ report?: number; calls: Call[] }>((each) => each.report === report);
    return conversationId === undefined ? calls : calls.filter((call) => call.conversationId === conversationId);
  }

  /** The ledger's view of a conversation: money moved, and how often it was asked to. */
  async ledger(conversationId: string): Promise<{ payments: number; calls: number; keys: readonly string[] }> {
    const calls = (await this.calls(conversationId)).filter((call) => call.what === 'pay');
    const keys = [...new Set(calls.map((call) => call.key ?? ''))];
    return { payments: calls.filter((call) => !call.repeat).length, calls: calls.length, keys };
  }

  /** What the human in a conversation got, in order. */
  async heard(conversationId: string): Promise<readonly string[]> {
    return (await this.calls(conversationId)).filter((call) => call.what === 'deliver').map((call) => call.text ?? '');
  }

  async end(): Promise<void> {
    this.#process.kill();
    await this.#process.exited;
  }
}
