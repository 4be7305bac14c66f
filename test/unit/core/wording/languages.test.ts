/** The built-in languages are complete, and no word in them says two things. */
import { describe, expect, test } from 'vitest';
import { friendlyEmoji } from '../../../../src/core/reply-words.js';
import { folded } from '../../../../src/core/text.js';
import type { Words } from '../../../../src/core/wording/data.js';
import { english } from '../../../../src/core/wording/english.js';
import { vocabularyOf } from '../../../../src/core/wording/language.js';
import { builtInLanguages } from '../../../../src/core/wording/languages.js';
import type { Wording } from '../../../../src/core/wording/wording.js';

/** The sentences that are given something, with what they must mention. */
const calls: {
  readonly [Name in keyof Wording as Parameters<Wording[Name]> extends [] ? never : Name]: readonly Parameters<
    Wording[Name]
  >[];
} = {
  notUnderstood: [['Which size?', 'Pick one.']],
  notValid: [['Which size?', 'Pick one.']],
  already: [[undefined], [{ id: 'x', name: 'Berta' }]],
  invalid: [['Pick one.']],
  reminder: [['Which size?']],
  handedToYou: [
    [{ id: 'x', name: 'Berta' }, 'Which size?', 'I am away.'],
    [{ id: 'x', name: 'Berta' }, 'Which size?', undefined],
  ],
  handedOver: [[{ id: 'x', name: 'Berta' }]],
  handOverTooFew: [[3, 2]],
  handOverTooOften: [[5]],
  voted: [[2, 3]],
  pickOne: [[['small', 'large']]],
  pickSeveral: [
    [['small', 'large'], 1, 2],
    [['small', 'large'], 2, 2],
  ],
  ambiguous: [[['1.5', '15']]],
  tooShort: [[7]],
  tooLongText: [[70]],
  wrongPattern: [[undefined], ['AB-12']],
  needNumber: [['42']],
  needWhole: [['42']],
  outOfRange: [
    ['1', '9'],
    ['1', undefined],
    [undefined, '9'],
  ],
  outOfDates: [
    ['2026-01-01', '2026-12-31'],
    ['2026-01-01', undefined],
    [undefined, '2026-12-31'],
  ],
  needDate: [['2026-11-15']],
  needEmail: [['anna@example.org']],
  missing: [[['Name', 'Street']]],
  allow: [['refund']],
  approved: [[undefined]],
  timeOf: [['Delivery']],
  openUntil: [['15:30']],
  votesSoFar: [[2, 3]],
  ended: [],
};
const given: Readonly<Record<string, readonly (readonly unknown[])[]>> = calls;

function mentioned(argument: unknown): readonly string[] {
  if (argument === undefined) return [];
  if (Array.isArray(argument)) return argument.flatMap(mentioned);
  if (typeof argument === 'object' && argument !== null) return [(argument as { name: string }).name];
  return [String(argument)];
}

const lists = (words: Words): readonly (readonly [string, readonly string[]])[] =>
  Object.entries(words).flatMap(([name, value]: [string, unknown]) =>
    Array.isArray(value) && name !== 'dayParts' ? [[name, (value as (string | string[])[]).flat()] as const] : [],
  );

describe.each(builtInLanguages.map((language) => [language.locale, language] as const))('%s', (_, language) => {
  const { words, wording } = language;

  test('has every sentence, and each mentions what it was given', () => {
    expect(Object.keys(wording).sort()).toEqual(Object.keys(english.wording).sort());
    for (const [name, say] of Object.entries(wording) as [string, (...about: readonly unknown[]) => string][]) {
      for (const call of given[name] ?? [[]]) {
        const sentence = say(...call);
        for (const part of call.flatMap(mentioned)) expect(sentence, name).toContain(part);
        expect(sentence.trim(), name).not.toBe('');
        expect(sentence, name).not.toMatch(/undefined|\[object|NaN|[{}]/);
      }
    }
  });

  test('says how an ask ended, each end in other words, and by whom where that is known', () => {
    const ends = ['answered', 'declined', 'cancelled', 'expired', 'exhausted'] as const;
    const said = ends.map((how) => wording.ended(how, undefined));
    expect(new Set(said).size).toBe(ends.length);
    for (const sentence of said) expect(sentence).toMatch(/^\p{L}[^.]+$/u);
    for (const how of ends.slice(0, 3)) expect(wording.ended(how, { id: 'x', name: 'Berta' })).toContain('Berta');
  });

  test('has every list, with something in each place', () => {
    expect(Object.keys(words)).toEqual(expect.arrayContaining(Object.keys(english.words)));
    for (const [name, list] of lists(words)) if (name !== 'unlikeEnglish') expect(list.length, name).toBeGreaterThan(0);
    expect(words.months).toHaveLength(12);
    expect(words.ordinals.length).toBeGreaterThanOrEqual(10);
    expect(words.numbers.length).toBeGreaterThanOrEqual(13);
    for (const place of [...words.months, ...words.ordinals]) expect(place.length).toBeGreaterThan(0);
  });

  test('has every word in the form that replies are compared in, and once', () => {
    for (const [name, list] of lists(words)) {
      for (const word of list) {
        expect(word, name).not.toBe('');
        if (name !== 'unlikeEnglish') expect(folded(`${word}x`), name).toBe(`${word}x`);
      }
      expect(new Set(list).size, `${name}: ${list.filter((word, i) => list.indexOf(word) !== i).join()}`).toBe(
        list.length,
      );
    }
  });

  test('says yes, no, stop and skip with phrases that mean nothing else, also beside English', () => {
    const { yes, weakYes, no, decline, skip, why, before, after, numbers, not } = vocabularyOf(words, english.words);
    const saying = { yes: [...yes, ...weakYes], no: [...no] };
    expect(saying.yes.filter((word) => no.has(word))).toEqual([]);
    for (const one of Object.values(saying)) {
      for (const other of [decline, skip, why, before, after]) {
        const shared = one.filter((word) => other.has(word) && !friendlyEmoji.includes(word));
        expect(shared).toEqual([]);
      }
      expect(one.filter((word) => numbers.has(word))).toEqual([]);
    }
    expect(saying.yes.filter((word) => not.has(word))).toEqual([]);
    expect(
      [...words.please, ...words.greetings, ...words.closings, ...words.thanks].filter((word) => not.has(word)),
    ).toEqual([]);
  });

  test('approves and denies with phrases that mean nothing else, also beside English', () => {
    const { yes, no, approve, deny, decline, skip, why } = vocabularyOf(words, english.words);
    const [approving, denying] = [
      [...yes, ...approve],
      [...no, ...deny],
    ];
    expect(approving.filter((word) => denying.includes(word))).toEqual([]);
    for (const other of [decline, skip, why])
      expect([...approving, ...denying].filter((word) => other.has(word))).toEqual([]);
  });

  test('lets nothing stand before or after an answer that would change a number or a day', () => {
    const { please, greetings, closings, thanks, numberLeads, dateLeads, timeLeads, chooses } = words;
    const changing =
      `about around over under before after until by from minus less more up to ca etwa ungefähr rund über unter
      bis ab vor nach mindestens höchstens environ vers avant après jusqu'à moins plus depuis unos sobre hasta desde antes
      después menos más casi`.split(/\s+/);
    const allowed = [
      ...please,
      ...greetings,
      ...closings,
      ...thanks,
      ...numberLeads,
      ...dateLeads,
      ...timeLeads,
      ...chooses,
    ].flatMap((phrase) => phrase.split(' '));
    expect(allowed.filter((word) => changing.includes(word))).toEqual([]);
  });

  test('has no month that is two', () => {
    const months = words.months.flat();
    expect(new Set(months).size).toBe(months.length);
  });
});
