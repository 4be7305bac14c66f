/** Everything at the front door is explained where an editor shows it: a comment, with an example. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

function undocumented(file: string, text?: string): string[] {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const read = host.readFile.bind(host);
  if (text !== undefined) {
    host.readFile = (path) => (path === file ? text : read(path));
    host.fileExists = (path) => path === file || ts.sys.fileExists(path);
  }
  const program = ts.createProgram([file], options, host);
  const checker = program.getTypeChecker();
  const door = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile);
  return checker.getExportsOfModule(door as ts.Symbol).flatMap((each) => {
    const symbol = each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each;
    const said = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
    const example = symbol.getJsDocTags(checker).some((tag) => tag.name === 'example');
    return said !== '' && example ? [] : [each.name];
  });
}

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
  ...['ModelCall', 'ModelMessage', 'ModelReply', 'ModelRequest', 'ModelTool'],
];

test('every root export has a comment with an example, except the parts of others', () => {
  const silent = undocumented(join(root, 'src/index.ts'));
  expect(silent.filter((name) => !shownElsewhere.includes(name))).toEqual([]);
});

test('a name without one is found', () => {
  const text = `/** Said. @example x */\nexport const good = 1;\n/** Said. */\nexport const bad = 1;\nexport type Worse = 1;`;
  expect(undocumented(join(root, 'src/made-up.ts'), text)).toEqual(['bad', 'Worse']);
});
