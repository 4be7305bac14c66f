/**
 * Optimistic apply: a rule runs on the record as this process knows it, and the script applies the result if the record is
 * still that one. Otherwise the rule runs again on what was found. No rule is written here.
 *
 * Steps of one conversation take effect in the order in which they were asked for. Several may be under way: each is
 * computed from what the one before will leave. One that follows a step which writes the record can only be applied after
 * it, because it expects that step's stamp; one that follows any other step shares its call, where the script keeps the
 * order, or waits. When one is missed, all that follow are tried again behind it.
 */
import { AgentError } from '../../core/errors.js';
import { OptimisticBackoff } from '../../core/optimistic-backoff.js';
import type { Clock } from '../../machine/clock.js';
import { ShortLivedMap } from '../../machine/short-lived-map.js';
import type { Applied } from '../lifecycle/ports.js';
import type { ConversationRecord } from '../lifecycle/record.js';
import { encodeRecord } from '../lifecycle/record-text.js';
import type { Keys } from './keys.js';
import { decodeQueued, type FoundReads, keysOf, MustRead, type Read, StepPlan } from './reads-writes.js';
import { applyAnyway, applySteps, heldBack, missed, repeated, stampSize } from './script.js';
import { ServerTime } from './server-time.js';
import { readRecord, Stamps } from './stamps.js';
import { Known, type Rule, Step, type StepOptions } from './step.js';
import type { Batch, StepBatches } from './transport/batches.js';

/** What the store needs of its connections. */
export interface Transport {
  readonly batches: StepBatches;
  readonly isCluster: boolean;
}

/** Conversations that something is known of, and the longest record that is kept. */
const mostKnown = 2_048;
const longestKept = 16_384;
/**
 * Tries of a step before it is given up. From the third on there are pauses, which double up to this many ms. Each process that
 * forestalls another is through: where many people write to one conversation at the same moment, each of them new to it, the
 * last one needs as many tries as there are others.
 */
const mostTries = 100;
const longestPause = 250;
/** The stamp that no record has: the step only reads. */
const noStamp = '?';
const noReads: readonly Read[] = [];

export class OptimisticApply {
  readonly time: ServerTime;
  private readonly keys: Keys;
  private readonly transport: () => Transport;
  private readonly errorOf: (error: unknown) => unknown;
  private readonly clock: Clock;
  private readonly cache = new ShortLivedMap<string, Known>();
  private readonly plan = new StepPlan();
  /** Whether to guess that an unknown conversation is new. */
  private readonly newcomers = new OptimisticBackoff();
  private readonly stamps = new Stamps();

  constructor(keys: Keys, transport: () => Transport, errorOf: (error: unknown) => unknown, clock: Clock) {
    this.keys = keys;
    this.transport = transport;
    this.errorOf = errorOf;
    this.clock = clock;
    this.time = new ServerTime(clock);
  }

  /** Applies a rule to a conversation. */
  run<A>(conversationId: string, rule: Rule<A>, options: StepOptions): Promise<A> {
    return new Promise((resolve, reject) => {
      const known = this.knownOf(conversationId);
      this.add(new Step(this, known, rule as Rule<unknown>, options, resolve as (answer: unknown) => void, reject));
    });
  }

  private add(step: Step): void {
    const { known } = step;
    if (known.missed.length > 0 || known.waiting.length > 0) known.waiting.push(step);
    else this.attempt(step, undefined);
  }

  private attempt(step: Step, shared: FoundReads | undefined): void {
    const { known } = step;
    let batch: Batch;
    try {
      const { batches, isCluster } = this.transport();
      batch = batches.batch(step.isForced ? applyAnyway : applySteps, isCluster ? known.root : '');
    } catch (error) {
      step.reject(error); // the store was closed
      return;
    }
    const isInOrder = known.isLastWriting || known.last === batch;
    if (known.underWay > 0 && (known.record === undefined || !isInOrder)) {
      known.waiting.push(step);
      return;
    }
    if (known.record === undefined && this.isGuessedNew(step)) known.record = null;
    if (known.record === undefined) this.look(step, batch, noReads);
    else this.compute(step, batch, shared);
  }

  private isGuessedNew(step: Step): boolean {
    const mayBeNew = step.options.mayBeNew && step.tries === 0 && !step.isForced;
    step.isGuessedNew = mayBeNew && this.time.isKnown && this.newcomers.shouldTry();
    return step.isGuessedNew;
  }

  private compute(step: Step, batch: Batch, shared: FoundReads | undefined): void {
    const { known, options } = step;
    const { plan } = this;
    const record = known.record ?? undefined;
    const stamp = record?.stamp ?? '';
    const wasOpen = record?.isOpen === true;
    const facts = step.facts ?? shared;
    const isFresh = step.isFresh && step.facts?.stamp === stamp;
    step.isFresh = false;
    const estimate = this.time.now();
    plan.begin(known, facts?.stamp === stamp ? facts.found : undefined, known.second);
    let applied: Applied<unknown>;
    try {
      applied = step.rule(record, estimate, plan);
      plan.end();
    } catch (error) {
      if (error instanceof MustRead) this.look(step, batch, plan.reads);
      else step.reject(error);
      return;
    }
    const writesRecord = applied.isChanged && applied.record !== undefined;
    const isWriting = applied.isChanged || plan.isWriting;
    step.applied = applied;
    step.finish = plan.finish;
    if (!isWriting && isFresh && this.answerByFacts(step, facts?.found as Map<string, unknown>)) return;
    if (isWriting && step.isForced && !options.isUrgent && !wasOpen) {
      step.reject(step.refusal);
      return;
    }
    known.record = applied.record ?? null;
    if (plan.isShifted) {
      known.shifts += 1;
      known.second = undefined;
    }
    step.shift = known.shifts;
    step.nextSecond = plan.nextSecond;
    step.isTimed = plan.isTimed;
    step.estimate = estimate;
    step.lateness = Math.min(options.lateness + 25 * step.tries, untilDue(record, estimate));
    let text = '';
    let expires = '';
    if (writesRecord && applied.record !== undefined) {
      applied.record.stamp = this.stamps.next();
      text = applied.record.stamp + encodeRecord(applied.record);
      if (applied.record.isRetired) expires = String(Math.ceil(applied.record.endsAt));
      known.isLong = text.length > longestKept;
    }
    this.send(step, batch, stamp, text, expires, applied.isChanged);
  }

  /** What a rule that writes nothing says of a record and what was found with it: that need not be compared again. */
  private answerByFacts(step: Step, found: Map<string, unknown>): boolean {
    const { reads } = this.plan;
    if (!reads.every(({ name }) => found.has(name))) return false;
    const { answer } = step.applied as Applied<unknown>;
    step.resolve(step.finish === undefined ? answer : step.finish(reads.map(({ name }) => found.get(name))));
    return true;
  }

  /** Only reads: the record, and what a rule must know. */
  private look(step: Step, batch: Batch, reads: readonly Read[]): void {
    const { plan } = this;
    plan.begin(step.known, undefined, undefined);
    plan.reads = [...reads];
    step.applied = undefined;
    step.estimate = 0;
    this.send(step, batch, noStamp, '', '', false);
    step.known.last = undefined; // nothing can follow it before it is answered
  }

  private send(step: Step, batch: Batch, stamp: string, record: string, expires: string, isWriting: boolean): void {
    const { known, options } = step;
    const { plan } = this;
    const { packer } = batch;
    const { reads } = plan;
    step.names = reads.map(({ name }) => name);
    packer.list(10);
    packer.text(options.name);
    packer.number(known.key.length - known.root.length);
    packer.text(stamp);
    packer.number(step.estimate);
    packer.number(step.lateness);
    packer.list(reads.length);
    for (const { expected, limit, command } of reads) {
      packer.list(2 + command.length);
      packer.number(expected);
      packer.number(limit);
      for (const each of command) packer.text(each);
    }
    for (const writes of [plan.writes, plan.lists]) {
      packer.list(writes.length);
      for (const write of writes) packer.texts(write);
    }
    packer.text(record);
    packer.text(expires);
    batch.records.push(known.key);
    if (this.transport().isCluster) for (const key of keysOf(plan)) batch.others.add(key);
    known.underWay += 1;
    known.last = batch;
    known.isLastWriting = isWriting;
    this.transport().batches.add(batch, step);
  }

  /** The script's answer to a step. */
  answered(step: Step, answer: unknown): void {
    const { known } = step;
    known.underWay -= 1;
    if (typeof answer === 'number') this.done(step, answer, false, []);
    else if (!Array.isArray(answer)) this.refused(step, answer);
    else {
      const [now, state, record, ...found] = answer as [number, number, string | null, ...unknown[]];
      if (state === heldBack) known.missed.push(step);
      else if (state === missed) this.miss(step, now, record, found);
      else this.done(step, now, state === repeated, found);
    }
    this.goOn(known);
  }

  /** The call failed, and nobody knows whether it was applied. */
  failed(step: Step, error: unknown): void {
    step.known.underWay -= 1;
    this.refused(step, error);
    this.goOn(step.known);
  }

  private refused(step: Step, error: unknown): void {
    const { known } = step;
    known.record = undefined;
    known.found = undefined;
    const told = this.errorOf(error ?? new Error('Redis gave no answer to a step'));
    if (told instanceof AgentError && told.code === 'store-full' && !step.isForced) {
      step.isForced = true;
      step.refusal = told;
      known.missed.push(step);
      return;
    }
    step.reject(told);
    // its caller tries again, and what was asked for after it must not go first
    if (told instanceof AgentError && told.code === 'store-unavailable') known.failure ??= told;
  }

  private done(step: Step, now: number, isRepeat: boolean, found: readonly unknown[]): void {
    const { known } = step;
    const { isChanged, answer, record } = step.applied as Applied<unknown>;
    this.time.hear(now);
    known.found = undefined;
    if (step.isGuessedNew) this.newcomers.record(true);
    if (!isChanged || step.isTimed) {
      // nothing was written with our estimate of the time, so the server's own is told
      const timed = answer as { now?: number } | undefined;
      if (typeof timed?.now === 'number' && timed.now < now) timed.now = now;
      if (record !== undefined && known.record === record && record.lastTime < now) record.lastTime = now;
    }
    if (step.nextSecond >= 0 && !isRepeat && known.shifts === step.shift) {
      const second = found[step.nextSecond] as string | null;
      known.second = second === null ? null : decodeQueued(second);
    }
    step.resolve(step.finish === undefined ? answer : step.finish(found));
  }

  private miss(step: Step, now: number, record: string | null, found: readonly unknown[]): void {
    const { known } = step;
    if (step.estimate > now + 2) this.time.correct(now);
    else this.time.hear(now);
    if (step.isGuessedNew) this.newcomers.record(record === null);
    step.isGuessedNew = false;
    const stamp = record?.slice(0, stampSize) ?? '';
    if (step.facts?.stamp !== stamp) step.facts = { stamp, found: new Map() };
    for (const [i, name] of step.names.entries()) step.facts.found.set(name, found[i]);
    step.isFresh = true;
    step.tries += 1;
    known.found = { text: record, facts: step.facts };
    known.missed.push(step);
  }

  /** When all that was under way is answered, tries again what was missed, in order, and then what waited. */
  private goOn(known: Known): void {
    if (known.underWay > 0) return;
    known.last = undefined; // it would keep all steps of that call in memory
    if (known.failure !== undefined) this.giveUp(known, known.failure);
    if (known.missed.length === 0 && known.waiting.length === 0) {
      if (!known.record || known.record.isRetired || known.isLong) this.cache.delete(known.conversationId);
      return;
    }
    const tries = known.missed[0]?.tries ?? 0;
    if (tries > mostTries) {
      const step = known.missed.shift() as Step;
      step.reject(
        new AgentError(
          'store-unavailable',
          `Conversation ${JSON.stringify(known.conversationId)} was changed by others ${mostTries} times while a step was tried, and nothing of it was done. Try again.`,
        ),
      );
      this.goOn(known);
    } else if (tries > 2)
      this.clock.after(this.stamps.random() * Math.min(longestPause, 2 ** (tries - 2)), () => this.again(known));
    else this.again(known);
  }

  /** Rejects, in order, all that was asked for behind a step that failed. */
  private giveUp(known: Known, failure: AgentError): void {
    const behind = [...known.missed, ...known.waiting];
    known.missed = [];
    known.waiting = [];
    known.record = undefined;
    known.found = undefined;
    known.failure = undefined;
    for (const step of behind) step.reject(failure);
  }

  private again(known: Known): void {
    const { missed: all, waiting, found } = known;
    known.missed = [];
    known.waiting = [];
    if (all.length > 0) {
      known.second = undefined;
      try {
        known.record = found === undefined ? undefined : found.text === null ? null : readRecord(found.text);
      } catch (error) {
        known.record = undefined;
        for (const step of all.splice(0)) step.reject(error);
      }
      known.found = undefined;
    }
    for (const step of [...all, ...waiting]) {
      if (known.waiting.length > 0) known.waiting.push(step);
      else this.attempt(step, found?.facts);
    }
    this.goOn(known);
  }

  private knownOf(conversationId: string): Known {
    const { cache } = this;
    const found = cache.get(conversationId);
    if (found !== undefined) {
      if (cache.size > mostKnown / 2) {
        cache.delete(conversationId);
        cache.set(conversationId, found);
      }
      return found;
    }
    const known = new Known(this.keys.conversation(conversationId), conversationId);
    cache.set(conversationId, known);
    if (cache.size > mostKnown) {
      for (const oldest of cache.values()) {
        if (!oldest.isQuiet || oldest === known) continue;
        cache.delete(oldest.conversationId);
        break;
      }
    }
    return known;
  }
}

/** A reply that comes when the time of its question is nearly over must be judged by the server's time. */
function untilDue(record: ConversationRecord | undefined, now: number): number {
  const due = record?.dueAt ?? null;
  return due === null || due <= now ? Number.MAX_SAFE_INTEGER : Math.ceil(due - now) - 1;
}
