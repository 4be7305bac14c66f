/** What users meet has a name that they can write, and shows nothing of the engine. Looked at in the declarations, behind every door. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultSettings } from '../../src/core/settings.js';
import { inferring, problemsOf } from './nameable.js';
import { doors, PublicTypes, root } from './public-types.js';
import { read } from './repository.js';

const types = new PublicTypes(doors());

test('every door of the exports map is looked at', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> };
  const names = Object.keys(exports).filter((name) => name !== './package.json');
  expect([...doors().keys()].sort()).toEqual(names.map((name) => `askback${name.slice(1)}`).sort());
});

test('every type that an export leads to is exported by name: from the root, or from a subpath', () => {
  expect(types.unnamed()).toEqual([]);
});

test('no member is named by a symbol of ours, and nothing is marked as internal', () => {
  const engine = types.members().filter(({ name }) => name.includes('['));
  expect(engine.map(({ name }) => name)).toEqual([]);
  expect(types.marked('internal')).toEqual([]);
});

test('every export and every member of one has a comment', () => {
  expect(types.undocumented()).toEqual([]);
});

/** Types that are part of another, whose example shows them; they are exported so that a program can name them. */
const shownElsewhere = [
  ...['AgentTool', 'AskingTool', 'DoingTool', 'HumanQuestion', 'RunCall', 'ToolDescription'],
  ...['AnswerableBy', 'AnswerCheck', 'SchemaResult', 'StandardSchema'],
  ...['AskAndWaitOptions', 'AskedFromOutside', 'AskThereOptions', 'WaitOptions', 'PublicPendingAsk', 'Failure'],
  ...['AskEvent', 'ConversationEvent', 'DecidedAskEvent', 'QuietUntil', 'ReplySorting', 'SortReply', 'Clock'],
  ...['ChoiceOptions', 'ChoicesLimits', 'ConfirmLabels', 'DateOptions', 'EmailOptions', 'NumberOptions', 'TextOptions'],
  ...['Field', 'ReplyContext', 'FormValue', 'OptionalQuestion', 'OptionId', 'Words'],
  ...['HandlerResult', 'Handlers', 'MessageHandler', 'PlainAgentOptions', 'TellOutcome', 'TurnActions'],
  ...['AnswerHandlers', 'AnsweredOutcome', 'TextOrDeclared', 'UnansweredOutcome'],
  ...['MemoryStoreOptions', 'TerminalOptions'],
  ...['ChannelTraits', 'DeskAsks', 'DeskConversations', 'DeskResponses', 'FindsMessages', 'KnowsPeople'],
  ...['ReachesAddresses', 'ServesRequests', 'TakesQuotes', 'UpdatesMessages'],
  ...['ModelCall', 'ModelMessage', 'ModelReply', 'ModelRequest', 'ModelTool'],
];

test('every root export has a comment with an example, except the parts of others', () => {
  expect(types.withoutExample('askback').filter((name) => !shownElsewhere.includes(name))).toEqual([]);
});

test('a program can declare functions that give back what the calls do', () => {
  const control = "import type { Nothing } from 'askback';"; // the package is found, and what it lacks is told
  expect(problemsOf(`${control}\n${inferring}`, types.files)).toEqual([expect.stringMatching(/^TS2305 .*Nothing/)]);
});

test('every setting says its default, as it is in the code', () => {
  const said = types.members().flatMap(({ name, symbol }) => {
    if (!name.startsWith('askback.Settings.')) return [];
    const tag = symbol.getJsDocTags(types.checker).find((each) => each.name === 'default');
    const text = (tag?.text ?? []).map(({ text: part }) => part).join('');
    return [[name.split('.').at(-1), JSON.parse(text.replaceAll('_', '')) as unknown]];
  });
  expect(Object.fromEntries(said)).toEqual(defaultSettings);
});

/** The same for one file that a test makes up. */
function madeUp(text: string): PublicTypes {
  const path = join(root, 'src/made-up.ts');
  return new PublicTypes(new Map([['made-up', path]]), new Map([[path.replace('.ts', '.d.ts'), text]]));
}

test('an export without a comment or an example is found', () => {
  const text = `/** Said. @example x */\nexport declare const good: 1;\n/** Said. */\nexport declare const bad: 1;\nexport type Worse = 1;`;
  expect(madeUp(text).withoutExample('made-up')).toEqual(['bad', 'Worse']);
});

test('a type without a name, a symbol and a member without a comment are found', () => {
  const text = `
    declare const engine: unique symbol;
    interface Hidden { readonly deep: Deeper }
    interface Deeper { readonly a: 1 }
    export interface Shown {
      readonly hidden: Hidden;
      /** Said. */
      readonly said: string;
      [engine]: 1;
    }
    export declare class Thing {
      #secret;
      private own: Hidden;
      /** Said. */
      make(): Shown;
    }
    /** Said. */
    export declare function does(what: Shown, how?: {
      readonly fast?: boolean;
      /** Said. */
      readonly far?: { deep: 1 };
    }): void;
    export {};
  `;
  const made = madeUp(text);
  expect(made.unnamed().map((each) => each.split(' ')[0])).toEqual(['Deeper', 'Hidden']);
  expect(made.members().map(({ name }) => name)).toEqual([
    'made-up.does.fast',
    'made-up.does.far',
    'made-up.does.deep',
    'made-up.Shown.hidden',
    'made-up.Shown.said',
    'made-up.Shown.[engine]',
    'made-up.Thing.make',
  ]);
  expect(made.undocumented()).toEqual([
    'made-up.Shown',
    'made-up.Thing',
    'made-up.does.fast',
    'made-up.does.deep',
    'made-up.Shown.hidden',
    'made-up.Shown.[engine]',
  ]);
});
