/**
 * Asks as tests write and read them: all fields side by side.
 */
import type { Ask, PublicAsk } from '../../src/core/ask/ask.js';
import { shapeOf } from '../../src/core/ask/ask.js';
import type { AskColumns, OtherFields } from '../../src/core/ask/grouped.js';
import { groupedAsk } from '../../src/core/ask/grouped.js';

type Others = OtherFields[keyof OtherFields];
type Flat<G> = (G extends unknown ? (fields: G) => void : never) extends (fields: infer All) => void ? All : never;

/** All fields, under the names that are stored. */
export interface FlatAsk
  extends Partial<Omit<AskColumns, 'text'>>,
    Omit<Flat<Others>, keyof AskColumns | 'own' | 'further' | 'part'> {
  readonly question?: string;
}

/** An ask of these fields. What is not given is usual. `newer`: fields of a newer release. */
export function askWith({ question: text = 'Sure?', ...given }: FlatAsk, newer?: Ask['more']): Ask {
  const usual = { id: 'a', agentName: 'support', context: {}, askedAt: 0, shown: false } as const;
  const absent = { name: undefined, asker: undefined, expiresAt: undefined, shownIn: undefined } as const;
  const columns: AskColumns = { ...usual, ...absent, place: { channel: 'phone', address: 'c1' }, ...given, text };
  const from = { question: given, own: given, audience: given, places: given, timing: given, progress: given };
  return groupedAsk(columns, from, newer);
}

/** The same ask with these fields. */
export function askLike(ask: Ask, changed: FlatAsk): Ask {
  return askWith({ ...flatAsk(ask), ...changed }, ask.more);
}

/** The fields of an ask. */
export function flatAsk(ask: Ask | PublicAsk): FlatAsk {
  const { id, agentName, status, decision, question, own, audience, places, timing, progress } = ask as Ask; // or less
  const { text, ...asked } = question;
  const { own: place, further, ...shown } = places;
  const { part, ...sofar } = progress;
  const { prompt, partial } = part ?? {};
  const now = { ...timing, ...sofar, prompt, partial, shape: shapeOf(ask) };
  const flat = {
    id,
    agentName,
    status,
    decision,
    question: text,
    ...asked,
    ...own,
    ...audience,
    place,
    ...shown,
    ...now,
  };
  return { ...flat, places: further };
}
