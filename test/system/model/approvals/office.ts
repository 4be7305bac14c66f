/**
 * Plays a history of approvals: two replicas on one store that die on demand, an agent whose tools need a person's yes, and
 * a provider that honours keys. Compares what came of it with the reference model.
 */
import fc from 'fast-check';
import { silentLogger } from '../../../../src/core/events.js';
import { english } from '../../../../src/core/wording/english.js';
import type { Channel, Desk } from '../../../../src/index.js';
import { AgentError, AgentRegistry, agent } from '../../../../src/index.js';
import type { Store } from '../../../../src/stores/port.js';
import type { CrashPoint } from '../../../../src/testing/crashable-store.js';
import type { ApprovedTool } from '../../../../src/tools/index.js';
import { requireApproval } from '../../../../src/tools/index.js';
import type { Ground } from '../grounds.js';
import type { Who } from '../reference.js';
import { Replicas } from '../replicas.js';
import { identify } from '../stage.js';
import type { Place, Request, Words } from './reference.js';
import { Approving, boss, requesters } from './reference.js';

export type Command =
  /** `again`: the tool is called twice with the same call id, or with another one. */
  | {
      readonly do: 'want';
      readonly by: Who;
      readonly in: number;
      readonly order: number;
      readonly place: Place;
      readonly again: 'no' | 'same' | 'other';
      readonly on: number;
    }
  | { readonly do: 'reply'; readonly by: Who; readonly at: number; readonly words: Words; readonly on: number }
  | { readonly do: 'crash'; readonly on: number; readonly after: CrashPoint | 'nothing' }
  | { readonly do: 'break'; readonly times: number }
  | { readonly do: 'retry' | 'revoke' | 'hour' };

const two = fc.nat(1);
const who = fc.constantFrom<Who>('ann', 'ann', 'ann2', 'bob', 'cat', 'dan');
export const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('want' as const),
      by: who,
      in: two,
      order: fc.constantFrom(1, 1, 2),
      place: fc.constantFrom<Place>('boss', 'boss', 'here'),
      again: fc.constantFrom('no' as const, 'no' as const, 'same' as const, 'other' as const),
      on: two,
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('reply' as const),
      by: fc.constantFrom<Who>('bob', 'bob', 'dan', 'dan', 'cat', 'eve', 'ann'),
      at: fc.constantFrom(0, 1, 2, 2, 2),
      words: fc.constantFrom<Words>('deny', 'once', 'once', 'for this session', 'for this session', 'what?'),
      on: two,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      on: two,
      after: fc.constantFrom<CrashPoint | 'nothing'>('nothing', 'take', 'decision', 'effect', 'save', 'sent'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('break' as const), times: fc.constantFrom(1, 1, 2) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('retry' as const, 'retry' as const, 'revoke' as const) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'hour' } as const) },
);

interface Replica {
  readonly registry: AgentRegistry;
  readonly phone: Phone;
  readonly gates: Record<Place, ApprovedTool<string>>;
}

class Phone implements Channel {
  readonly name = 'phone';
  desk: Desk | undefined;

  start(desk: Desk): void {
    this.desk = desk;
  }

  async send(): Promise<void> {}
}

const shape = { type: 'object' };

export class Office {
  readonly #model = new Approving(english.wording.failed());
  /** The calls that were carried out under each key. */
  readonly #ledger = new Map<string, Set<string>>();
  readonly #replicas: Replicas<Replica>;
  /** The requests that were set aside, by the id of what was. */
  readonly #setAside = new Map<string, string>();
  #failures = 0;
  #messages = 0;
  #ids = 0;

  constructor(
    private readonly ground: Ground,
    broken: (store: Store) => Store = (store) => store,
  ) {
    this.#replicas = new Replicas(ground, (store) => this.#begun(store), broken);
  }

  /** What is wrong after the history; nothing is a pass. */
  async plays(history: readonly Command[]): Promise<readonly string[]> {
    try {
      for (const command of history) {
        await this.#do(command);
        if (command.do !== 'crash' || command.after === 'nothing') await this.#settle();
      }
      await this.#settle();
      return await this.#complaints();
    } catch (error) {
      return [`stopped by ${error instanceof Error ? error.stack : String(error)}`];
    } finally {
      await this.#replicas.close();
    }
  }

  async #do(command: Command): Promise<void> {
    switch (command.do) {
      case 'want': {
        const id = `m${this.#messages + 1}`;
        const calls = [`${id}.a`, ...{ no: [], same: [`${id}.a`], other: [`${id}.b`] }[command.again]];
        const { by, order, place } = command;
        const request: Request = { id, by, in: requesters[command.in] ?? boss, order, place, calls };
        this.#model.wants(request);
        return this.#says(request.in, by, JSON.stringify({ id, order, place, calls }), command.on);
      }
      case 'reply': {
        const at = [...requesters, boss][command.at] ?? boss;
        this.#model.replies(at, command.by, command.words);
        return this.#says(at, command.by, command.words, command.on);
      }
      case 'crash':
        return this.#replicas.crash(command.on, command.after);
      case 'break':
        this.#failures = command.times;
        return this.#model.breaks(command.times);
      case 'retry': {
        const { registry } = await this.#replicas.up(0);
        for (const { id, entryId } of (await this.ground.until(registry.parked())).items) {
          const request = this.#setAside.get(id) ?? entryId.split(':').at(-1) ?? '';
          this.#setAside.set(id, request);
          const run = this.#model.parked.find((each) => each.request.id === request);
          if (run === undefined) continue;
          this.#model.retries(run);
          await this.#replicas.call(0, (replica) => replica.registry.retry(id));
          return;
        }
        return;
      }
      case 'revoke': {
        const [grant] = this.#model.grants;
        if (grant === undefined || this.#model.parked.length > 0 || this.#model.pending.length > 0) return;
        const { gates } = await this.#replicas.up(0);
        const all = await this.ground.until(gates[grant.request.place].grants(this.#placeOf(grant.at)));
        const [real] = all.toSorted((one, other) => one.grantedAt.getTime() - other.grantedAt.getTime());
        const model = this.#model.grants.find((each) => each.at === grant.at);
        if (real === undefined || model === undefined) return;
        this.#model.revokes(model);
        await this.#replicas.call(0, (replica) => replica.gates[grant.request.place].revoke(real.id));
        return;
      }
      case 'hour':
        if (this.#model.parked.length > 0 || this.#model.pending.length > 0) return;
        this.#model.outlasts();
        return this.ground.pass(3_700_000);
    }
  }

  #placeOf(conversation: string) {
    return { channel: 'phone', to: conversation, conversationId: conversation };
  }

  async #says(conversationId: string, by: Who, text: string, on: number): Promise<void> {
    this.#messages += 1;
    const id = `m${this.#messages}`;
    const message = { id, conversationId, text, participant: { id: `phone:${by}` }, address: conversationId };
    await this.#replicas.call(on, async ({ phone }) => phone.desk?.receive(message).catch(() => undefined));
  }

  #begun(store: Store): Replica {
    const phone = new Phone();
    const shop = agent('shop').onMessage(async ({ message }) => {
      if (!message.startsWith('{')) return 'hello';
      const { id, order, place, calls } = JSON.parse(message) as Request;
      const results: string[] = [];
      for (const callId of calls) results.push(await gates[place].execute({ order }, { callId }));
      if (this.#failures > 0) {
        this.#failures -= 1;
        throw new AgentError('model-refused', 'The office is closed.');
      }
      return `${id}: ${results.map((each) => (each === 'Paid' ? 'paid' : 'denied')).join()}`;
    });
    const registry = new AgentRegistry({
      agents: [shop],
      channels: [phone],
      store,
      settings: { ...this.ground.settings },
      identify,
      logger: silentLogger,
      newId: () => `id-${++this.#ids}`,
      ...(this.ground.clock === undefined ? {} : { clock: this.ground.clock }),
    });
    const gates = {
      boss: this.#gate(registry, 'boss'),
      here: this.#gate(registry, 'here'),
    };
    return { registry, phone, gates };
  }

  /** The tool, shared by all requests, conversations and tenants of a process. */
  #gate(registry: AgentRegistry, place: Place): ApprovedTool<string> {
    const execute = (_: { order: number }, { effectKey = 'none', callId = '' }) => {
      this.#ledger.set(effectKey, (this.#ledger.get(effectKey) ?? new Set()).add(callId));
      return 'Paid';
    };
    return requireApproval(
      { name: 'refund', inputSchema: shape, execute },
      {
        registry,
        where: place === 'here' ? place : this.#placeOf(boss),
        answerableBy: { roles: ['clerk'] },
        excludeAsker: true,
        maxRetries: 100,
        timeout: 86_400_000,
        question: ({ order }) => `Refund order ${order}?`,
      },
    );
  }

  /** Everything that can go on goes on. */
  async #settle(): Promise<void> {
    await this.#replicas.recover();
    // whoever waits in another process looks again from time to time
    for (const ms of [0, 5_000, 5_000]) {
      await this.ground.pass(ms);
      await this.#replicas.idle();
    }
  }

  async #complaints(): Promise<readonly string[]> {
    const { registry, gates } = await this.#replicas.up(0);
    const found: string[] = [];
    const same = (what: string, actual: unknown, expected: unknown) => {
      const [real, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
      if (real !== wanted) found.push(`${what}: ${real}, the model says ${wanted}`);
    };
    for (const [key, calls] of this.#ledger) if (calls.size !== 1) found.push(`key ${key} is of ${[...calls].join()}`);
    same('carried out', [...this.#ledger.values()].flatMap((calls) => [...calls]).sort(), this.#model.paid.toSorted());
    for (const id of [...requesters, boss]) {
      const { items } = await this.ground.until(registry.history(id, { limit: 1_000 }));
      const out = items.flatMap((item) => (item.type === 'out' ? [item] : []));
      const firsts = out.filter(({ askId }, i) => askId && out.findIndex((each) => each.askId === askId) === i);
      const asks = firsts.map(({ text }) => /Refund order \d\?/.exec(text)?.[0]);
      const open = this.#model.pending.filter(({ at }) => at === id).length;
      const asked = this.#model.asked.get(id) ?? [];
      same(`asked in ${id}`, asks, asked.slice(0, asked.length - Math.max(0, open - 1)));
      const texts = out.flatMap(({ askId, text }) => (askId ? [] : [text]));
      const isTold = (text: string) => /^(Approved|Denied)/.test(text);
      same(
        `said in ${id}`,
        texts.filter((text) => !isTold(text)),
        this.#model.said.get(id) ?? [],
      );
      same(`told in ${id}`, texts.filter(isTold).length, this.#model.decided.get(id) ?? 0);
      const grants = await this.ground.until(gates.boss.grants(this.#placeOf(id)));
      const uses = this.#model.grants.filter(({ at }) => at === id).map(({ calls }) => calls.size);
      same(`grants of ${id}`, grants.map((each) => each.uses).sort(), uses.sort());
      const listed = await this.ground.until(registry.listAsks({ conversationId: id }));
      same(`open in ${id}`, listed.asks.filter(({ status }) => status === 'pending').length, open);
    }
    same(
      'set aside',
      (await this.ground.until(registry.parked())).items.length,
      this.#model.parked.length + this.#model.retrying,
    );
    return found;
  }
}
