/**
 * The store as a history sees it: a log of what was recorded, replies that get lost, and a process that stands still.
 */
import type { Ask } from '../../../src/core/ask/ask.js';
import { takeBackId } from '../../../src/core/ask/decision.js';
import type { Parked } from '../../../src/core/conversation/conversation.js';
import type { Entry } from '../../../src/core/conversation/entry.js';
import { readConversation, readEntry } from '../../../src/core/format/document.js';
import { AgentError } from '../../../src/index.js';
import type { Claim, Erase, Lent, Mark, Save, Saved, Store, Take, Taken } from '../../../src/stores/port.js';
import type { Step } from './commands.js';

/** An entry that the store said it had recorded. */
export interface Recorded {
  /** The number of the command that brought it. */
  readonly group: number;
  /** Its store answered when a later command had begun: what that one brought may stand before it. */
  readonly isOvertaken: boolean;
  readonly conversationId: string;
  readonly id: string;
  readonly at: number;
  readonly token: string;
  readonly entry: Entry;
  /** How often its conversation had been erased before. */
  readonly life: number;
}

/** Work that the store said it had set aside. */
export interface SetAside {
  readonly conversationId: string;
  readonly life: number;
  /** The work, or the retry of it, that failed. */
  readonly workId: string;
  readonly parked: Parked;
  /** The asks of its conversation that had been shown by then, by their ids. */
  readonly shown: ReadonlySet<string>;
}

/** How often each conversation was erased. */
export type Lives = Map<string, number>;

/** When a turn stopped waiting for an ask, and the entries that it had handled early by then. */
interface GaveUp {
  readonly at: number;
  readonly heard: readonly string[];
  /** It ran again after a crash, and failed before it waited again. */
  readonly hasFailed: boolean;
}

/** At which revision of its conversation an entry was recorded, and which one first showed an ask, by their ids. */
export class Revisions {
  readonly recorded = new Map<string, number>();
  readonly shown = new Map<string, number>();
  readonly ended = new Map<string, number>();
  /** The ended sensitive asks that were remembered when a retry was worked on last. */
  readonly traces = new Map<string, readonly string[]>();
  /** The asks that a turn gave up waiting for: when, and the entries that it had handled early by then. */
  readonly gaveUp = new Map<string, GaveUp>();
  readonly #awaited = new Set<string>();

  constructor(private readonly now: () => number) {}

  heard(conversationId: string, claim?: Claim): void {
    if (claim?.entry === undefined) return;
    const { id, revision } = claim.entry;
    this.recorded.set(id, revision);
    if (!id.startsWith('retry:')) return;
    const { sensitiveTraces = [] } = readConversation(claim.document, conversationId);
    this.traces.set(
      id,
      sensitiveTraces.map(({ ask }) => ask.id),
    );
  }

  wrote({ document, conversationId, revision, asks }: Save): void {
    for (const { id } of asks.settled) if (!this.ended.has(id)) this.ended.set(id, revision + 1);
    if (document === undefined) return;
    const written = readConversation(document, conversationId);
    const heard = Object.keys(written.earlyOutcomes ?? {});
    for (const ask of written.asks) {
      if (ask.progress.shown && !this.shown.has(ask.id)) this.shown.set(ask.id, revision + 1);
      this.#waits(ask, heard);
    }
    for (const { id, decision } of written.parked.flatMap(({ awaited = [] }) => awaited)) {
      if (decision?.entry === takeBackId('left', id) && !this.gaveUp.has(id))
        this.gaveUp.set(id, { at: decision.at, heard, hasFailed: true });
    }
  }

  #waits({ id, progress, status, decision }: Ask, heard: readonly string[]): void {
    const { waitsIn } = progress;
    if (waitsIn !== undefined) this.#awaited.add(id);
    const isKept = waitsIn === undefined && status === 'pending' && this.#awaited.has(id);
    if ((isKept || decision?.entry === takeBackId('patience', id)) && !this.gaveUp.has(id))
      this.gaveUp.set(id, { at: decision?.at ?? this.now(), heard, hasFailed: false });
  }
}

type Call = (...args: readonly unknown[]) => unknown;

/** The store with every step done by `around`, which is given the step itself. */
export function wrapped(inner: Store, around: (step: string, args: readonly unknown[], go: Call) => unknown): Store {
  return new Proxy(inner, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      const go: Call = (...args) => Reflect.apply(method, target, args);
      return (...args: readonly unknown[]) => around(String(name), args, go);
    },
  });
}

/**
 * What the store recorded of slow processes. In real time a lease runs out if the machine is busy for long enough, and the work is done
 * twice although the history has no fault in it.
 */
export class Delays {
  /** A conversation was taken from a holder that had not let go, an output was lent twice, or a step failed. */
  seen = false;
  /** The number of outputs that were lent by looks, and of steps that failed. */
  findings = 0;
  /** The tokens of the holders, by conversation. */
  readonly #held = new Map<string, string>();
  readonly #lent = new Set<string>();

  heard(step: string, call: unknown, result: unknown): void {
    if (step === 'take') this.#took((call as Take).conversationId, (result as Taken).claim);
    else if (step === 'save' && (result as Saved).type === 'saved') this.#saved(call as Save, result as Saved);
    else if (step === 'erase' && result === true) this.#held.delete((call as Erase).conversationId);
    else if (step === 'unsent') for (const each of result as readonly Lent[]) this.#lends(each);
    else if (step === 'sent')
      for (const each of call as readonly Mark[]) if (each.again !== undefined) this.#lent.delete(nameOf(each));
  }

  failed(): void {
    this.seen = true;
    this.findings += 1;
  }

  #took(conversationId: string, claim: Claim | undefined): void {
    if (claim === undefined) return;
    const before = this.#held.get(conversationId);
    if (before !== undefined && before !== claim.token) this.seen = true;
    this.#held.set(conversationId, claim.token);
  }

  #saved({ conversationId, token, outputs, then }: Save, saved: Saved): void {
    for (const { key, to } of outputs) if (to === 'saver') this.#lent.add(nameOf({ conversationId, key }));
    const isHeld = then.type === 'hold' || (saved.type === 'saved' && saved.next !== undefined);
    if (!isHeld && this.#held.get(conversationId) === token) this.#held.delete(conversationId);
  }

  #lends(output: Lent): void {
    this.findings += 1;
    const name = nameOf(output);
    if (this.#lent.has(name)) this.seen = true;
    this.#lent.add(name);
  }
}

const nameOf = ({ conversationId, key }: Pick<Lent, 'conversationId' | 'key'>): string => `${conversationId} ${key}`;

/** Returns the store, with what it records of delays noted. */
export function timed(inner: Store, delays: Delays): Store {
  return wrapped(inner, (step, args, go) => {
    const result = go(...args);
    if (!(result instanceof Promise) || step === 'open' || step === 'close') return result;
    return result.then(
      (value: unknown) => {
        delays.heard(step, args[0], value);
        return value;
      },
      (error: unknown) => {
        delays.failed();
        throw error;
      },
    );
  });
}

interface Log {
  readonly entries: Recorded[];
  readonly lives: Lives;
  readonly revisions: Revisions;
  /** Told of each entry when it is recorded. */
  readonly recorded: (entry: Entry, conversationId: string) => void;
  readonly setAside: SetAside[];
}

/** What a save sets aside, as its document has it. */
function setAsideBy(
  { conversationId, document, closes, parked }: Save,
  life: number,
  shown: ReadonlySet<string>,
): readonly SetAside[] {
  const [added] = parked.added;
  if (added === undefined || closes === undefined) return [];
  const kept = readConversation(document ?? null, conversationId).parked.find(({ id }) => id === added.id);
  return kept === undefined ? [] : [{ conversationId, life, workId: closes.entryId, parked: kept, shown }];
}

/** Keeps a log of all entries, in the order in which the store recorded them, of revisions, and of what was erased. */
export function logged(
  inner: Store,
  { entries: log, lives, revisions, recorded, setAside }: Log,
  group: () => number,
): Store {
  return wrapped(inner, (step, args, go) => {
    if (step === 'save') {
      return (go(...args) as Promise<Saved>).then((saved) => {
        if (saved.type === 'saved') {
          const call = args[0] as Save;
          revisions.wrote(call);
          const shown = new Set(revisions.shown.keys());
          setAside.push(...setAsideBy(call, lives.get(call.conversationId) ?? 0, shown));
          revisions.heard(call.conversationId, saved.next);
        }
        return saved;
      });
    }
    if (step === 'erase') {
      const { conversationId } = args[0] as Erase;
      return (go(...args) as Promise<boolean>).then((done) => {
        if (done) lives.set(conversationId, (lives.get(conversationId) ?? 0) + 1);
        return done;
      });
    }
    if (step !== 'take') return go(...args);
    const call = args[0] as Take;
    const by = group();
    return (go(call) as Promise<Taken>).then((taken) => {
      revisions.heard(call.conversationId, taken.claim);
      const known = log.some((each) => each.token === call.token);
      if (call.entry !== undefined && taken.entry === 'recorded' && !known) {
        const { conversationId, token } = call;
        const { entry } = readEntry({ id: call.entry.id, at: taken.now, data: call.entry.data, revision: 0 });
        const life = lives.get(conversationId) ?? 0;
        recorded(entry, conversationId);
        const isOvertaken = group() > by;
        log.push({ group: by, isOvertaken, conversationId, id: call.entry.id, at: taken.now, token, entry, life });
      }
      return taken;
    });
  });
}

export interface Line {
  readonly store: Store;
  /** The next such step happens, and its caller hears that the store cannot be reached. */
  lose(step: Step): void;
  /** Now, or when the next such step is wanted: that step and all after it wait. */
  freeze(before?: Step): void;
  /** What waited goes on, and nothing is lost any more. */
  thaw(): void;
  readonly frozen: boolean;
  /** Settles when it stands still. */
  stopped(): Promise<void>;
}

/** The line between one process and the store. */
export function lineTo(inner: Store): Line {
  const lost = new Set<string>();
  let before: Step | undefined;
  let standing: Promise<void> | undefined;
  let go: () => void = () => {};
  const waiting: (() => void)[] = [];
  const freeze = (): void => {
    standing ??= new Promise((resolve) => {
      go = resolve;
    });
    before = undefined;
    for (const tell of waiting.splice(0)) tell();
  };
  const store = wrapped(inner, (step, args, does) => {
    if (step === before) freeze();
    const result =
      standing === undefined ? does(...args) : step === 'hint' ? undefined : standing.then(() => does(...args));
    if (!(result instanceof Promise) || !lost.delete(step)) return result;
    return result.then(() => {
      throw new AgentError('store-unavailable', `The reply to ${step} was lost.`);
    });
  });
  return {
    store,
    lose: (step) => void lost.add(step),
    freeze: (step) => {
      if (step === undefined) freeze();
      else before = step;
    },
    thaw: () => {
      lost.clear();
      before = undefined;
      standing = undefined;
      go();
    },
    get frozen() {
      return standing !== undefined;
    },
    stopped: () => (standing === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
  };
}
