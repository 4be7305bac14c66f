/** No reply that names an option is ever read as calling the question off, in whatever words the options are. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { isDeclineIn, isOption } from '../../../../src/core/conversation/match-reply.js';
import { folded, isBlank } from '../../../../src/core/text.js';
import { builtInLanguages } from '../../../../src/core/wording/languages.js';
import { choice, choices, confirm, form, type Question } from '../../../../src/index.js';
import { isProvenAnswer } from '../../../../src/registry/work/decline-words.js';
import { ask as made } from '../../../support/documents.js';

const declining = fc.constantFrom(...builtInLanguages.flatMap(({ words }) => words.decline));
const anyLabel = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((label) => label === label.trim() && !isBlank(label) && folded(label) !== '');
const labels = fc.uniqueArray(fc.oneof(declining, anyLabel), { minLength: 2, maxLength: 6, selector: folded });

test.prop([labels, fc.constantFrom(...builtInLanguages)])(
  'no label of an option is read as a decline, however it is written',
  async (all, language) => {
    const [yes = '', no = ''] = all;
    const options = all.map((label, i) => ({ id: `option-${i}-of-these`, label }));
    const questions: Question<unknown>[] = [choice('Which?', options), choices('Which?', options)];
    questions.push(form('Form', { which: choice('Which?', options) }));
    if (!isYesOrNo(yes) && !isYesOrNo(no)) questions.push(confirm('Sure?', { yes, no }));
    for (const question of questions) {
      const { type, data } = question;
      const ask = made('a', { kind: type.kind, data, shape: type.shape(data as never) });
      for (const label of type.kind === 'confirm' ? [yes, no] : all) {
        for (const reply of [label, ` ${label}.`, label.toUpperCase(), `${label}, ${language.words.thanks[0]}`]) {
          if (!isDeclineIn(language, reply)) continue;
          const isAnswer = isOption(ask, reply) || (await isProvenAnswer(ask, reply, { language }));
          expect([type.kind, all, reply, isAnswer]).toEqual([type.kind, all, reply, true]);
        }
      }
    }
  },
);

const yesNo = new Set(builtInLanguages.flatMap(({ words }) => [...words.yes, ...words.no]));
const isYesOrNo = (label: string): boolean => yesNo.has(folded(label));
