/**
 * Asks as tests write and read them: all fields side by side.
 */
import type { Ask, PublicAsk } from '../../src/core/ask/ask.js';
import { shapeOf } from '../../src/core/ask/ask.js';
import type { OtherFields } from '../../src/core/format/ask-row.js';
import { askFrom } from '../../src/core/format/ask-row.js';

type AllOf<Group> = (Group extends unknown ? (of: Group) => void : never) extends (of: infer All) => void ? All : never;

/** All fields, under the names that are stored. */
export interface FlatAsk
  extends Omit<AllOf<OtherFields[keyof OtherFields]>, 'text' | 'own' | 'part'>,
    Partial<Pick<Ask, 'id' | 'agentName'>> {
  readonly question?: string;
  readonly place?: Ask['places']['own'];
}

/** An ask of these fields. What is not given is usual. `newer`: fields of a newer release. */
export function askWith({ question = 'Sure?', ...given }: FlatAsk, newer?: Ask['more']): Ask {
  const { id = 'a', agentName = 'support', askedAt = 0, place = { channel: 'phone', address: 'c1' } } = given;
  const { context = {}, name = null, asker = null, expiresAt = null, shown = false, shownIn } = given;
  const row = [id, agentName, question, askedAt, place, context, name, asker, expiresAt, 0] as const;
  const from = { question: given, own: given, audience: given, places: given, timing: given, progress: given };
  const made = askFrom(row, from, newer);
  return { ...made, progress: { ...made.progress, shown, shownIn } };
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
