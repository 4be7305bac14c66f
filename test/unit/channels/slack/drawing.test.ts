/** Messages and modals for Slack: whatever is asked, they are within the limits of Block Kit, and controls carry their answer. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { problemsByInput } from '../../../../src/channels/kit/modal-answer.js';
import { modalMetadata, readControl, readModal } from '../../../../src/channels/slack/drawing/action-data.js';
import { type DrawingOptions, drawnMessage as drawnIn } from '../../../../src/channels/slack/drawing/blocks.js';
import { longestQuestion } from '../../../../src/channels/slack/drawing/limits.js';
import { drawnModal } from '../../../../src/channels/slack/drawing/modal.js';
import type { Shape } from '../../../../src/core/ask/answer-type.js';
import { shownLength } from '../../../../src/core/ask/drawn.js';
import type { OutgoingMessage } from '../../../../src/core/conversation/outgoing.js';
import { english } from '../../../../src/core/wording/english.js';
import { builtInLanguages } from '../../../../src/core/wording/languages.js';
import type { Wording } from '../../../../src/core/wording/wording.js';
import { anyCharacter } from '../../../support/any-character.js';
import { controlsIn, problemsOfBlocks, problemsOfView, readableText } from '../../../support/slack/block-kit.js';

const { wording } = english;
const drawnMessage = (message: OutgoingMessage, options: Partial<DrawingOptions> = {}) =>
  drawnIn(message, { wording, ...options });

const askedAt = new Date(Date.UTC(2030, 0, 1));

function question(shape: Shape, more: Partial<NonNullable<OutgoingMessage['ask']>> = {}, text = 'Refund 48 €?') {
  const conversationId = 'slack:T1/C1/1700000000.000100';
  const ask = {
    id: '0198c1de-0000-7000-8000-000000000001',
    conversationId,
    agentName: 'shop',
    question: text,
    status: 'pending' as const,
    retries: 0,
    maxRetries: 3,
    askedAt,
    channelName: 'slack',
    kind: 'choice',
    answerableBy: 'asker' as const,
    effectKey: 'e',
    ...more,
  };
  return { key: 'ask:1:0', conversationId, address: null, text, shape, ask } satisfies OutgoingMessage;
}

function choices(count: number, many = false): Extract<Shape, { type: 'choices' }> {
  const list = Array.from({ length: count }, (_, i) => ({ id: `id-${i}`, label: `Option ${i}` }));
  return { type: 'choices', choices: list, many };
}

function typesIn({ blocks }: ReturnType<typeof drawnMessage>): string[] {
  return blocks.flatMap(({ elements }) => (Array.isArray(elements) ? elements : [])).map(({ type }) => type);
}

test.each([
  ['two options are buttons', choices(2), ['button', 'button']],
  ['seven are radio buttons and a button that sends', choices(7), ['radio_buttons', 'button']],
  ['forty are a select', choices(40), ['static_select', 'button']],
  ['101 are a select with groups', choices(101), ['static_select', 'button']],
  ['several of four are checkboxes', choices(4, true), ['checkboxes', 'button']],
  ['several of forty are a select of several', choices(40, true), ['multi_static_select', 'button']],
  ['text is a button that opens a modal', { type: 'text' } as Shape, ['button']],
])('by the size of the question: %s', (_, shape, expected) => {
  const drawn = drawnMessage(question(shape));
  expect(typesIn(drawn)).toEqual(expected);
  expect(problemsOfBlocks(drawn.blocks, 'message')).toEqual([]);
});

test('what people and models wrote is plain text, escaped, and carries no character that changes what is around it', () => {
  const hostile = 'Pay <!channel> & <@U1> *now* :tada: \u202eevil \u001b[31mred';
  const shape: Shape = { type: 'choices', choices: [{ id: 'a', label: hostile }], many: false };
  const drawn = drawnMessage(question(shape, { details: { [hostile]: hostile } }, hostile));
  const wire = JSON.stringify(drawn);
  expect(wire).not.toMatch(/<!channel>|<@U1>|\u202e|\\u001b|mrkdwn/);
  expect(wire).toContain('&lt;!channel&gt; &amp; &lt;@U1&gt; *now* :tada:');
  expect(readableText(drawn.blocks)).toContain('<!channel> & <@U1> *now* :tada: evil red');
});

test('a label that is too long for a control is written in full above it', () => {
  const label = `Refund ${'the whole amount '.repeat(10)}now`;
  const shape: Shape = {
    type: 'choices',
    choices: [
      { id: 'a', label },
      { id: 'b', label: 'No' },
    ],
    many: false,
  };
  const drawn = drawnMessage(question(shape));
  expect(readableText(drawn.blocks)).toContain(`1. ${label}\n2. No`);
  expect(controlsIn(drawn.blocks).map((control) => control.label)).toEqual([
    expect.stringMatching(/^1\. Refund.*…$/),
    '2. No',
  ]);
});

test('what cannot be shown in full has no controls but a link to the page', () => {
  const long = question(choices(2), { details: { arguments: 'x'.repeat(20_000) } });
  const drawn = drawnMessage(long, { inboxUrl: (id) => `https://inbox.example.com/asks/${id}` });
  expect(controlsIn(drawn.blocks).map(({ label, element }) => [label, element['url']])).toEqual([
    ['Open the page', `https://inbox.example.com/asks/${long.ask.id}`],
  ]);
  expect(controlsIn(drawnMessage(long).blocks)).toEqual([]);
  expect(readableText(drawn.blocks)).toContain('too long to be shown here in full');
});

test('options that no control can carry are written out, and the hint says how to answer', () => {
  const shape: Shape = { type: 'choices', choices: [{ id: 'x'.repeat(3_000), label: 'Yes' }], many: false };
  const drawn = drawnMessage({ ...question(shape), hint: 'Reply with a number.' });
  expect(readableText(drawn.blocks)).toBe('Refund 48 €?\n1. Yes\nReply with a number.');
  expect(controlsIn(drawn.blocks)).toEqual([]);
});

test('a question that is over has no controls, and says by whom, when and what', () => {
  const settled = {
    status: 'answered',
    answer: 'id-1',
    decidedBy: { id: 'slack:T1/U1', name: 'Anna <b>' },
    decidedAt: askedAt,
  } as const;
  const drawn = drawnMessage(question(choices(2), settled));
  expect(controlsIn(drawn.blocks)).toEqual([]);
  expect(readableText(drawn.blocks)).toContain('Answered by Anna <b>: Option 1');
  expect(readableText(drawn.blocks)).toContain('<!date^1893456000^');
  const secret = drawnMessage(question({ type: 'text' }, { ...settled, answer: 'hunter2', sensitive: true }));
  expect(JSON.stringify(secret)).not.toContain('hunter2');
  expect(readableText(drawnMessage(question(choices(2), { status: 'expired' })).blocks)).toContain('Expired');
});

const refund: Shape = {
  type: 'fields',
  current: 'order',
  fields: [
    { name: 'order', text: 'Which order?', shape: { type: 'text' }, optional: false },
    { name: 'amount', text: 'How much?', shape: { type: 'text', input: 'number' }, optional: false },
    { name: 'day', text: 'When?', shape: { type: 'text', input: 'datetime' }, optional: true },
    {
      name: 'why',
      text: 'Why?',
      shape: {
        type: 'choices',
        choices: [
          { id: 'why/late', label: 'Late' },
          { id: 'why/torn', label: 'Torn' },
        ],
        many: true,
      },
      optional: true,
    },
  ],
};

function opened(message: OutgoingMessage) {
  const control = controlsIn(drawnMessage(message).blocks).find(({ label }) => label === 'Answer');
  const read = readControl(control?.element ?? {}, undefined);
  return read.type === 'open' ? drawnModal(read.form, wording) : undefined;
}

test('a form is one modal: its values come back as the question takes them, and a problem stands beside its field', () => {
  const view = opened(question(refund, {}, 'Your refund\nWhich order?'));
  expect(problemsOfView(view)).toEqual([]);
  const values = {
    'askback:field:0': { input: { type: 'plain_text_input', value: '12345' } },
    'askback:field:1': { input: { type: 'number_input', value: '48.5' } },
    'askback:field:2': { input: { type: 'datepicker', selected_date: '2030-01-02' } },
    'askback:time:2': { input: { type: 'timepicker', selected_time: '09:30' } },
    'askback:field:3': { input: { type: 'checkboxes', selected_options: [{ value: 'late' }] } },
  };
  expect(readModal(view?.['private_metadata'], values)).toMatchObject({
    conversationId: 'slack:T1/C1/1700000000.000100',
    value: { order: '12345', amount: 48.5, day: '2030-01-02T09:30', why: ['late'] },
  });
  expect(readModal(view?.['private_metadata'], {})).toMatchObject({ value: { order: null, day: null, why: null } });
  const { inputs = [] } = readModal(view?.['private_metadata'], values) ?? {};
  expect(problemsByInput('How much? Please write a number.', inputs, '')).toEqual({
    'askback:field:1': 'How much? Please write a number.',
  });
  expect(readableText(drawnMessage(question(refund, {}, 'Your refund\nWhich order?')).blocks)).not.toContain(
    'Which order?',
  );
});

test('a form that a button cannot carry is asked field by field, each read as a typed reply', () => {
  const fields = Array.from({ length: 40 }, (_, i) => ({
    name: `field${i}`,
    text: `Please tell us about thing number ${i}, with all that you know of it`,
    shape: { type: 'text' } as Shape,
    optional: false,
  }));
  const message = question({ type: 'fields', fields, current: 'field7' });
  const view = opened(message);
  expect(view?.['blocks']).toHaveLength(1);
  const values = { 'askback:field:0': { input: { value: '7 of 9' } } };
  expect(readModal(view?.['private_metadata'], values)).toMatchObject({ text: '7 of 9' });
});

test('garbage in a payload is no control and no answer', () => {
  for (const value of [undefined, 1, '', 'x', '[]', '{}', '[1,2]', '["c"]', 'null', '["c","a",3]'])
    expect(readControl({ action_id: 'askback:choose:0', value }, undefined)).toEqual({ type: 'nothing' });
  expect(readControl({ action_id: 'askback:open', value: '["c","a","l",{"type":"x"}]' }, undefined)).toEqual({
    type: 'nothing',
  });
  expect(readControl({ action_id: 'other:open', value: '["c","a","o"]' }, undefined)).toEqual({ type: 'nothing' });
  for (const metadata of [undefined, '', '[]', '{"a":1}', 'null']) expect(readModal(metadata, {})).toBeUndefined();
});

// --- whatever the question ---

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 80 }),
  fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), fc.nat(4_000))
    .map(([s, n]) => s.repeat(1 + n / 4)),
  fc.nat(14_000).map((n) => 'word & <more> '.repeat(n / 14)),
);
const id = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.nat(2_500).map((n) => `é${'x'.repeat(n)}`),
);
const choiceShape = fc.record({
  type: fc.constant('choices' as const),
  choices: fc.uniqueArray(
    fc.record({
      id,
      label: fc.oneof({ weight: 9, arbitrary: fc.string({ unit: anyCharacter, maxLength: 90 }) }, text),
    }),
    {
      selector: (each) => each.id,
      minLength: 1,
      maxLength: 101,
    },
  ),
  many: fc.boolean(),
});
const textShape = fc.record({ type: fc.constant('text' as const) });
const input = fc
  .constantFrom('number', 'date', 'datetime', 'email')
  .map((kind) => ({ type: 'text', input: kind }) as Shape);
const field = fc.record({
  name: fc.string({ minLength: 1, maxLength: 10 }),
  text,
  shape: fc.oneof(choiceShape, textShape, input),
  optional: fc.boolean(),
});
const formShape = fc
  .array(field, { minLength: 1, maxLength: 6 })
  .map((fields) => ({ type: 'fields', fields, current: fields[0]?.name ?? '' }) as Shape);
const shapes: fc.Arbitrary<Shape> = fc.oneof(choiceShape, textShape, input, formShape);
const about = fc.record(
  {
    status: fc.constantFrom('pending', 'pending', 'answered', 'expired', 'declined', 'cancelled', 'exhausted'),
    details: fc.dictionary(fc.string({ maxLength: 20 }), text, { maxKeys: 30 }),
    answer: text,
    sensitive: fc.constant(true as const),
    expiresAt: fc.constant(askedAt),
    decidedAt: fc.constant(askedAt),
    decidedBy: fc.record({ id: fc.constant('u'), name: text }),
    quorum: fc.nat(3),
  },
  { requiredKeys: ['status'] },
) as fc.Arbitrary<Partial<NonNullable<OutgoingMessage['ask']>>>;

test('whatever is asked or said, the message is within the limits of Block Kit', () => {
  fc.assert(
    fc.property(
      shapes,
      about,
      text,
      fc.option(fc.string({ minLength: 1, maxLength: 512 })),
      (shape, ask, asked, conversation) => {
        const message = question(shape, ask, asked);
        const conversationId = conversation ?? message.conversationId;
        const drawn = drawnMessage({ ...message, conversationId, hint: asked.slice(0, 300) || 'h' });
        expect(problemsOfBlocks(drawn.blocks, 'message')).toEqual([]);
        expect(drawn.text.length).toBeGreaterThan(0);
        expect(drawn.text.length).toBeLessThanOrEqual(40_000);
        const said = drawnMessage({ key: 'k', conversationId, address: null, text: asked, shape: { type: 'text' } });
        expect(problemsOfBlocks(said.blocks, 'message')).toEqual([]);
        const view = opened({ ...message, conversationId });
        if (view !== undefined) expect(problemsOfView(view)).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

test('a number of a modal that would be rounded stays what was written', () => {
  const form = {
    conversationId: 'c',
    askId: 'a',
    label: 'Sum',
    shape: { type: 'text', input: 'number' },
    as: 'answer',
  };
  const metadata = modalMetadata(form as Parameters<typeof modalMetadata>[0]);
  const read = (value: string) => readModal(metadata, { 'askback:field:0': { input: { value } } });
  for (const [written, given] of [
    ['12', 12],
    ['-0.5', -0.5],
    ['9007199254740993', '9007199254740993'],
    ['9'.repeat(400), '9'.repeat(400)],
  ] as const)
    expect(read(written)).toMatchObject({ value: given });
});

test('whatever may be answered on Slack is shown there in full', () => {
  fc.assert(
    fc.property(shapes, about, text, (shape, ask, asked) => {
      const { message, details = {} } = { message: question(shape, { ...ask, status: 'pending' }, asked), ...ask };
      fc.pre(shownLength({ question: asked, details, shape }) <= longestQuestion);
      expect(readableText(drawnMessage(message).blocks)).not.toContain('too long to be shown here in full');
    }),
    { numRuns: 100 },
  );
});

test('whatever the options, a control gives back the id of its own', () => {
  fc.assert(
    fc.property(choiceShape, (shape) => {
      const drawn = drawnMessage(question(shape));
      const controls = controlsIn(drawn.blocks);
      const send = controls.find(({ element }) => element['action_id'] === 'askback:send');
      for (const [index, { element, option }] of controls.entries()) {
        if (element === send?.element) continue;
        const isButton = option === undefined;
        const state = {
          'askback:pick': { 'askback:pick': shape.many ? { selected_options: [option] } : { selected_option: option } },
        };
        const read = readControl(isButton ? element : (send?.element ?? {}), state);
        const own = shape.choices[index]?.id;
        expect(read).toMatchObject({ type: 'answer', choice: shape.many ? [own] : own });
      }
    }),
    { numRuns: 40 },
  );
});

test('whatever the words of a language are, messages and modals are within the limits of Block Kit', () => {
  const sentence = fc.oneof(fc.constantFrom('', ' ', '<!channel> & *', 'x'.repeat(4_000)), fc.string());
  fc.assert(
    fc.property(shapes, about, text, sentence, (shape, ask, asked, own) => {
      const names = Object.keys(english.wording);
      const odd = Object.fromEntries(names.map((name) => [name, () => own])) as unknown as Wording;
      const message = question(shape, { ...ask, expiresAt: askedAt }, asked);
      const drawn = drawnMessage(message, { wording: odd, inboxUrl: () => 'https://inbox.example.com' });
      expect(problemsOfBlocks(drawn.blocks, 'message')).toEqual([]);
      expect(JSON.stringify(drawn)).not.toContain('<!channel>');
      for (const { element } of controlsIn(drawn.blocks)) {
        const read = readControl(element, undefined);
        if (read.type === 'open') expect(problemsOfView(drawnModal(read.form, odd))).toEqual([]);
      }
    }),
    { numRuns: 60 },
  );
});

test.each(builtInLanguages)('the words of $locale fit their controls', ({ wording: own }) => {
  for (const word of [own.answerButton(), own.sendButton(), own.cancelButton()]) expect(word.length).toBeLessThan(25);
  const drawn = drawnMessage(question({ type: 'text' }, { expiresAt: askedAt }), { wording: own });
  expect(readableText(drawn.blocks)).toContain(own.openUntil('<!date^1893456000^'));
});
