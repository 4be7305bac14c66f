import { expect, test } from 'vitest';
import { coerceChoices } from '../../../../src/tools/ask/coerce-choices.js';
import { thrownBy } from '../../../support/agents.js';

test.each<[string, unknown, readonly string[]]>([
  ['texts, without blanks around them', [' small ', 'large\n'], ['small', 'large']],
  ['a list as JSON', '["small", {"label": "Large"}]', ['small', 'Large']],
  ['an object by its label', [{ label: 'Large', description: 'The big one' }], ['Large']],
  ['an object by its description', [{ description: 'The big one', text: 'x', title: 'y' }], ['The big one']],
  ['an object by its text', [{ text: 'Large', title: 'y' }], ['Large']],
  ['an object by its title', [{ title: ' Large ' }], ['Large']],
  ['the first that is no blank', [{ label: ' ', description: '\u200b', text: 5, title: 'Large' }], ['Large']],
  ['never by name or value', [{ name: 'l', value: 'large' }, 'small'], ['small']],
  ['nothing that is no label', ['a', '', ' ', null, undefined, 5, true, {}, ['b'], '\u200b', '...'], ['a']],
  ['doubled ones once, as first written', ['Small', 'small', 'SMALL.', 'ｓｍａｌｌ', 'large'], ['Small', 'large']],
  ['many: the cap is for the tool that asks', ['a', 'b', 'c', 'd', 'D', '', 'e', 'f'], ['a', 'b', 'c', 'd', 'e', 'f']],
])('a model sends %s', (_, sent, labels) => {
  expect(coerceChoices(sent)).toEqual(labels);
});

test.each<[string, unknown, string]>([
  ['none', [], 'at least one'],
  ['only what cannot be shown', [{ name: 'x' }, ' '], 'at least one'],
  ['no list', { a: 'b' }, 'list'],
  ['nothing', undefined, 'list'],
  ['a text that is no JSON', 'small, large', 'list'],
  ['JSON that is no list', '{"choices": ["a"]}', 'list'],
  ['half of a list', '["a", "b', 'list'],
])('a model sends %s: an error that tells it what to send', async (_, sent, told) => {
  const error = await thrownBy(() => coerceChoices(sent));
  expect(error.code).toBe('bad-option');
  expect(error.message).toContain(told);
});

test('how many are allowed can be changed, and is never a silent cut', async () => {
  const six = ['a', 'b', 'c', 'd', 'e', 'f'];
  expect(coerceChoices(six)).toEqual(six);
  expect(coerceChoices([...six, 'F', ''], { most: 6 })).toEqual(six); // counted after blank and doubled ones went
  expect((await thrownBy(() => coerceChoices(six, { most: 5 }))).message).toContain('There are 6 choices, at most 5');
  for (const most of [0, -1, 1.5, Number.NaN, '4' as unknown as number]) {
    expect((await thrownBy(() => coerceChoices(six, { most }))).code).toBe('bad-option');
  }
});
