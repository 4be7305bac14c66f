/** What holds for every list of options and every reply: it reads back what it draws, never throws, never guesses. */
import { fc, test } from '@fast-check/vitest';
import { expect, test as plainTest } from 'vitest';
import { approvalChoice, choiceType } from '../../../../src/answers/choice.js';
import { choices, choicesType } from '../../../../src/answers/choices.js';
import { approvalConfirm, confirmType } from '../../../../src/answers/confirm.js';
import type { Parsed, ReplyContext } from '../../../../src/core/ask/answer-type.js';
import { plain } from '../../../../src/core/reply-words.js';
import { folded, isBlank } from '../../../../src/core/text.js';
import { english } from '../../../../src/core/wording/english.js';
import { vocabularyOf } from '../../../../src/core/wording/language.js';
import { builtInLanguages } from '../../../../src/core/wording/languages.js';
import type { AnswerType, Json } from '../../../../src/index.js';
import { choice, confirm } from '../../../../src/index.js';
import { anyCharacter } from '../../../support/any-character.js';
import { growth, linear } from '../../../support/growth.js';

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

test.prop([anyLabels, anyHeard])('a choice reads back every label that it draws', async (labels, heard) => {
  const options = labels.map((label, i) => ({ id: `id-${i}-${labels.length}x`, label }));
  const { data } = choice('Which?', options);
  for (const { id, label } of options) {
    for (const reply of [label, ` ${label}\n`, label.normalize('NFD')]) {
      expect(await typeOf(choiceType).parse(reply, data, undefined, heard)).toEqual({ ok: true, value: id });
    }
    expect(await typeOf(choiceType).accept?.(id, data)).toEqual({ ok: true, value: id });
  }
});

test.prop([madeUp, anyHeard])(
  'a choice reads back every number that it draws, however written',
  async (labels, heard) => {
    const { data } = choice('Which?', labels);
    for (const [i, label] of labels.entries()) {
      for (const reply of [
        `${i + 1}`,
        `#${i + 1}`,
        `${i + 1}.`,
        `${i + 1})`,
        `option ${i + 1}`,
        `${i + 1}. ${label}`,
      ]) {
        expect(await typeOf(choiceType).parse(reply, data, undefined, heard)).toEqual({ ok: true, value: label });
      }
    }
    for (const outside of [0, labels.length + 1]) {
      expect(await typeOf(choiceType).parse(`${outside}`, data, undefined, heard)).toMatchObject({
        ok: false,
        why: 'not-valid',
      });
    }
  },
);

test.prop([madeUp, fc.infiniteStream(fc.boolean()), anyHeard])(
  'several options are read back from their numbers and labels, in the order named',
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

/** A few words around what may name an option, in any of the languages. */
const fewWords = fc
  .tuple(
    fc.constantFrom(
      '',
      ...builtInLanguages.flatMap(({ words }) => [
        ...words.please,
        ...words.greetings,
        ...words.chooses,
        ...words.articles,
      ]),
    ),
    fc.constantFrom(
      '3',
      '#3',
      'session',
      ...builtInLanguages.flatMap(({ words }) => [...words.numbers.flat(), ...words.ordinals.flat()]),
    ),
    fc.constantFrom('', ...builtInLanguages.flatMap(({ words }) => [...words.thanks, ...words.placeNouns])),
  )
  .map((words) => words.join(' ').trim());

test.prop([fc.constantFrom(...approvals), fc.oneof(anyReply, fewWords)])(
  'only its whole label approves for the session',
  async ({ language, session }, reply) => {
    const parsed = await typeOf(choiceType).parse(reply, session, undefined, { language });
    if (!parsed.ok || parsed.value !== 'session') return;
    expect(folded(reply)).toContain(folded(language.wording.forSession()));
  },
);

test.prop([fc.constantFrom(...approvals), fewWords])(
  'a number decides no approval',
  async ({ language, session, yesOrNo }, reply) => {
    for (const [type, data] of [
      [typeOf(choiceType), session],
      [typeOf(confirmType), yesOrNo],
    ] as const) {
      expect([reply, (await type.parse(reply, data, undefined, { language })).ok]).toEqual([reply, false]);
    }
  },
);

/** Labels as authors write them, with digits, signs and words in common, and ids that are digits of other places. */
const likelyLabels = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom(
        '',
        'Room ',
        'v',
        '−',
        '+',
        '€',
        'Option ',
        'No ',
        'First ',
        'Second ',
        'One ',
        'Two ',
        'Delete ',
        'Keep ',
      ),
      fc.constantFrom('', '1', '2', '3', '12', '10:00', '1,000', '2.5'),
      fc.constantFrom('', ' licences', ' class', ' nothing', ' delivery', 'st', ' EUR'),
    )
    .map((parts) => parts.join('').trim())
    .filter((label) => folded(label) !== '' && /[\p{L}\p{N}]/u.test(label)),
  { minLength: 2, maxLength: 8, selector: folded },
);
const idsOfOthers = (labels: readonly string[]) =>
  labels.map((label, i) => ({ id: `${((i + 1) % labels.length) + 1}`, label }));
const isDrawnNumbered = (labels: readonly string[]) => labels.every((label) => !/^[+−-]?\d/.test(label));

test.prop([likelyLabels, anyHeard])(
  'what is drawn as k and typed as k is option k, or is asked again because another label has k',
  async (labels, heard) => {
    const { data } = choice('Which?', idsOfOthers(labels));
    const numbered = isDrawnNumbered(labels);
    for (const [i, label] of labels.entries()) {
      const parsed = await typeOf<string>(choiceType).parse(`${i + 1}`, data, undefined, heard);
      const id = `${((i + 1) % labels.length) + 1}`;
      const others = labels.filter((each) => each !== label);
      const isShared = others.some((each) =>
        new RegExp(`(?<!\\d)${i + 1}(?!\\d)|first|second|one|two`, 'i').test(each),
      );
      if (parsed.ok && numbered) expect([labels, i, parsed.value]).toEqual([labels, i, id]);
      if (numbered && !isShared) expect([labels, i, parsed.ok]).toEqual([labels, i, true]);
      if (parsed.ok && !numbered) {
        const picked = labels[Number(parsed.value) === 1 ? labels.length - 1 : Number(parsed.value) - 2] as string;
        expect([labels, i, picked]).toEqual([labels, i, expect.stringMatching(new RegExp(`^${i + 1}(?!\\d)`))]);
      }
    }
  },
);

const typed = fc.oneof(
  anyReply,
  fewWords,
  fc.constantFrom(
    'no',
    'ok',
    'first',
    'one',
    'the',
    'at 1',
    'room',
    'both',
    'delete',
    'keep',
    '1',
    '2',
    '12',
    '01',
    '+1',
    '-1',
  ),
);

test.prop([likelyLabels, typed, anyHeard])(
  'no typed text picks an option of which it has neither a word nor the number, and no id is read',
  async (labels, reply, heard) => {
    const { data } = choice('Which?', idsOfOthers(labels));
    const parsed = await typeOf<string>(choiceType).parse(reply, data, undefined, heard);
    if (!parsed.ok) return;
    const at = Number(parsed.value) === 1 ? labels.length - 1 : Number(parsed.value) - 2;
    const words = (text: string) =>
      plain(text)
        .split(/[\s,;:.!()"'#]+/)
        .filter((word) => word !== '');
    const said = new Set(words(reply));
    const hasWord = words(labels[at] as string).some((word) => said.has(word));
    const { numbers, ordinals } = vocabularyOf((heard?.language ?? english).words, english.words);
    const means = [...said].some(
      (word) => Number.parseInt(word, 10) === at + 1 || numbers.get(word) === at + 1 || ordinals.get(word) === at + 1,
    );
    expect([labels, reply, hasWord || (isDrawnNumbered(labels) && means)]).toEqual([labels, reply, true]);
  },
);

test.prop([likelyLabels])(
  'an author’s list of options is refused, or each can be told from the others',
  async (labels) => {
    const { data } = choice('Which?', labels);
    for (const label of labels) expect(await typeOf(choiceType).parse(label, data)).toEqual({ ok: true, value: label });
  },
);

plainTest('a yes-or-no approval is decided by words and whole labels, and by no number', async () => {
  const { data } = approvalConfirm('Order 20 pallets?', english.wording);
  const read = async (reply: string) => {
    const parsed = await typeOf(confirmType).parse(reply, data);
    return parsed.ok ? parsed.value : undefined;
  };
  for (const reply of ['approve', 'Approve, please', 'yes', 'go ahead']) expect(await read(reply)).toBe(true);
  for (const reply of ['deny', 'no', "no, don't do it"]) expect(await read(reply)).toBe(false);
  for (const reply of [
    '1',
    '2',
    '#1',
    '2.',
    'first',
    'the first one',
    'last',
    'app',
    'den',
    'one',
    'go with 1',
    'ok',
  ]) {
    expect([reply, await read(reply)]).toEqual([reply, undefined]);
  }
});

plainTest('a long reply is refused in linear time, whatever it is made of', async () => {
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
    const read = async (size: number): Promise<void> => {
      const reply = `${unit.repeat(size / unit.length)}x`;
      for (const [type, data] of all) expect((await type.parse(reply, data)).ok).toBe(false);
    };
    expect(await growth(read, 4_096), JSON.stringify(unit)).toBeLessThan(linear);
  }
});

plainTest('the parts of a reply are read in linear time, also beside a hundred options', async () => {
  const labels = Array.from({ length: 100 }, (_, i) => `q${'x'.repeat(i % 9)}, and z${i}`);
  const { data } = choices('Which?', labels);
  const read = (size: number) => typeOf(choicesType).parse(labels.slice(0, size).join(', '), data);
  expect(await growth(read, 6)).toBeLessThan(linear);
  expect(await growth((size) => typeOf(choicesType).parse('qx, '.repeat(size), data), 25)).toBeLessThan(linear);
});
