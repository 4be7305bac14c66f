/** What `import … from 'askback'` offers, name by name. A name more or less is a decision, so it is made here too. */
import { expect, test } from 'vitest';
import { read, sourceFiles } from './repository.js';
import { exportsOf } from './rules.js';

const values = [
  'agent',
  'BaseAgent',
  'AgentRegistry',
  'text',
  'choice',
  'choices',
  'confirm',
  'number',
  'date',
  'email',
  'form',
  'optional',
  'MemoryStore',
  'TerminalChannel',
  'AgentError',
  'unrelatedBy',
];

// many are here because a user's own declarations must be able to name them: public-types.test.ts infers some, and walks
// all. What only the author of a store meets is behind `askback/stores`, so that words such as Page and Mark are not offered to everybody
const types = [
  ...['Followed', 'FollowedItem', 'FollowOptions'],
  ...['FetchedOutput', 'Handled', 'HandleOptions', 'Outputs', 'OutcomeHandler', 'OutputsOptions', 'SendOptions'],
  ...['AskFilter', 'AskPage', 'CancelOptions', 'EraseResult'],
  ...[
    'AskFromOutsideOptions',
    'OpenedAsk',
    'Settled',
    'Cancelled',
    'ParkedWork',
    'ParkedFilter',
    'ParkedPage',
    'ParkedClosed',
    'CloseParkedOptions',
    'HistoryItem',
    'SweepReport',
    'Disposition',
  ],
  ...['Choice', 'RegistryOptions', 'Settings', 'AskStatus', 'AskStep', 'Policy', 'Logger', 'RegistryEvents'],
  ...['HandOverOptions', 'HandOverResult'],
  ...['Agent', 'MessageHandler', 'PlainAgentOptions', 'PublicPendingAsk', 'ShownAsk', 'ShownPerson'],
  ...['FormValue', 'OptionalQuestion', 'OptionId'],
  ...['ChoiceOptions', 'ChoicesLimits', 'ConfirmLabels', 'DateOptions', 'EmailOptions', 'NumberOptions', 'TextOptions'],
  ...['AskAndWaitOptions', 'AskedFromOutside', 'AskThereOptions', 'WaitOptions'],
  ...['AnswerHandlers', 'HandlerResult', 'Handlers', 'TellOutcome', 'TextOrDeclared', 'TurnActions'],
  ...['AnsweredOutcome', 'UnansweredOutcome'],
  ...['AnswerCheck', 'SchemaResult', 'StandardSchema', 'AnswerableBy'],
  ...['QuietUntil', 'SortReply', 'ReplySorting', 'Clock', 'Failure'],
  ...['AskEvent', 'ConversationEvent', 'DecidedAskEvent'],
  ...['MemoryStoreOptions', 'TerminalOptions'],
  ...['Field', 'ReplyContext', 'Words'],
  ...['ModelCall', 'ModelMessage', 'ModelReply', 'ModelRequest', 'ModelTool'],
  ...['AgentTool', 'AskingTool', 'DoingTool', 'HumanQuestion', 'RunCall', 'ToolDescription'],
  'PlainAgent',
  'Closed',
  'Continuation',
  'MessageTurn',
  'Parsed',
  'Shape',
  'AgentInput',
  'AgentResult',
  'PendingAsk',
  'Participant',
  'Question',
  'Declared',
  'AskOptions',
  'Outcome',
  'AgentErrorCode',
  'Channel',
  'Desk',
  'IncomingMessage',
  ...['ChannelTraits', 'DeskAsks', 'DeskConversations', 'DeskResponses', 'FindsMessages', 'KnowsPeople'],
  ...['ReachesAddresses', 'ServesRequests', 'TakesQuotes', 'UpdatesMessages'],
  'OutgoingMessage',
  'AnswerType',
  'Store',
  'Model',
  'Language',
  'Wording',
  'Json',
];

test('the values', async () => {
  const door = await import('../../src/index.js');
  expect(Object.keys(door).sort()).toEqual([...values].sort());
});

test('no module awaits at its top: a CommonJS program can load every door by require()', () => {
  const awaits = /^(?:await|(?:export )?(?:const|let) [^=]*= await)\b/m;
  expect(awaits.test('export const { a } = await loaded();')).toBe(true);
  const found = sourceFiles().filter(({ text }) => awaits.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
});

test('the types', () => {
  const door = exportsOf({ path: 'src/index.ts', text: read('src/index.ts') });
  expect(door.types.sort()).toEqual([...types].sort());
});

test('every way of exporting is seen', () => {
  const text = `
    export { a, type B } from './a.js';
    export type { C, D as E } from './c.js';
    export interface F {}
    export type G = 1;
    export const h = 1;
    export function i() {}
    export class J {}
    type Hidden = 1;
  `;
  expect(exportsOf({ path: 'src/index.ts', text })).toEqual({
    values: ['a', 'h', 'i', 'J'],
    types: ['B', 'C', 'E', 'F', 'G'],
  });
});
