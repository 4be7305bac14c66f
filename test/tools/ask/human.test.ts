/** "Ask a human" in a loop of one's own: what the model gets, what the human sees. */
import { expect, test } from 'vitest';
import { agent } from '../../../src/index.js';
import type { AskHumanOptions } from '../../../src/tools/index.js';
import { askHuman } from '../../../src/tools/index.js';
import { anna, manager, settle, world } from '../kit.js';

const neutral = /neither an answer nor a consent/;

test('a model asks an open question, and the words come back as the result', async () => {
  const { registry, phone } = world(() => 'Order 12345, please');
  const human = askHuman(registry, { where: anna });
  expect(await human.execute({ prompt: 'Which order?' }, { callId: 'call_1' })).toBe('Order 12345, please');
  expect(phone.texts).toEqual(['Which order?']);
});

test('options are drawn from the stored ask, the details are shown, and the chosen label comes back', async () => {
  const { registry, phone } = world(() => '2');
  const human = askHuman(registry, { where: anna, details: { Run: 'nightly' } });
  const input = {
    question: 'Which size?',
    options: ['small', { label: 'Large', value: 'l' }],
    details: { Item: 'hat', Run: 'urgent!' },
  };
  expect(await human.execute(input)).toBe('Large');
  expect(phone.sent[0]).toMatchObject({
    shape: { type: 'choices', choices: [{ label: 'small' }, { label: 'Large' }], many: false },
    ask: { details: { Item: 'hat', Run: 'nightly' } },
  });
  expect(JSON.stringify(phone.sent)).not.toContain('call'); // the model's side stays the model's
});

test('several choices come back as a list, several questions as one object', async () => {
  const replies = ['red and blue', 'L', '1'];
  const { registry, phone } = world(() => replies.shift());
  const human = askHuman(registry, { where: anna });
  expect(await human.execute({ prompt: 'Colours?', options: ['red', 'green', 'blue'], many: true })).toBe(
    '["red","blue"]',
  );
  const questions = [{ name: 'size', prompt: 'Which size?', options: ['S', 'L'] }, { prompt: 'How many?' }];
  expect(await human.execute({ prompt: 'Your order', questions })).toBe('{"size":"L","q2":"1"}');
  expect(phone.texts.slice(1)).toEqual(['Your order\nWhich size?', 'How many?']);
});

test('where the author allows it, a person may answer in words that the model did not offer', async () => {
  const { registry } = world(() => 'Other: neither');
  const human = askHuman(registry, { where: anna, other: true });
  expect(await human.execute({ prompt: 'Which?', options: ['a', 'b'] })).toBe('neither');
});

test.each([
  ['/cancel', /declined to answer/],
  ['dunno', /did not fit the question/],
])('%j is neither an answer nor a consent', async (words, says) => {
  const { registry } = world(() => words);
  const human = askHuman(registry, { where: anna, maxRetries: 1 });
  const result = await human.execute({ prompt: 'Deploy?', options: ['yes', 'no'] });
  expect(result).toMatch(says);
  expect(result).toMatch(neutral);
});

test('when the timeout passes, the ask is cancelled and the model is told; so it is when the ask expires or is cancelled', async () => {
  const { registry, time, phone, open } = world();
  const human = askHuman(registry, { where: anna, timeout: 60_000 });
  const late = human.execute({ prompt: 'Deploy?' });
  await settle();
  await time.advance(60_000, settle);
  expect(await late).toMatch(/Nobody answered in time, or the question was withdrawn.*neither an answer nor/);
  expect(await open()).toEqual([]);
  await phone.types('yes'); // too late: it answers nothing

  const brief = askHuman(registry, { where: anna, timeout: 60_000, expiresIn: 1_000 });
  const expired = brief.execute({ prompt: 'Delete?' });
  await settle();
  await time.advance(10_000, settle);
  expect(await expired).toMatch(/before the question expired.*neither an answer nor/);

  const withdrawn = brief.execute({ prompt: 'Publish?' });
  await settle();
  await registry.cancel({ conversationId: 'anna' });
  expect(await withdrawn).toMatch(neutral);
});

test('an aborted call rejects with its reason, cancels its ask, and may be asked again', async () => {
  const { registry, phone, open } = world();
  const human = askHuman(registry, { where: anna, limit: 1 }).run();
  const stop = new AbortController();
  const aborted = expect(human.execute({ prompt: 'Which?' }, { signal: stop.signal })).rejects.toThrow('no more');
  await settle();
  stop.abort(new Error('no more'));
  await aborted;
  expect(await open()).toEqual([]);
  const again = human.execute({ prompt: 'Which?' });
  await settle();
  await phone.types('this one');
  expect(await again).toBe('this one');
});

test('the same question in one run is not put to the person again; in another run or conversation it is', async () => {
  const { registry, phone } = world(() => 'L');
  const human = askHuman(registry, { where: anna }).run();
  const size = { prompt: 'Which size?', options: ['S', 'L'] };
  expect(await human.execute(size)).toBe('L');
  expect(await human.execute({ ...size, prompt: ' which size? ', details: 'Please!' })).toMatch(
    /asked this before.*The result was: L$/,
  );
  expect(phone.sent).toHaveLength(1);
  expect(await human.run().execute(size)).toBe('L');
  let to = 'anna';
  const here = askHuman(registry, { where: () => ({ channel: 'phone', to }) }).run();
  expect(await here.execute(size)).toBe('L');
  to = 'bert';
  expect(await here.execute(size)).toBe('L');
  expect(phone.sent.map(({ conversationId }) => conversationId)).toEqual(['anna', 'anna', 'anna', 'bert']);
});

test('two parallel calls with the same question ask once, and the second is told', async () => {
  const { registry, phone } = world();
  const human = askHuman(registry, { where: anna }).run();
  const first = human.execute({ prompt: 'Which?' }, { callId: 'a' });
  expect(await human.execute({ prompt: 'Which?' }, { callId: 'b' })).toMatch(
    /that of the first call.*not have answered yet/,
  );
  await settle();
  await phone.types('that');
  expect(await first).toBe('that');
});

test.each([
  ['in one run', true],
  ['without a run', false],
])(
  'a call that is executed several times at once under one id (%s) asks once, and every caller gets the answer',
  async (_, inRun) => {
    const { registry, phone, open } = world();
    const tool = askHuman(registry, { where: anna });
    const human = inRun ? tool.run() : tool;
    const stop = new AbortController();
    const abandoned = human.execute({ prompt: 'Which?' }, { callId: 'a', signal: stop.signal });
    const others = ['a', 'a'].map((callId) => human.execute({ prompt: 'Which?' }, { callId }));
    await settle();
    stop.abort(new Error('no more'));
    await expect(abandoned).rejects.toThrow('no more');
    expect(await open()).toHaveLength(1); // the others still wait
    await phone.types('that');
    expect(await Promise.all(others)).toEqual(['that', 'that']);
    expect(phone.texts).toEqual(['Which?']);
  },
);

test('under one call id, other words and other conversations are other calls', async () => {
  const { registry, phone } = world(({ text, conversationId }) => `${text} ${conversationId}`);
  const places = ['anna', 'anna', 'bert'];
  const human = askHuman(registry, { where: () => ({ channel: 'phone', to: places.shift() ?? '' }) });
  const asked = ['One?', 'Two?', 'One?'].map((prompt) => human.execute({ prompt }, { callId: 'a' }));
  expect(await Promise.all(asked)).toEqual(['One? anna', 'Two? anna', 'One? bert']);
  expect(phone.sent).toHaveLength(3);
});

test('over the limit of a run nobody is asked, and the model is told to go on', async () => {
  const { registry, phone } = world(() => 'fine');
  const human = askHuman(registry, { where: anna, limit: 2 }).run();
  const results = [];
  for (const prompt of ['One?', 'Two?', 'Three?']) results.push(await human.execute({ prompt }));
  expect(results).toEqual(['fine', 'fine', expect.stringMatching(/limit of 2 questions in this run is reached/)]);
  expect(phone.texts).toEqual(['One?', 'Two?']);
});

test.each([
  [undefined, /Nobody can be asked in this run, so the question was not asked.*neither an answer nor/],
  ['reject', /so the question was not asked/],
  ['deny', /counts as a refusal/],
] as const)('in a run with nobody there (%s) the model is told, and nobody is asked', async (unattended, says) => {
  const { registry, phone } = world();
  const options = { where: () => undefined, ...(unattended === undefined ? {} : { unattended }) };
  expect(await askHuman(registry, options).execute({ prompt: 'Which?' })).toMatch(says);
  expect(phone.sent).toEqual([]);
});

test('in a run with nobody there the question may go to another place', async () => {
  const { registry, phone } = world(() => 'go');
  const unattended = { queue: { channel: 'phone', to: 'night-shift' } };
  expect(await askHuman(registry, { where: () => undefined, unattended }).execute({ prompt: 'Deploy?' })).toBe('go');
  expect(phone.sent[0]).toMatchObject({ conversationId: 'night-shift' });
});

test('a wrong response, one never offered, for another call, a second one, a late one: the ask and the model see none', async () => {
  const { registry, time, open } = world();
  const human = askHuman(registry, { where: anna, answerableBy: [manager.id], expiresIn: 60_000 });
  const by = { by: manager };
  const first = human.execute({ prompt: 'Size?', options: ['S', 'L'] }, { callId: 'a' });
  const second = human.execute({ prompt: 'Colour?', options: ['red', 'blue'] }, { callId: 'b' });
  await settle();
  const [size = '', colour = ''] = (await open()).map(({ id }) => id);
  expect(await registry.answer(size, { value: 7 }, by)).toMatchObject({ type: 'invalid' });
  expect(await registry.answer(size, { value: 'XL' }, by)).toMatchObject({ type: 'invalid' });
  expect(await registry.answer(size, { value: 'red' }, by)).toMatchObject({ type: 'invalid' });
  expect(await registry.answer(size, { value: 'L' }, { by: { id: 'web:stranger' } })).toEqual({ type: 'refused' });
  expect(await registry.answer('a', { value: 'L' }, by)).toEqual({ type: 'unknown' }); // the model's id opens nothing
  expect((await open()).map(({ retries }) => retries)).toEqual([0, 0]);
  expect(await registry.answer(size, { value: 'L' }, by)).toMatchObject({ type: 'accepted' });
  expect(await registry.answer(size, { value: 'S' }, by)).toMatchObject({ type: 'already' });
  expect(await first).toBe('L');
  await time.advance(70_000, settle);
  expect(await registry.answer(colour, { value: 'red' }, by)).toMatchObject({ type: 'late' });
  expect(await second).toMatch(/before the question expired/);
});

test.each([
  [undefined, 'ask_human'],
  ['human_intervention.request', 'human_intervention_request'],
  ['ask_clarifying_question', 'ask_clarifying_question'],
  ['clarify', 'clarify'],
  ['frage/mensch', 'frage_mensch'],
])('the name %s is %s for providers', (name, valid) => {
  const { registry } = world();
  const human = askHuman(registry, { where: anna, ...(name === undefined ? {} : { name }) });
  expect(human.name).toBe(valid);
  expect(human.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(JSON.parse(JSON.stringify(human.inputSchema))).toEqual(human.inputSchema);
});

test.each<[object, RegExp]>([
  [{}, /where must be a place/],
  [{ where: 'phone' }, /where must be a place/],
  [{ where: anna, unattended: 'allow' }, /unattended must be/],
  [{ where: anna, name: '…' }, /name must have/],
  [{ where: anna, name: 'x'.repeat(65) }, /name must have/],
  [{ where: anna, timeout: 0 }, /timeout must be/],
  [{ where: anna, limit: 0 }, /limit must be a whole number of at least 1/],
  [{ where: anna, mostChoices: 101 }, /mostChoices must be a whole number from 1 to 100/],
  [{ where: anna, other: 1 }, /other must be/],
  [{ where: anna, sensitive: true }, /the option sensitive is unknown/], // a model would see the answer
])('askHuman() with %j is refused at once', (options, message) => {
  const { registry } = world();
  expect(() => askHuman(registry, options as AskHumanOptions)).toThrow(
    expect.objectContaining({ code: 'bad-option', message: expect.stringMatching(message) }),
  );
});

test("a tool that serves many requests gives no request another's answer, and counts no other's questions", async () => {
  const answers = ['yes', 'no'];
  const { registry, phone } = world(() => answers.shift());
  const shared = askHuman(registry, { where: anna });
  expect(await shared.execute({ prompt: 'Deploy?' }, { callId: 'call_1' })).toBe('yes'); // on Monday
  expect(await shared.execute({ prompt: 'Deploy?' }, { callId: 'call_1' })).toBe('no'); // on Friday
  expect(phone.texts).toEqual(['Deploy?', 'Deploy?']);
  const limited = askHuman(registry, { where: anna, limit: 1 });
  answers.push('a', 'b');
  const [one, other] = [limited.run(), limited.run()];
  expect(await one.execute({ prompt: 'One?' })).toBe('a');
  expect(await other.execute({ prompt: 'Two?' })).toBe('b');
  expect(await other.execute({ prompt: 'Three?' })).toMatch(/limit of one question/);
});

test('a limit without a run would count nothing, so the author is told to make one', async () => {
  const { registry, phone } = world(() => 'fine');
  const shared = askHuman(registry, { where: anna, limit: 1 });
  await expect(shared.execute({ prompt: 'One?' })).rejects.toMatchObject({
    code: 'bad-option',
    message: expect.stringContaining('Call run() for each run'),
  });
  await expect(shared.open({ prompt: 'One?' })).rejects.toMatchObject({ code: 'bad-option' });
  expect(phone.sent).toEqual([]);
});

test('inside a turn the turn is the run: repeats are recognised there, and the next turn begins anew', async () => {
  const results: string[] = [];
  const told: { human?: ReturnType<typeof askHuman> } = {};
  const clerk = agent('idle').onMessage(async () => {
    for (const prompt of ['Which?', 'Which?', 'More?'])
      results.push((await told.human?.execute({ prompt })) ?? 'not made');
  });
  const { registry, phone } = world(({ text }) => (text.endsWith('?') ? 'this' : undefined), { agents: [clerk] });
  told.human = askHuman(registry, { where: 'here', limit: 1 });
  await registry.start();
  for (const words of ['hello', 'again']) {
    await phone.types(words);
    await settle();
    await settle();
  }
  const once = ['this', expect.stringMatching(/The result was: this$/), expect.stringMatching(/limit of one question/)];
  expect(results).toEqual([...once, ...once]);
});
