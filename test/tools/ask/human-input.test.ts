/** What models really send when they want to ask: it is read, or they are told what to mend and nobody is asked. */
import { expect, test } from 'vitest';
import { askHuman } from '../../../src/tools/index.js';
import { anna, world } from '../kit.js';

test('HTML in a prompt is text like any other', async () => {
  const { registry, phone } = world(() => '1');
  const human = askHuman(registry, { where: anna });
  const html = '<img src=x onerror=alert(1)>';
  expect(await human.execute({ prompt: html, options: ['<b>yes</b>', 'no'] })).toBe('<b>yes</b>');
  expect(phone.texts).toEqual([html]);
});

test('arguments that came as JSON text are read as well', async () => {
  const { registry } = world(() => 'b');
  const human = askHuman(registry, { where: anna });
  expect(await human.execute('{"prompt":"Which?","options":"[\\"a\\",\\"b\\"]"}')).toBe('b');
});

test.each<[string, unknown, object]>([
  ['a text', 'Two of them match.', { Details: 'Two of them match.' }],
  [
    'an object',
    { currentVersion: 'v1.2.3', replicas: 3, safe: true },
    { currentVersion: 'v1.2.3', replicas: '3', safe: 'true' },
  ],
  ['an object as JSON', '{"currentVersion":"v1.2.3"}', { currentVersion: 'v1.2.3' }],
  [
    'an object with something nested',
    { from: { region: 'eu' }, tags: ['a', 'b'] },
    { from: '{"region":"eu"}', tags: '["a","b"]' },
  ],
])('the context of a question may be %s, and is shown beside it', async (_, context, details) => {
  const { registry, phone } = world(() => 'b');
  const human = askHuman(registry, { where: anna });
  expect(await human.execute({ question: 'Which?', options: ['a', 'b'], context })).toBe('b');
  expect(phone.questions[0]?.ask?.details).toEqual(details);
});

test('details stand beside a context, and win where both have the same name', async () => {
  const { registry, phone } = world(() => 'b');
  const human = askHuman(registry, { where: anna });
  await human.execute({ prompt: 'Which?', context: { Order: '1', Why: 'To pay' }, details: { Order: '12345' } });
  expect(phone.questions[0]?.ask?.details).toEqual({ Order: '12345', Why: 'To pay' });
});

/** Each short enough, and in a script of three bytes a letter. */
const bulky = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`note ${i}`, '文'.repeat(1_900)]));

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /must be an object such as/],
  ['a bare text', 'Which?', /must be an object such as/],
  ['a list', [{ prompt: 'Which?' }], /must be an object such as/],
  ['no prompt', { options: ['a'] }, /prompt must be the question as a string/],
  ['a blank prompt', { prompt: ' \u200b ' }, /prompt must be the question as a string/],
  ['a prompt that is no text', { prompt: { text: 'Which?' } }, /prompt must be/],
  ['prompt and question', { prompt: 'Which?', question: 'Who?' }, /send prompt only/],
  ['a prompt without end', { prompt: 'x'.repeat(5_000) }, /5000 characters, at most 4000/],
  ['no options in the list', { prompt: 'Which?', options: [] }, /options is empty/],
  ['blank options', { prompt: 'Which?', options: ['', ' '] }, /no text that people can read/],
  ['40 options', { prompt: 'Which?', options: Array.from({ length: 40 }, (_, i) => `${i}`) }, /at most 4 are allowed/],
  ['nested options', { prompt: 'Which?', options: [['a', 'b'], 'c'] }, /options\[0\] must be a string/],
  ['options without labels', { prompt: 'Which?', options: ['a', { value: 'b' }] }, /options\[1\] must be a string/],
  ['an option that is a number', { prompt: 'Which?', options: [1, 'two'] }, /options\[0\] must be a string.*got 1/],
  ['options as prose', { prompt: 'Which?', options: 'a or b' }, /must be a list of strings/],
  ['options as an object', { prompt: 'Which?', options: { a: 1 } }, /must be a list of strings/],
  ['an endless option', { prompt: 'Which?', options: ['a', 'b'.repeat(300)] }, /300 characters, at most 200/],
  ['many without options', { prompt: 'Which?', many: true }, /many needs options/],
  ['many as a text', { prompt: 'Which?', options: ['a'], many: 'yes' }, /many must be true or false/],
  ['an unknown field', { prompt: 'Which?', urgency: 'high' }, /must not have urgency. Known are prompt/],
  ['a poisoned field', JSON.parse('{"prompt":"Which?","__proto__":{"a":1}}'), /must not have __proto__/],
  [
    'details that are a list',
    { prompt: 'Which?', details: ['a'] },
    /details must be a string, or an object of strings/,
  ],
  ['more than an ask can hold', { prompt: 'Which?', details: bulky }, /All of it together has \d+ bytes/],
  [
    'a context that is a list',
    { prompt: 'Which?', context: ['a'] },
    /context must be a string, or an object of strings/,
  ],
  ['a context without end', { prompt: 'Which?', context: 'x'.repeat(3_000) }, /context has 3000 characters/],
  ['nested details', { prompt: 'Which?', details: { a: { b: 1 } } }, /"a" must be a string/],
  ['no questions in the list', { questions: [] }, /questions must be a list of 1 to 10/],
  ['a question without a prompt', { questions: [{ name: 'a' }] }, /questions\[0\]\.prompt must be/],
  [
    'a question in a question',
    { questions: [{ prompt: 'A?', questions: [] }] },
    /questions\[0\] must not have questions/,
  ],
  ['two questions of one name', { questions: [1, 2].map(() => ({ name: 'a', prompt: 'A?' })) }, /named "a"/],
  ['a question of an odd name', { questions: [{ name: 'a b', prompt: 'A?' }] }, /one word of letters/],
  ['options beside questions', { options: ['a'], questions: [{ prompt: 'A?' }] }, /put them into the entries/],
])('what a model sends wrong is told to it, and nobody is asked: %s', async (_, input, problem) => {
  const { registry, phone, open } = world();
  const human = askHuman(registry, { where: anna });
  const result = await human.execute(input, { callId: 'c' });
  expect(result).toMatch(/^Nothing was asked\. .* Correct the call and try again\.$/s);
  expect(result).toMatch(problem);
  expect(await human.open(input, { callId: 'd' })).toEqual({
    kind: 'closed',
    tool: 'ask_human',
    callId: 'd',
    text: result,
  });
  expect(phone.sent).toEqual([]);
  expect(await open()).toEqual([]);
});
