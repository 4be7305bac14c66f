/** What holds for every list of options and every reply: it reads back what it draws, never throws, never guesses. */
import { fc, test } from '@fast-check/vitest';
import { expect, test as plainTest } from 'vitest';
import { approvalChoice, approvalConfirm } from '../../../src/answers/approval.js';
import { choiceType } from '../../../src/answers/choice.js';
import { choices, choicesType } from '../../../src/answers/choices.js';
import { confirmType } from '../../../src/answers/confirm.js';
import type { Parsed, ReplyContext } from '../../../src/core/ask/answer-type.js';
import { folded, isBlank } from '../../../src/core/text.js';
import { english } from '../../../src/core/wording/english.js';
import { builtInLanguages } from '../../../src/core/wording/languages.js';
import type { AnswerType, Json } from '../../../src/index.js';
import { choice, confirm } from '../../../src/index.js';
import { anyCharacter } from '../../support/any-character.js';

const typeOf = <T>(type: unknown) => type as AnswerType<T>;

/** Labels of letters that no word of a language is made of, so that only the reading of lists is tried. */
const madeUp = fc.uniqueArray(fc.stringMatching(/^[qxz]{3,6}( [qxz]{2,4})?$/), {
  minLength: 1,
  maxLength: 30,
  selector: folded,
});

/** Any labels that a question may have. */
const anyLabels = fc.uniqueArray(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((label) => label === label.trim() && !isBlank(label) && folded(label) !== ''),
  { minLength: 1, maxLength: 12, selector: folded },
);

const anyReply = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(...Object.values(english.words).flat(2), ',', '1', '2', '?', '👍', '👎', 'qqq', '\n', '#', '"'),
    )
    .map((words) => words.join(' ')),
);

const heards: readonly (ReplyContext | undefined)[] = [
  undefined,
  ...builtInLanguages.map((language) => ({ language })),
];
const anyHeard = fc.constantFrom(...heards);

function isWellFormed(parsed: Parsed<unknown>): boolean {
  if (parsed.ok) return parsed.value !== undefined;
  if (parsed.why === 'more') return typeof parsed.prompt === 'string' && parsed.shape.type === 'text';
  const said = builtInLanguages.every(({ wording }) => parsed.say?.(wording).trim() !== '');
  return ['not-understood', 'not-valid'].includes(parsed.why) && parsed.problem.trim() !== '' && said;
}

test.prop([anyLabels, anyHeard])('a choice reads back every id and label that it draws', async (labels, heard) => {
  const options = labels.map((label, i) => ({ id: `id-${i}-${labels.length}x`, label }));
  const { data } = choice('Which?', options);
  for (const { id, label } of options) {
    for (const reply of [id, label, ` ${label}\n`, label.normalize('NFD')]) {
      expect(await typeOf(choiceType).parse(reply, data, undefined, heard)).toEqual({ ok: true, value: id });
    }
    expect(await typeOf(choiceType).accept?.(id, data)).toEqual({ ok: true, value: id });
  }
});

test.prop([madeUp, anyHeard])('a choice reads back every place in its list, however written', async (labels, heard) => {
  const { data } = choice('Which?', labels);
  for (const [i, label] of labels.entries()) {
    for (const reply of [`${i + 1}`, `#${i + 1}`, `${i + 1}.`, `(${i + 1})`, `option ${i + 1}`, `${i + 1}. ${label}`]) {
      expect(await typeOf(choiceType).parse(reply, data, undefined, heard)).toEqual({ ok: true, value: label });
    }
  }
  for (const outside of [0, labels.length + 1]) {
    expect(await typeOf(choiceType).parse(`${outside}`, data, undefined, heard)).toMatchObject({
      ok: false,
      why: 'not-valid',
    });
  }
});

test.prop([madeUp, fc.infiniteStream(fc.boolean()), anyHeard])(
  'several options are read back from their numbers, labels and ids, in the order named',
  async (labels, coins, heard) => {
    const picked = labels.map((label, i) => ({ label, i })).filter(() => coins.next().value === true);
    fc.pre(picked.length > 0);
    const { data } = choices('Which?', labels);
    const value = picked.map((each) => each.label);
    const numbers = picked.map((each) => each.i + 1);
    for (const reply of [
      value.join(', '),
      value.join(' and '),
      numbers.join(','),
      numbers.join(' '),
      numbers.join(' & '),
    ]) {
      expect(await typeOf(choicesType).parse(reply, data, undefined, heard)).toEqual({ ok: true, value });
    }
    expect(await typeOf(choicesType).accept?.([...value, ...value], data)).toEqual({ ok: true, value });
    expect(await typeOf(choicesType).parse(`${value.join(', ')}, yyy`, data, undefined, heard)).toMatchObject({
      ok: false,
    });
  },
);

const all: readonly (readonly [AnswerType<unknown>, Json])[] = [
  [typeOf(choiceType), choice('Which?', ['Small', 'Large']).data],
  [typeOf(choiceType), choice('Which?', ['Fish and chips', 'qqq', '10', '1st'], { other: true }).data],
  [typeOf(choicesType), choices('Which?', ['Small', 'qqq', 'Salt, pepper'], { min: 0, max: 2 }).data],
  [typeOf(confirmType), confirm('Sure?').data],
  [typeOf(confirmType), confirm('Sure?', { yes: 'Refund', no: 'Keep' }).data],
];

test.prop([anyReply, anyHeard])(
  'no reply makes a type throw, and what it gives is well formed',
  async (reply, heard) => {
    for (const [type, data] of all) expect(isWellFormed(await type.parse(reply, data, undefined, heard))).toBe(true);
  },
);

test.prop([fc.jsonValue()])('no value makes a type throw, and only the exact kind is accepted', async (value) => {
  for (const [type, data] of all) {
    const parsed = await type.accept?.(value as Json, data);
    expect(parsed !== undefined && isWellFormed(parsed)).toBe(true);
    if (parsed?.ok && typeof parsed.value !== 'boolean') expect(parsed.value).toEqual(value);
  }
});

/** Letters of none of the labels, no digits, and no word of any language in it. */
const strange = fc.array(fc.stringMatching(/^[wvjkb]{5,9}$/), { minLength: 1, maxLength: 6 });

test.prop([strange, anyHeard])(
  'a reply with no label, number or word in it is never accepted',
  async (words, heard) => {
    for (const [type, data] of all) {
      for (const divider of [' ', ', ', ' - ', '\n']) {
        const parsed = await type.parse(words.join(divider), data, undefined, heard);
        expect(parsed.ok).toBe(false);
      }
    }
  },
);

test.prop([fc.constantFrom('yes', 'no', 'small', '1', 'refund', 'qqq', 'second'), strange])(
  'an answer within other words is never picked out of them',
  async (answer, words) => {
    for (const [type, data] of all) {
      for (const reply of [`${words.join(' ')} ${answer}`, `${answer} ${words.join(' ')}`]) {
        expect((await type.parse(reply, data)).ok).toBe(false);
      }
    }
  },
);

/** Each language with its approvals, as they are stored: one with a session, and one of yes and no. */
const approvals = builtInLanguages.map((language) => ({
  language,
  session: approvalChoice('Order 20 pallets?', language.wording, true).data,
  yesOrNo: approvalConfirm('Order 20 pallets?', language.wording).data,
}));

/** A few words around a position, in any of the languages. */
const fewWords = fc
  .tuple(
    fc.constantFrom('', ...builtInLanguages.flatMap(({ words }) => words.before)),
    fc.constantFrom(
      '3',
      '#3',
      'session',
      ...builtInLanguages.flatMap(({ words }) => [...words.last, ...words.numbers]),
    ),
    fc.constantFrom('', ...builtInLanguages.flatMap(({ words }) => words.after)),
  )
  .map((words) => words.join(' ').trim());

test.prop([fc.constantFrom(...approvals), fc.oneof(anyReply, fewWords)])(
  'only its number alone, its whole label or its id approves for the session',
  async ({ language, session }, reply) => {
    const parsed = await typeOf(choiceType).parse(reply, session, undefined, { language });
    if (!parsed.ok || parsed.value !== 'session') return;
    const label = folded(language.wording.forSession());
    const isAlone = !/[\p{L}\p{Extended_Pictographic}]/u.test(reply) && folded(reply).replace(/\D/g, '') === '3';
    expect(isAlone || folded(reply).includes(label) || reply.trim() === 'session').toBe(true);
  },
);

test.prop([fc.constantFrom(...approvals), fc.nat(), fc.nat(), fc.integer({ min: 1, max: 3 }), fc.boolean()])(
  'a number with polite words around it decides no approval',
  async ({ language, session, yesOrNo }, lead, tail, number, inWords) => {
    const { before, after, numbers } = language.words;
    const written = inWords ? numbers[number] : number;
    const [first, last] = [before[lead % before.length], after[tail % after.length]];
    for (const reply of [
      `${first} ${written}`,
      `${first}, ${written}`,
      `${written} ${last}`,
      `${first} ${written} ${last}`,
    ]) {
      for (const [type, data] of [
        [typeOf(choiceType), session],
        [typeOf(confirmType), yesOrNo],
      ] as const) {
        expect([reply, (await type.parse(reply, data, undefined, { language })).ok]).toEqual([reply, false]);
      }
    }
  },
);

plainTest('a yes-or-no approval is decided by words, whole labels and a number alone', async () => {
  const { data } = approvalConfirm('Order 20 pallets?', english.wording);
  const read = async (reply: string) => {
    const parsed = await typeOf(confirmType).parse(reply, data);
    return parsed.ok ? parsed.value : undefined;
  };
  for (const reply of ['1', '#1', 'approve', 'Approve, please', 'yes', 'go ahead'])
    expect(await read(reply)).toBe(true);
  for (const reply of ['2', '2.', 'deny', 'no', "no, don't do it"]) expect(await read(reply)).toBe(false);
  for (const reply of ['1 please', 'first', 'the first one', 'last', 'app', 'den', 'one', 'go with 1', '2 then']) {
    expect([reply, await read(reply)]).toEqual([reply, undefined]);
  }
});

plainTest('the longest reply is read in no time, whatever it is made of', async () => {
  const size = 65_536;
  const made = [
    '!',
    '! ',
    '.',
    ',',
    ' ',
    '1 ',
    '1,',
    'and ',
    'small, ',
    '👍',
    '🙂',
    '*',
    '"',
    '\n',
    '\u001b]',
    '𝟿',
    'please ',
    'a',
    '(',
    '- ',
  ];
  for (const unit of made) {
    for (const reply of [unit.repeat(size / unit.length), `${unit.repeat((size - 1) / unit.length)}x`]) {
      for (const [type, data] of all) {
        const started = performance.now();
        expect((await type.parse(reply, data)).ok && !isBlank(reply)).toBe(false);
        expect(performance.now() - started, JSON.stringify(unit)).toBeLessThan(250);
      }
    }
  }
});

plainTest('a hundred options and as many parts are read in no time', async () => {
  const labels = Array.from({ length: 100 }, (_, i) => `q${'x'.repeat(i)}, and z${i}`);
  const { data } = choices('Which?', labels);
  const started = performance.now();
  await typeOf(choicesType).parse(labels.join(', '), data);
  await typeOf(choicesType).parse('qx, '.repeat(400), data);
  expect(performance.now() - started).toBeLessThan(2_000);
});
