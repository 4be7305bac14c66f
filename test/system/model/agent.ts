/**
 * The agent of the histories, the ledger it pays at, and the telephone its questions go to. All replicas share the last two.
 */
import type {
  AgentInput,
  AgentRegistry,
  AgentResult,
  AskOptions,
  Channel,
  Closed,
  Continuation,
  Declared,
  Desk,
  Outcome,
  OutgoingMessage,
  PendingAsk,
  Question,
} from '../../../src/index.js';
import { AgentError, BaseAgent, confirm, form, text } from '../../../src/index.js';
import type { Plan } from './reference.js';
import { isGood, keyOf, patienceFor, plans, quorum } from './reference.js';

/** Where the author's code is when something outside fails. `for now`: before its effect, and trying again may help. */
export type Breaking = 'before' | 'after' | 'check' | 'for now';

/** A provider that honours keys, and everything else outside that outlives a process. */
export class Outside {
  /** What was done under each key, and how often it was asked for. */
  readonly effects = new Map<string, { readonly what: string; calls: number }>();
  /** When each ask was decided, as its continuation was told. */
  readonly decisions = new Map<string, number>();
  /** The ids under which each ask was opened: one, however often its turn ran. */
  readonly ids = new Map<string, Set<string>>();
  readonly plans = new Map<string, Plan>();
  /** The conversation each was asked in. */
  readonly places = new Map<string, string>();
  /** What a turn was told last of an ask of the other conversation that it waited for. */
  readonly toldOf = new Map<string, string>();
  /** The asks of which somebody who waited was told that they are erased. */
  readonly erased = new Set<string>();
  readonly delivered: { readonly conversationId: string; readonly key: string }[] = [];
  readonly wrong: string[] = [];
  /** How often what follows the decision of each ask was started. */
  readonly started = new Map<string, number>();
  /** What failed for now, by the same names as `failures`. */
  readonly delays = new Set<string>();
  /** What failed for good: the ask's id if it was decided, else the message. */
  readonly failures = new Set<string>();
  #broken: { readonly how: Breaking; times: number } | undefined;

  /** So many times it fails from now on. */
  breaks(how: Breaking, times: number): void {
    this.#broken = { how, times };
  }

  mend(): void {
    this.#broken = undefined;
  }

  /** Fails if this is where it is broken. */
  reaches(where: Exclude<Breaking, 'for now'>, whose: string, quoted = ''): void {
    if (this.#broken === undefined || this.#broken.times === 0) return;
    const { how } = this.#broken;
    if (how !== where && !(how === 'for now' && where === 'before')) return;
    this.#broken.times -= 1;
    if (how === 'for now') this.delays.add(whose);
    if (how === 'for now') throw new Error(`The line is busy, "${quoted}" was not heard.`);
    this.failures.add(whose);
    throw new AgentError('model-refused', `The office is closed, "${quoted}" was not taken.`);
  }

  does(key: string, what: string): void {
    const before = this.effects.get(key);
    if (before === undefined) this.effects.set(key, { what, calls: 1 });
    else {
      before.calls += 1;
      if (before.what !== what) this.wrong.push(`effect ${key} was first "${before.what}" and then "${what}"`);
    }
  }

  /** A continuation or a hook was started: whenever it is, the decision is the same. */
  starts({ id, decidedAt }: PendingAsk<unknown>): void {
    const at = decidedAt?.getTime() ?? Number.NaN;
    const before = this.decisions.get(id) ?? at;
    this.decisions.set(id, before);
    this.started.set(id, (this.started.get(id) ?? 0) + 1);
    if (before !== at) this.wrong.push(`ask ${this.keyOf(id)} was decided at ${before} and then at ${at}`);
  }

  asked(key: string, plan: Plan, id: string, conversationId: string): void {
    this.plans.set(key, plan);
    this.places.set(key, conversationId);
    this.ids.set(key, (this.ids.get(key) ?? new Set()).add(id));
  }

  idOf(key: string): string {
    return [...(this.ids.get(key) ?? [])][0] ?? 'never-asked';
  }

  keyOf(id: string | undefined): string | undefined {
    return [...this.ids].find(([, ids]) => id !== undefined && ids.has(id))?.[0];
  }
}

function valueInWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** How a wait has ended. */
export function inWords(outcome: Outcome<unknown>): string {
  if (outcome.status === 'answered') return `Paid ${valueInWords(outcome.value)}`;
  return outcome.reason === 'erased' ? outcome.reason : outcome.status;
}

const order = { pattern: /^\d{5}$/ };

/** The question of a plan, by its key. */
export function questionOf(key: string, { kind }: Plan): Question<unknown> {
  const fields = { order: text('Which order?', order), sure: confirm('Sure?') };
  return { text: () => text(key, order), vote: () => confirm(key), form: () => form(key, fields) }[kind]();
}

/** How a plan is asked, wherever it is asked. */
export function optionsOf(
  { kind, retries, by, others, soon: expires, secret, careful, reminds }: Plan,
  soon: number,
): Omit<AskOptions, 'via'> {
  const whom = {
    asker: 'asker',
    bob: ['phone:bob'],
    anyone: 'anyone',
    clerks: { roles: ['clerk'] },
    owners: { policy: 'owners' },
  } as const;
  return {
    maxRetries: retries,
    answerableBy: whom[by],
    excludeAsker: others,
    sensitive: secret,
    onCrash: careful ? 'park' : 'retry',
    ...(kind === 'vote' ? { quorum } : {}),
    ...(expires ? { expiresIn: soon } : {}),
    ...(reminds ? { remindAfter: soon / 2 } : {}),
  };
}

/** Asks for what a message wants, one ask for each plan. What is answered is paid out. */
export class Clerk extends BaseAgent {
  readonly name = 'clerk';

  /** Where it is registered. */
  registry: AgentRegistry | undefined;
  /** By conversation: what its turn is about to wait for. */
  readonly #wanted = new Map<string, { readonly key: string; readonly plan: Plan }>();

  constructor(
    private readonly outside: Outside,
    private readonly soon: number,
  ) {
    super();
  }

  /** An ask was opened: the one that a turn is about to wait for, if there is one. */
  opened({ conversationId, askId }: { readonly conversationId: string; readonly askId: string }): void {
    const wanted = this.#wanted.get(conversationId);
    if (wanted === undefined) return;
    this.outside.asked(wanted.key, wanted.plan, askId, conversationId);
    this.#wanted.delete(conversationId);
  }

  readonly #vote = this.question('vote', confirm('Pay it?'), {
    onAnswer: (yes, turn) => this.#pays(yes ? 'yes' : 'no', turn),
  });
  readonly #form = this.question(
    'form',
    form('A payment', { order: text('Which order?', order), sure: confirm('Sure?') }),
    {
      onAnswer: (answer, turn) => this.#pays(JSON.stringify(answer), turn),
    },
  );

  async #pays<T>(answer: string, { effectKey, once, pending }: Continuation<T>): Promise<string> {
    this.outside.starts(pending);
    this.outside.reaches('before', pending.id, answer);
    await once('pay', async () => this.outside.does(effectKey, `Paid ${answer}`));
    this.outside.reaches('after', pending.id, answer);
    return pending.sensitive ? 'Paid' : `Paid ${answer}`;
  }

  #options(plan: Plan, elsewhere: string): AskOptions {
    const options = optionsOf(plan, this.soon);
    if (!plan.via) return options;
    return { ...options, via: { channel: 'phone', to: elsewhere, conversationId: elsewhere } };
  }

  /** Asks, and goes on with what comes of it in the same turn. */
  async #waits(key: string, plan: Plan, { conversationId, message = '' }: AgentInput): Promise<string> {
    const question = { text: text(key, order), vote: this.#vote, form: this.#form }[plan.kind];
    const options = optionsOf(plan, this.soon);
    // a turn that runs again finds its ask: what is opened there next, perhaps after an erase, is another one
    if (!this.outside.ids.has(key)) this.#wanted.set(conversationId, { key, plan });
    const waiting = { timeout: patienceFor(plan, this.soon), keep: plan.waits === 'keep' };
    const outcome = await this.askAndWait<unknown>(question as Declared<unknown>, { ...options, ...waiting }).finally(
      () => this.#wanted.delete(conversationId),
    );
    this.outside.asked(key, plan, outcome.ask.id, conversationId);
    return this.#hears(key, outcome, message);
  }

  /** Asks in the other conversation, and waits for the answer. */
  async #waitsElsewhere(key: string, plan: Plan, { message = '' }: AgentInput, elsewhere: string): Promise<string> {
    this.outside.plans.set(key, plan);
    const where = { channel: 'phone', to: elsewhere, conversationId: elsewhere };
    const waiting = { timeout: patienceFor(plan, this.soon), keep: plan.waits === 'keep' };
    const options = { ...optionsOf(plan, this.soon), ...where, ...waiting };
    const outcome = await (this.registry as AgentRegistry).askAndWait<unknown>(questionOf(key, plan), options);
    this.outside.asked(key, plan, outcome.ask.id, elsewhere);
    const told = await this.#hears(key, outcome, message);
    this.outside.toldOf.set(key, told);
    return told;
  }

  /** The turn was told how its wait ended. Returns it in words. What fails here fails in the turn's own code. */
  async #hears(key: string, outcome: Outcome<unknown>, message: string): Promise<string> {
    const { ask } = outcome;
    const what = inWords(outcome);
    if (what === 'erased') this.outside.erased.add(ask.id);
    const isOver =
      what !== 'erased' && what !== 'waiting' && !(what === 'cancelled' && this.outside.plans.get(key)?.via);
    if (isOver) this.outside.starts(ask);
    this.outside.reaches('before', message, what);
    if (isOver) await this.once(`hear ${key}`, async () => this.outside.does(ask.effectKey, what));
    this.outside.reaches('after', message, what);
    return ask.sensitive && outcome.status === 'answered' ? 'Paid' : what;
  }

  async invokeAgent(input: AgentInput): Promise<AgentResult> {
    const pending = this.getPendingAsk();
    if (pending && input.message) {
      const pay = (answer: string, turn: Continuation<string>) => this.#pays(answer, turn);
      const simpleValidation = (reply: string) => {
        this.outside.reaches('check', reply, reply);
        return isGood(reply);
      };
      return this.handlePendingAsk(pending, input.message, pay, undefined, { simpleValidation });
    }
    const wanted = plans(input.message ?? '');
    const isWaiting = wanted.some(({ waits }) => waits !== 'no');
    if (wanted.length > 0) this.outside.reaches('before', input.message ?? '');
    const got: string[] = [];
    for (const [i, plan] of wanted.entries()) {
      const key = keyOf(input.message ?? '', i);
      const elsewhere = input.conversationId === 'c0' ? 'c1' : 'c0';
      if (plan.waits !== 'no') {
        const waits = plan.via ? this.#waitsElsewhere(key, plan, input, elsewhere) : this.#waits(key, plan, input);
        got.push(await waits);
        continue;
      }
      const question = { text: key, vote: this.#vote, form: this.#form }[plan.kind];
      const result = await this.ask(question, this.#options(plan, elsewhere));
      const place = plan.via ? elsewhere : input.conversationId;
      this.outside.asked(key, plan, String(result.metadata?.['askId']), place);
    }
    if (wanted.length > 0) this.outside.reaches('after', input.message ?? '');
    if (isWaiting) return { output: `Got ${got.join(', ')}` };
    if (wanted.length > 0) return {};
    return { output: input.lateFor === undefined ? 'hello' : `too late for ${this.outside.keyOf(input.lateFor.id)}` };
  }

  protected override async onAskClosed(
    pending: PendingAsk<unknown>,
    why: Closed,
    { effectKey, once }: Continuation<unknown>,
  ): Promise<void> {
    this.outside.starts(pending);
    this.outside.reaches('before', pending.id);
    await once('close', async () => this.outside.does(effectKey, why));
    this.outside.reaches('after', pending.id);
  }
}

export class Phone implements Channel {
  readonly name = 'phone';
  desk: Desk | undefined;

  constructor(private readonly outside: Outside) {}

  start(desk: Desk): void {
    this.desk = desk;
  }

  async send({ conversationId, key }: OutgoingMessage): Promise<void> {
    this.outside.delivered.push({ conversationId, key });
  }
}
