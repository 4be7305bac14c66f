/**
 * A store as stories tell of it: records of the registry are strings. Stories compare what was given and what comes back, and for that the
 * texts are all that counts.
 */
import { type Stored, StoredRecord } from '../../core/format/stored.js';
import type * as port from '../../stores/port.js';

/** The same with a string in the place of each record. */
type AsTexts<T> = T extends Stored
  ? string
  : T extends (...args: infer A) => infer R
    ? (...args: AsTexts<A>) => AsTexts<R>
    : T extends object
      ? { [K in keyof T]: AsTexts<T[K]> }
      : T;

/** The store port with strings. */
export type Store = { [K in keyof port.Store]: MethodWithTexts<port.Store[K]> };
export type Claim = AsTexts<port.Claim>;
export type Erase = AsTexts<port.Erase>;
export type Mark = AsTexts<port.Mark>;
export type NewEntry = AsTexts<port.NewEntry>;
export type Output = AsTexts<port.Output>;
export type Predecide = AsTexts<port.Predecide>;
export type Predecided = AsTexts<port.Predecided>;
export type Save = AsTexts<port.Save>;
export type Saved = AsTexts<port.Saved>;
export type Take = AsTexts<port.Take>;
export type Taken = AsTexts<port.Taken>;
export type { Borrow, Hint, Returned, SettledPage } from '../../stores/port.js';

type MethodWithTexts<M> = M extends (...args: infer A) => infer R
  ? (...args: AsTexts<A>) => R extends Promise<infer P> ? Promise<AsTexts<P>> : R
  : never;

/** Where a call has records. */
const ofRecords: ReadonlySet<string> = new Set(['data', 'document', 'outcome', 'record', 'tombstone', 'history']);

/** The store with strings. */
export function textStore(store: port.Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (name === 'watch') return method.bind(target); // it has no records
      return (...args: unknown[]): unknown => {
        const given: unknown = Reflect.apply(
          method,
          target,
          args.map((each) => withRecords(each)),
        );
        return given instanceof Promise ? given.then(withTexts) : given;
      };
    },
  }) as unknown as Store;
}

function withRecords(value: unknown, isRecord = false): unknown {
  if (typeof value === 'string') return isRecord ? StoredRecord.ofText(value) : value; // as the registry gives them
  if (Array.isArray(value)) return value.map((item) => withRecords(item, isRecord));
  if (typeof value !== 'object' || value === null) return value;
  const call: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value))
    call[key] = key === 'predecide' ? predecideOf(each) : withRecords(each, ofRecords.has(key));
  return call;
}

function predecideOf(given: unknown): unknown {
  if (typeof given !== 'function') return given;
  const predecide = given as Predecide;
  return (document: Stored, now: number) => withRecords(predecide(document.text, now));
}

function withTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTexts);
  if (typeof value !== 'object' || value === null) return value;
  if ('text' in value) return value.text;
  const texts = Object.entries(value).map(([key, each]) => [key, key === 'memo' ? each : withTexts(each)]);
  return Object.fromEntries(texts) as unknown;
}
