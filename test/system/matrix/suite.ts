/**
 * The crash matrix: every crash point of the design, struck by kill -9, by SIGTERM and by an error, with one replica that
 * is started again and with three, on Redis and on SQLite. It is played with one question, and with a flow of three that
 * reaches most points at every step; and with questions that are escalated twice, or handed over, before somebody answers. Whatever happens,
 * the refund is made once and told, a flow goes on at its step, and each step of an escalation is taken once.
 * Which cases are played is said by the test files that call crashMatrix().
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IncomingMessage } from '../../../src/index.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { Replica } from '../../support/replica/replica.js';
import { type Call, fresh, soon, World } from '../../support/replica/world.js';

export const points = [
  'received, not recorded',
  'recorded, not acknowledged',
  'agent running',
  'save done, question not sent',
  'question sent, not marked',
  'decision written, continuation not started',
  'effect done, not remembered',
  'effect remembered, not saved',
  'save done, output not sent',
  'output sent, not marked',
] as const;

type Place = { readonly redis: string; readonly prefix: string } | { readonly sqlite: string };
interface Arm {
  readonly point: (typeof points)[number] | 'step saved, copy not sent';
  /** It is struck when it is there for the first, second … time. */
  readonly time: number;
  readonly how: 'SIGKILL' | 'SIGTERM' | 'throw';
}

const settings = { ...soon, backOff: [100, 200], deliveryBackOff: [200, 400, 800, 1_600], grace: 3_000 };
const question = 'What is your order number?';
const greeting = 'I can refund an order.';

/** What the person says, and hears before they say the next. */
type Story = readonly (readonly [says: string, hears: string])[];

const flow: Story = [
  ['refund', question],
  ['12345', 'Which item?'],
  ['lamp', 'Refund 48 EUR?'],
  ['yes', 'Refunded lamp of 12345.'],
  ['thank you!', greeting],
];
/** By the name of whoever leads the conversation, see agents.mjs. */
const stories = {
  'class-once': [
    ['refund', question],
    ['12345', 'Refunded 12345.'],
    ['thank you!', greeting],
  ],
  flow,
  flowclass: flow,
} satisfies Record<string, Story>;

/** By the name of whoever leads the conversation: who is asked beside Ann, in order. The last of them answers. */
const asked = { ladder: ['ben', 'cleo'], handover: ['cleo'] } as const;
const approval = 'Refund 48 EUR?';

/** The points that are reached on the way of such a question, at which time. */
export const approvalPoints = {
  ladder: [
    ['save done, question not sent', 1],
    ['question sent, not marked', 1],
    ['step saved, copy not sent', 1],
    ['question sent, not marked', 2],
    ['step saved, copy not sent', 2],
    ['question sent, not marked', 3],
    ['received, not recorded', 1],
    ['recorded, not acknowledged', 1],
    ['decision written, continuation not started', 1],
    ['effect done, not remembered', 1],
    ['save done, output not sent', 1],
  ],
  handover: [
    ['received, not recorded', 1],
    ['recorded, not acknowledged', 1],
    ['step saved, copy not sent', 1],
    ['question sent, not marked', 2],
    ['decision written, continuation not started', 1],
  ],
} as const satisfies Record<keyof typeof asked, readonly (readonly [point: Arm['point'], time: number])[]>;

/** How often a flow reaches a point. */
const times: Partial<Record<(typeof points)[number], number>> = {
  'received, not recorded': 3,
  'recorded, not acknowledged': 3,
  'agent running': 4,
  'save done, question not sent': 3,
  'question sent, not marked': 3,
  'decision written, continuation not started': 3,
};

/** Every point of a flow at every step that reaches it. */
export const flowPoints = points.flatMap((point) =>
  Array.from({ length: times[point] ?? 1 }, (_, i) => ({ point, time: i + 1 })),
);

/** Replicas on one store: the one that is struck, and the two that stand by or else its successor. */
class Team {
  readonly #world: World;
  readonly #place: Place;
  readonly #members: Replica[];
  /** Those that were begun for this team, and end with it. */
  readonly #own: Replica[] = [];

  private constructor(world: World, place: Place, members: Replica[]) {
    this.#world = world;
    this.#place = place;
    this.#members = members;
  }

  static async begin(world: World, place: Place, standBy: readonly Replica[], arm: Arm): Promise<Team> {
    const struck = new Replica({ world, settings, arm, ...place });
    const team = new Team(world, place, [struck, ...standBy]);
    team.#own.push(struck);
    await struck.ready();
    return team;
  }

  /** Settles when the blow has fallen, and whoever dies of it is dead. */
  async struck({ point, how }: Arm): Promise<void> {
    const { process } = this.#own[0] as Replica;
    if (how === 'throw') await process.next((message) => message['struck'] === point);
    else expect(await process.exited).toMatchObject(how === 'SIGKILL' ? { signal: how } : { code: 0 });
  }

  /** Whoever is alive; where nobody is, a new process takes over. */
  async somebody(): Promise<Replica> {
    for (const member of [...this.#members]) {
      const gone = await Promise.race([member.process.exited, Promise.resolve(undefined)]);
      if (gone === undefined) return member;
      this.#members.splice(this.#members.indexOf(member), 1);
    }
    const successor = new Replica({ world: this.#world, settings, ...this.#place });
    this.#own.push(successor);
    await successor.ready();
    this.#members.push(successor);
    return successor;
  }

  /** Sent again, elsewhere too, until it is acknowledged: what every platform does. */
  async says(conversationId: string, text: string, more: Partial<IncomingMessage> = {}): Promise<void> {
    const message = { id: fresh('message'), conversationId, text, participant: { id: 'phone:user' }, ...more };
    await this.#takes('says', message);
  }

  /** Called again, elsewhere too, until it is answered: what is recorded already is refused then. */
  async handsOver(askId: string, by: string, to: string): Promise<void> {
    const { type } = await this.#takes<{ type: string }>('handOver', askId, { by: { id: by }, to });
    expect(['handed-over', 'received', 'refused']).toContain(type);
  }

  async #takes<T>(name: string, ...given: readonly unknown[]): Promise<T> {
    for (let tries = 0; tries < 100; tries += 1) {
      try {
        return await (await this.somebody()).call<T>(name, ...given);
      } catch {
        await sleep(20);
      }
    }
    throw new Error(`Nobody took ${name}: ${JSON.stringify(given)}.`);
  }

  /** What the person waits for; meanwhile the last one standing is replaced. */
  async hears(conversationId: string, text: string, to?: string): Promise<Call> {
    let heard = false;
    const fits = (call: Call) =>
      call.to === to && (call.text === text || (to !== undefined && call.askId !== undefined));
    const waiting = this.#world.next('deliver', conversationId, fits).finally(() => {
      heard = true;
    });
    const watch = async () => {
      while (!heard) {
        await this.somebody();
        await sleep(50);
      }
    };
    const [call] = await Promise.all([waiting, watch()]);
    return call;
  }

  async end(): Promise<void> {
    for (const { process } of this.#own) process.kill('SIGKILL');
    await Promise.all(this.#own.map((member) => member.process.exited));
  }
}

let world: World;
let server: RedisServer;
let folder: string;

const stores = {
  Redis: (): Place => ({ redis: server.url, prefix: fresh('matrix') }),
  SQLite: (): Place => ({ sqlite: join(folder, `${fresh('matrix')}.db`) }),
};

/** The refund is made once and told, whatever happens on the way. */
async function unharmed(team: Team, arm: Arm, led: keyof typeof stories): Promise<void> {
  try {
    const conversationId = fresh(led);
    const story = stories[led];
    const replies = story.slice(1, -1).map(([reply]) => reply);
    for (const [says, hears] of story) {
      await team.says(conversationId, says);
      await team.hears(conversationId, hears);
    }

    await team.struck(arm);
    const { payments, keys } = await world.ledger(conversationId);
    expect({ payments, keys: keys.length }).toEqual({ payments: 1, keys: 1 });
    const survivor = await team.somebody();
    const items = await survivor.history(conversationId);
    expect(items.flatMap((item) => (item.type === 'in' ? [item.disposition.type] : []))).toEqual([
      'ordinary',
      ...replies.map(() => 'accepted'),
      'ordinary',
    ]);
    const askIds = items.flatMap((item) => (item.type === 'decision' ? [item.askId] : []));
    const asks = await Promise.all(askIds.map((askId) => survivor.call('getAsk', askId)));
    expect(asks).toMatchObject(replies.map((answer) => ({ status: 'answered', answer, retries: 0 })));
    expect(await survivor.call('listAsks', { conversationId })).toEqual({ asks: [] });
    const parked = await survivor.call<{ conversationId: string }[]>('parked');
    expect(parked.filter((each) => each.conversationId === conversationId)).toEqual([]);
    // what came twice came under the same key: the same question, the same words
    const sent = (await world.calls(conversationId)).filter((call) => call.what === 'deliver');
    expect(new Set(sent.map((call) => call.key)).size).toBe(story.length);
  } finally {
    await team.end();
  }
}

/** Each step is taken once, the last who was asked decides, and the refund is made once and told. */
async function approved(team: Team, arm: Arm, led: keyof typeof asked): Promise<void> {
  try {
    const conversationId = fresh(led);
    const others = asked[led];
    const last = others.at(-1) as string;
    await team.says(conversationId, 'refund');
    const { askId = '' } = await team.hears(conversationId, approval);
    if (led === 'handover') await team.handsOver(askId, 'staff:ann', `staff:${last}`);
    for (const each of others) await team.hears(conversationId, approval, each);
    await team.says(conversationId, 'yes', { askId, participant: { id: `staff:${last}` }, address: last });
    await team.hears(conversationId, 'Refunded 48 EUR.');
    await team.says(conversationId, 'thank you!');
    await team.hears(conversationId, greeting);

    await team.struck(arm);
    const { payments, keys } = await world.ledger(conversationId);
    expect({ payments, keys: keys.length }).toEqual({ payments: 1, keys: 1 });
    const survivor = await team.somebody();
    const items = await survivor.history(conversationId);
    expect(items.flatMap((item) => (item.type === 'decision' ? [item.askId] : []))).toEqual([askId]);
    expect(await survivor.call('getAsk', askId)).toMatchObject({
      ...{ status: 'answered', answer: 'yes', decidedBy: { id: `staff:${last}` } },
      steps: others.map((who) =>
        led === 'handover' ? { type: 'handed-over', to: { id: `staff:${who}` } } : { type: 'escalated', address: who },
      ),
    });
    expect(await survivor.call('listAsks', { conversationId })).toEqual({ asks: [] });
    // what came twice came under the same key
    const sent = (await world.calls(conversationId)).filter((call) => call.what === 'deliver');
    const words = new Set(sent.map(({ to, text }) => JSON.stringify([to, text])));
    expect(new Set(sent.map((call) => call.key)).size).toBe(words.size);
  } finally {
    await team.end();
  }
}

export const ways = ['SIGKILL', 'SIGTERM', 'throw'] as const;
export const storeNames = ['Redis', 'SQLite'] as const;

export interface Case extends Arm {
  readonly led: keyof typeof stories | keyof typeof asked;
  readonly store: (typeof storeNames)[number];
  readonly replicas: 1 | 3;
}

/** Declares one test for each case. */
export function crashMatrix(cases: readonly Case[]): void {
  beforeAll(async () => {
    [world, server, folder] = await Promise.all([
      World.begin(),
      startRedis(),
      mkdtemp(join(tmpdir(), 'askback-matrix-')),
    ]);
  });
  afterAll(async () => {
    await Promise.all([world.end(), server.stop(), rm(folder, { recursive: true, force: true })]);
  });

  describe.each(storeNames)('on %s', (store) => {
    let shared: Place;
    let standBy: Replica[] = [];
    beforeAll(async () => {
      shared = stores[store]();
      standBy = [1, 2].map(() => new Replica({ world, settings, ...shared }));
      await Promise.all(standBy.map((replica) => replica.ready()));
    });
    afterAll(async () => {
      for (const { process } of standBy) process.kill('SIGKILL');
      await Promise.all(standBy.map((replica) => replica.process.exited));
    });

    test.concurrent.each(cases.filter((each) => each.store === store))(
      '$led: $point, time $time, $how, with $replicas replicas: one refund, told; thanks cost nothing',
      async ({ replicas, led, store: _, ...arm }) => {
        const alone = replicas === 1;
        const team = await Team.begin(world, alone ? stores[store]() : shared, alone ? [] : standBy, arm);
        await (led === 'ladder' || led === 'handover' ? approved(team, arm, led) : unharmed(team, arm, led));
      },
    );
  });
}
