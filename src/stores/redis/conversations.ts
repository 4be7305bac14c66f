/**
 * Optimistic apply: a rule runs on the record as this process knows it, and the script writes the result if the record is
 * still that one. Otherwise the rule runs again on what was found. No rule is written here.
 *
 * Steps of one conversation take effect in the order in which they were asked for: all that wait leave in one call, each computed from
 * what the one before will leave, and the next ones wait for its answer. Behind one that was missed all are tried again.
 */
import { AgentError } from '../../core/errors.js';
import { OptimisticBackoff } from '../../core/optimistic-backoff.js';
import type { Clock } from '../../machine/clock.js';
import { ShortLivedMap } from '../../machine/short-lived-map.js';
import type { Take } from '../port.js';
import { type Facts, type Needs, noFacts, noNeeds } from '../rules/changes.js';
import type { ConversationRecord, QueuedEntry } from '../rules/record.js';
import type { Applied, Rule } from '../rules/rule.js';
import type { KeyPlace, Keys } from './keys.js';
import { decodeQueued, decodeValue, factsOf, mustLook, type Packed, packStep, type Read, readsOf } from './plan.js';
import { applyAnyway, applySteps, heldBack, missed, repeated, stampSize } from './script.js';
import { ServerTime } from './server-time.js';
import { Stamps } from './stamps.js';
import type { Asker, StepBatches } from './transport/batches.js';
import type { Connections } from './transport/connections.js';

/** How many conversations are kept in memory, and how long their documents may be together, in UTF-16 units. */
const mostKnown = 2_048;
const mostKept = 16 * 1_024 * 1_024;
/** From the third try of a step on there are pauses, which double up to this many ms. */
const longestPause = 250;
/** The stamp that no record has: the step only reads. */
const noStamp = '?';

/** What must be known of a call beyond its rule. */
interface Traits {
  /** By how much the time that the rule is given may be late, in ms. */
  readonly lateness: number;
  /** It may be the first of a conversation. */
  readonly mayBeNew: boolean;
  /** It ends or continues work that was taken, so it must get through when Redis is out of memory. */
  readonly isUrgent: boolean;
}

const mostLate = 1_000;
const leastLate = 5;
const usualTraits: Traits = { lateness: mostLate, mayBeNew: false, isUrgent: true };

/** A lease must not lose more than a tenth of its time. */
export function takeTraits({ lease, entry }: Take): Traits {
  const lateness = lease > 0 ? Math.min(mostLate, Math.max(leastLate, Math.floor(lease / 10))) : mostLate;
  return { lateness, mayBeNew: entry !== undefined, isUrgent: false };
}

/** What is known of a conversation, and what is asked of it. */
class Known {
  /** As it will be when all that is under way is applied; null if there will be none; undefined if that is not known. */
  record: ConversationRecord | null | undefined = undefined;
  /** The entry behind the front one, as far as it is known. */
  second: QueuedEntry | undefined = undefined;
  /** In order. Those before `sent` are under way. */
  steps: Step[] = [];
  sent = 0;
  answered = 0;
  /** How many entries wait, as a step that was missed has found. */
  waiting: number | undefined = undefined;
  /** The length of the document that is kept, in UTF-16 units. */
  kept = 0;
  /** One of the call was not applied: the record that was found there; undefined if that is not known. */
  isMissed = false;
  found: string | null | undefined = undefined;

  constructor(
    readonly place: KeyPlace,
    readonly conversationId: string,
  ) {}
}

class Step implements Asker {
  tries = 0;
  isOver = false;
  isForced = false;
  refusal: unknown = undefined;
  isGuessedNew = false;
  estimate = 0;
  needs: Needs = noNeeds;
  reads: readonly Read[] = [];
  /** What was found while the record had this stamp. */
  facts: Facts = noFacts;
  factsStamp: string | undefined = undefined;
  applied: Applied<unknown> | undefined = undefined;

  constructor(
    readonly owner: Conversations,
    readonly known: Known,
    readonly rule: Rule<unknown, unknown>,
    readonly call: unknown,
    readonly traits: Traits,
    readonly begun: number,
    readonly resolve: (answer: unknown) => void,
    readonly reject: (error: unknown) => void,
  ) {}

  answered(answer: unknown): void {
    this.owner.answered(this, answer);
  }
}

export class Conversations {
  readonly time: ServerTime;
  private readonly keys: Keys;
  private readonly connections: Pick<Connections, 'batches' | 'error'>;
  private readonly clock: Clock;
  private readonly patience: number;
  private readonly cache = new ShortLivedMap<string, Known>();
  /** The length of all documents in it. */
  private kept = 0;
  /** Whether to guess that an unknown conversation is new. */
  private readonly newcomers = new OptimisticBackoff();
  private readonly stamps = new Stamps();

  /** `patience`: for how many ms a step is tried that others forestall. */
  constructor(keys: Keys, connections: Pick<Connections, 'batches' | 'error'>, clock: Clock, patience: number) {
    this.keys = keys;
    this.connections = connections;
    this.clock = clock;
    this.patience = patience;
    this.time = new ServerTime(clock);
  }

  /** Runs a rule. A promise and a step for each call, and nothing else: every step of every turn passes here. */
  run<C, A>(conversationId: string, rule: Rule<C, A>, call: C, traits = usualTraits): Promise<A> {
    return new Promise((resolve, reject) => {
      const known = this.knownOf(conversationId);
      const told = resolve as (answer: unknown) => void;
      const begun = this.clock.elapsed();
      known.steps.push(new Step(this, known, rule as Rule<unknown, unknown>, call, traits, begun, told, reject));
      if (known.sent === 0 && known.steps.length === 1) this.send(known);
    });
  }

  /** The record of a conversation as this process knows it; its stamp tells whether Redis still has that one. */
  recordOf(conversationId: string): ConversationRecord | undefined {
    return this.cache.get(conversationId)?.record ?? undefined;
  }

  /** Sends what waits, as one call. */
  private send(known: Known): void {
    let batches: StepBatches;
    try {
      batches = this.connections.batches;
    } catch (error) {
      for (const step of known.steps.splice(0)) step.reject(error); // the store was closed
      return;
    }
    batches.gather(() => {
      let isMore = true;
      while (isMore && known.sent < known.steps.length)
        isMore = this.add(known, known.steps[known.sent] as Step, batches);
    });
    if (known.steps.length === 0) this.rest(known);
  }

  /** Adds a step to the call. False if nothing may follow it there. */
  private add(known: Known, step: Step, batches: StepBatches): boolean {
    if (step.isForced !== (known.steps[0] as Step).isForced) return false;
    if (known.record === undefined) {
      if (known.sent > 0) return false;
      const mayBeNew = step.traits.mayBeNew && step.tries === 0 && !step.isForced;
      step.isGuessedNew = mayBeNew && this.time.isKnown && this.newcomers.shouldTry();
      if (!step.isGuessedNew) return this.look(known, step, batches);
      known.record = null;
    }
    const record = known.record ?? undefined;
    const stamp = record?.stamp ?? '';
    const now = this.time.now();
    step.needs = step.rule.needs(record, step.call, now);
    let facts = step.factsStamp === stamp ? step.facts : noFacts;
    if (step.needs.room !== undefined && facts.waiting === undefined && known.waiting !== undefined)
      facts = { ...facts, waiting: known.waiting };
    if (step.needs.second && facts.second === undefined && known.second !== undefined)
      facts = { ...facts, second: known.second };
    if (mustLook(step.needs, facts)) return known.sent === 0 && this.look(known, step, batches);
    try {
      step.applied = step.rule.apply(record, step.call, now, facts);
    } catch (error) {
      this.drop(known, step).reject(error);
      return true;
    }
    const { changes } = step.applied;
    if (changes !== undefined && step.isForced && !step.traits.isUrgent && record?.isOpen !== true) {
      this.drop(known, step).reject(step.refusal);
      return true;
    }
    const after = step.applied.record;
    if (changes?.isRecordChanged && after !== undefined) after.stamp = this.stamps.next();
    known.record = after ?? null;
    if (changes?.dequeued !== undefined || changes?.unqueued !== undefined) known.second = undefined;
    step.estimate = now;
    step.reads = readsOf(step.needs, facts, true);
    if (changes?.dequeued !== undefined) step.reads = [...step.reads, third];
    const found = { name: step.rule.name(step.call), stamp, document: record?.document ?? null };
    try {
      this.pack(known, step, batches, found, Math.min(step.traits.lateness + 25 * step.tries, untilDue(record, now)));
    } catch (error) {
      known.record = record ?? null; // the text of a record could not be made: nothing of the step leaves
      this.drop(known, step).reject(error);
    }
    return true;
  }

  /** Only reads: the record, and what the rule must know. */
  private look(known: Known, step: Step, batches: StepBatches): boolean {
    step.applied = undefined;
    step.estimate = 0;
    step.reads = readsOf(step.needs, noFacts, false);
    this.pack(known, step, batches, { name: step.rule.name(step.call), stamp: noStamp, document: null }, 0);
    return false;
  }

  private pack(known: Known, step: Step, batches: StepBatches, found: Packed, lateness: number): void {
    const batch = batches.batch(step.isForced ? applyAnyway : applySteps, known.place.bucket.root);
    const { applied, estimate } = step;
    if (estimate > batch.latest) batch.latest = estimate;
    if (found.stamp !== noStamp && estimate + lateness < batch.until) batch.until = estimate + lateness;
    try {
      packStep(batch.text, known.place, found, step.reads, applied?.record, applied?.changes);
    } catch (error) {
      batch.text.clear(); // it is shared with the steps of other conversations
      throw error;
    }
    batch.text.end(batch.args);
    if (batch.keys.length === 0) batch.keys.push(known.place.key);
    known.sent += 1;
    batches.add(batch, step);
  }

  private drop(known: Known, step: Step): Step {
    known.steps.splice(known.steps.indexOf(step), 1);
    return step;
  }

  /** The answer to a step; those of one call come one after the other, in order. */
  answered(step: Step, answer: unknown): void {
    const { known } = step;
    known.answered += 1;
    try {
      if (typeof answer === 'number') this.done(step, answer, false, noValues);
      else if (!Array.isArray(answer)) this.refused(known, step, answer);
      else {
        const [now, state, record, ...values] = answer as [number, number, string | null, ...unknown[]];
        if (state === missed) this.miss(known, step, now, record, values);
        else if (state === heldBack) known.isMissed = true;
        else this.done(step, now, state === repeated, values);
      }
    } catch (error) {
      this.refused(known, step, error); // what was found is damaged
    }
    if (known.answered === known.sent) this.goOn(known);
  }

  private done(step: Step, now: number, isRepeat: boolean, values: readonly unknown[]): void {
    const { known } = step;
    const { changes, answer, record } = step.applied as Applied<unknown>;
    step.isOver = true;
    this.time.hear(now);
    if (step.isGuessedNew) this.newcomers.record(true);
    if (!changes?.isRecordChanged || changes.enqueued !== undefined) {
      // nothing was written with our estimate of the time, so the server's own is told
      const timed = answer as { now?: number } | undefined;
      if (typeof timed?.now === 'number' && timed.now < now) timed.now = now;
      if (record !== undefined && known.record === record && record.lastTime < now) record.lastTime = now;
    }
    if (changes?.dequeued !== undefined) {
      const next = values.at(-1) as string | null;
      if (!isRepeat && known.record === record && next !== null) known.second = decodeQueued(next);
    }
    step.resolve(answer);
  }

  private miss(known: Known, step: Step, now: number, record: string | null, values: readonly unknown[]): void {
    if (step.estimate > now + 2) this.time.correct(now);
    else this.time.hear(now);
    if (step.isGuessedNew) this.newcomers.record(record === null);
    step.isGuessedNew = false;
    step.tries += 1;
    const stamp = record?.slice(0, stampSize) ?? '';
    const facts = factsOf(step.needs, step.reads, values);
    step.facts = step.factsStamp === stamp ? { ...step.facts, ...facts } : facts;
    step.factsStamp = stamp;
    known.isMissed = true;
    known.found = record;
    known.waiting = step.facts.waiting;
  }

  private refused(known: Known, step: Step, answer: unknown): void {
    const told = this.connections.error(answer);
    known.isMissed = true;
    if (told instanceof AgentError && told.code === 'store-full' && !step.isForced) {
      step.isForced = true;
      step.refusal = told;
      return;
    }
    step.isOver = true;
    step.reject(told);
    // its caller tries again, and what was asked for after it must not go first
    if (told instanceof AgentError && told.code === 'store-unavailable') {
      for (const behind of known.steps.splice(known.sent)) behind.reject(told);
    }
  }

  /** The call is answered: what was missed is tried again, in order, and then what waited. */
  private goOn(known: Known): void {
    const { found } = known;
    if (known.isMissed) known.steps = known.steps.filter((step) => !step.isOver);
    else known.steps.splice(0, known.sent);
    known.sent = 0;
    known.answered = 0;
    if (!known.isMissed) known.waiting = undefined;
    if (known.isMissed) {
      known.isMissed = false;
      known.found = undefined;
      known.second = undefined;
      try {
        known.record = found === undefined ? undefined : found === null ? null : decodeValue(found);
      } catch (error) {
        known.record = undefined;
        for (const step of known.steps.splice(0)) step.reject(error);
      }
    }
    if (known.steps.length === 0) {
      this.rest(known);
      return;
    }
    const { tries, begun } = known.steps[0] as Step;
    if (tries > 2 && this.clock.elapsed() - begun > this.patience) {
      (known.steps.shift() as Step).reject(
        new AgentError(
          'store-unavailable',
          `Conversation ${JSON.stringify(known.conversationId)} was changed by others ${tries} times while a step was tried, and nothing of it was done. Try again.`,
        ),
      );
      this.goOn(known);
    } else if (tries > 2)
      this.clock.after(this.stamps.random() * Math.min(longestPause, 2 ** (tries - 2)), () => this.send(known));
    else this.send(known);
  }

  private rest(known: Known): void {
    const { record } = known;
    if (record && !record.isRetired) {
      const length = record.document?.text.length ?? 0;
      this.kept += length - known.kept;
      known.kept = length;
      if (this.kept > mostKept) this.makeRoom(known);
    } else this.forget(known);
  }

  private forget(known: Known): void {
    if (this.cache.get(known.conversationId) !== known) return;
    this.cache.delete(known.conversationId);
    this.kept -= known.kept;
    known.kept = 0;
  }

  /** Forgets conversations without a call under way, the longest unused first, until the limits are kept. */
  private makeRoom(needed: Known): void {
    for (const oldest of this.cache.values()) {
      if (this.cache.size <= mostKnown && this.kept <= mostKept) return;
      if (oldest.steps.length === 0 && oldest !== needed) this.forget(oldest);
    }
  }

  private knownOf(conversationId: string): Known {
    const { cache } = this;
    const found = cache.get(conversationId);
    if (found !== undefined) {
      if (cache.size > mostKnown / 2 || this.kept > mostKept / 2) {
        cache.delete(conversationId);
        cache.set(conversationId, found);
      }
      return found;
    }
    const known = new Known(this.keys.place(conversationId), conversationId);
    cache.set(conversationId, known);
    if (cache.size > mostKnown) this.makeRoom(known);
    return known;
  }
}

const noValues: readonly unknown[] = [];
/** Which entry will be the second one when the first behind the front is gone. */
const third: Read = { name: 'third', suffix: ':q', command: 'LINDEX', argument: '=1', limit: '' };

/** A reply that comes when the time of its question is nearly over must be judged by the server's time. */
function untilDue(record: ConversationRecord | undefined, now: number): number {
  const due = record?.dueAt ?? null;
  return due === null || due <= now ? Number.MAX_SAFE_INTEGER : Math.ceil(due - now) - 1;
}
