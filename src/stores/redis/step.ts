/**
 * A step that is to be applied to a conversation, and what this process knows of the conversation. Only data: apply.ts
 * says what happens with it.
 */
import type { AgentError } from '../../core/errors.js';
import type { Applied } from '../lifecycle/ports.js';
import type { ConversationRecord, QueuedEntry } from '../lifecycle/record.js';
import type { FoundReads, KeyPlace, StepPlan } from './reads-writes.js';
import type { Asker, Batch } from './transport/batches.js';

export type Rule<A> = (record: ConversationRecord | undefined, now: number, plan: StepPlan) => Applied<A>;

export interface StepOptions {
  /** What MONITOR and the slow log show. */
  readonly name: string;
  /** By how much the time that the rule is given may be late, in ms. */
  readonly lateness: number;
  /** It may be the first step of a conversation. */
  readonly mayBeNew: boolean;
  /** It ends or continues work that was taken, so it must get through when Redis is out of memory. */
  readonly isUrgent: boolean;
}

/** Who hears of the answer to a step. */
export interface StepOwner {
  answered(step: Step, answer: unknown): void;
  failed(step: Step, error: unknown): void;
}

/** What is known of a conversation. */
export class Known implements KeyPlace {
  readonly key: string;
  readonly root: string;
  readonly id: string;
  readonly conversationId: string;
  /** As it will be when all that is under way is applied; null if there will be none; undefined if that is not known. */
  record: ConversationRecord | null | undefined = undefined;
  /** The second in the queue, as far as it is known. */
  second: QueuedEntry | null | undefined = undefined;
  /** How often the front of the queue has changed. */
  shifts = 0;
  underWay = 0;
  /** The call of the last step under way, and whether that step writes the record. */
  last: Batch | undefined = undefined;
  isLastWriting = false;
  /** Steps to be tried again, and those that wait behind them. */
  missed: Step[] = [];
  waiting: Step[] = [];
  /** The record that the last missed step found, and what its reads did. */
  found: { readonly text: string | null; readonly facts: FoundReads } | undefined = undefined;
  isLong = false;
  /** Why a step failed, while others are under way: what was asked for behind it is refused as well. */
  failure: AgentError | undefined = undefined;

  constructor(key: string, conversationId: string) {
    const tag = key.indexOf('}:') + 2;
    this.key = key;
    this.root = key.slice(0, tag);
    this.id = key.slice(tag + 'c:'.length);
    this.conversationId = conversationId;
  }

  get isQuiet(): boolean {
    return this.underWay === 0 && this.missed.length === 0 && this.waiting.length === 0;
  }
}

/** One step of the port. */
export class Step implements Asker {
  tries = 0;
  facts: FoundReads | undefined = undefined;
  /** The facts were found by the last try. */
  isFresh = false;
  /** What the rule made in the last try; undefined if that only read. */
  applied: Applied<unknown> | undefined = undefined;
  names: readonly string[] = [];
  estimate = 0;
  lateness = 0;
  isGuessedNew = false;
  isTimed = false;
  isForced = false;
  refusal: unknown = undefined;
  nextSecond = -1;
  shift = 0;
  finish: StepPlan['finish'] = undefined;
  private readonly owner: StepOwner;
  readonly known: Known;
  readonly rule: Rule<unknown>;
  readonly options: StepOptions;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;

  constructor(
    owner: StepOwner,
    known: Known,
    rule: Rule<unknown>,
    options: StepOptions,
    resolve: (answer: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    this.owner = owner;
    this.known = known;
    this.rule = rule;
    this.options = options;
    this.resolve = resolve;
    this.reject = reject;
  }

  answered(answer: unknown): void {
    this.owner.answered(this, answer);
  }

  failed(error: unknown): void {
    this.owner.failed(this, error);
  }
}
