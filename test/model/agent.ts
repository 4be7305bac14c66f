/**
 * The agent of the histories, the ledger it pays at, and the telephone its questions go to. All replicas share the last two.
 */
import type {
  AgentInput,
  AgentResult,
  Channel,
  Closed,
  Continuation,
  Desk,
  OutgoingMessage,
  PendingAsk,
} from '../../src/index.js';
import { BaseAgent } from '../../src/index.js';
import { isGood, keyOf, plans } from './reference.js';

/** A provider that honours keys, and everything else outside that outlives a process. */
export class Outside {
  /** What was done under each key, and how often it was asked for. */
  readonly effects = new Map<string, { readonly what: string; calls: number }>();
  /** When each ask was decided, as its continuation was told. */
  readonly decisions = new Map<string, number>();
  /** The ids under which each ask was opened: one, however often its turn ran. */
  readonly ids = new Map<string, Set<string>>();
  /** The conversation each was asked in. */
  readonly places = new Map<string, string>();
  readonly delivered: { readonly conversationId: string; readonly key: string }[] = [];
  readonly wrong: string[] = [];

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
    if (before !== at) this.wrong.push(`ask ${this.keyOf(id)} was decided at ${before} and then at ${at}`);
  }

  asked(key: string, id: string, conversationId: string): void {
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

/** "m3 wants 2 asker soon, 0 anyone never" asks twice; a reply of five digits is paid out. */
export class Clerk extends BaseAgent {
  readonly name = 'clerk';

  constructor(
    private readonly outside: Outside,
    private readonly soon: number,
  ) {
    super();
  }

  async invokeAgent(input: AgentInput): Promise<AgentResult> {
    const pending = this.getPendingAsk();
    if (pending && input.message) {
      const pay = async (answer: string, { effectKey, once, pending: decided }: Continuation<string>) => {
        this.outside.starts(decided);
        await once('pay', async () => this.outside.does(effectKey, `Paid ${answer}`));
        return { output: `Paid ${answer}` };
      };
      return this.handlePendingAsk(pending, input.message, pay, undefined, { simpleValidation: isGood });
    }
    const wanted = plans(input.message ?? '');
    for (const [i, { retries, by, soon }] of wanted.entries()) {
      const key = keyOf(input.message ?? '', i);
      const result = await this.ask(key, {
        maxRetries: retries,
        answerableBy: by === 'bob' ? ['phone:bob'] : by,
        ...(soon ? { expiresIn: this.soon } : {}),
      });
      this.outside.asked(key, String(result.metadata?.['askId']), input.conversationId);
    }
    if (wanted.length > 0) return {};
    return { output: input.lateFor === undefined ? 'hello' : `too late for ${input.lateFor.question}` };
  }

  protected override onAskClosed(
    pending: PendingAsk<unknown>,
    why: Closed,
    { effectKey }: Continuation<unknown>,
  ): void {
    this.outside.starts(pending);
    this.outside.does(effectKey, why);
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
