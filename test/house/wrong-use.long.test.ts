/** What the compiler says to somebody who uses the library wrongly: short, and with names that say what to do. */
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { doors, root } from './public-types.js';

const file = join(root, 'newcomer.ts');

const program = `
import { agent, AgentRegistry, BaseAgent, choice, confirm, text, type AgentInput, type PendingAsk } from 'askback';

const support = agent('support');
const registry = new AgentRegistry({ agents: [support] });
/* 1 */ support.question('a', confirm('A?'), { onAnswer: (yes: string) => yes });
/* 2 */ support.question('b', text('B?'), { onAnwser: () => 'x' });
/* 3 */ support.question('c', text('C?'), {});
/* 4 */ support.question('d', text('D?'), { onAnswer: () => 'x', expiresIn: '15m' });
/* 5 */ support.question('e', text('E?'), { onAnswer: () => 42 });
/* 6 */ support.question('f', text('F?'), { onAnswer: () => 'x', answerableBy: 'manager' });
/* 7 */ support.onMessage(({ ask }) => ask(confirm('Sure?')));
/* 8 */ export const agents = new AgentRegistry({ agents: [{ name: 'support' }] });
/* 9 */ export const misspelt = new AgentRegistry({ setings: {} });
/* 10 */ export const settings = new AgentRegistry({ settings: { patience: 5 } });
/* 11 */ export const waited = async () => (await registry.askAndWait(confirm('Sure?'), { channel: 'web' })).value;
/* 12 */ export const sized: number = (await registry.askAndWait(choice('Size?', ['S', 'M']), { channel: 'web' })).ask.value;
export class Support extends BaseAgent {
  name = 'support';
  async invokeAgent(_input: AgentInput) {
    return this.ask('Which order?');
  }
  protected override onAskClosed(pending: PendingAsk, why: string) {
    return pending.question + why;
  }
}
`;

/** The first line of each message, with the number that stands in the wrong line. */
function said(): string[] {
  const paths = Object.fromEntries([...doors()].map(([name, path]) => [name, [path]]));
  const options: ts.CompilerOptions = {
    ...{ module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, types: ['node'], lib: ['lib.es2023.d.ts'] },
    ...{ strict: true, skipLibCheck: true, noEmit: true, paths },
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = ts.sys;
  host.readFile = (path) => (path === file ? program : readFile(path));
  host.fileExists = (path) => path === file || fileExists(path);
  host.getSourceFile = (path, version) => {
    const source = host.readFile(path);
    return source === undefined ? undefined : ts.createSourceFile(path, source, version);
  };
  const made = ts.createProgram([file], options, host);
  const source = made.getSourceFile(file) as ts.SourceFile;
  return made.getSemanticDiagnostics(source).map(({ start = 0, messageText }) => {
    const line = program.slice(program.lastIndexOf('\n', start) + 1, program.indexOf('\n', start));
    return `${/\d+/.exec(line)?.[0]}: ${ts.flattenDiagnosticMessageText(messageText, '\n').split('\n').at(0)}`;
  });
}

test('a wrong use is told by names that a newcomer can look up, and the right one compiles', () => {
  expect(said()).toEqual([
    "1: Type '(yes: string) => string' is not assignable to type '(answer: boolean, turn: Continuation<boolean>) => HandlerResult | Promise<HandlerResult>'.",
    "2: Object literal may only specify known properties, but 'onAnwser' does not exist in type 'AnswerHandlers<string>'. Did you mean to write 'onAnswer'?",
    "3: Argument of type '{}' is not assignable to parameter of type 'AnswerHandlers<string>'.",
    "4: Type 'string' is not assignable to type 'number'.",
    "5: Type 'number' is not assignable to type 'HandlerResult | Promise<HandlerResult>'.",
    "6: Type '\"manager\"' is not assignable to type 'AnswerableBy | undefined'.",
    "7: Argument of type 'Question<boolean>' is not assignable to parameter of type 'TextOrDeclared'.",
    "8: Property 'invokeAgent' is missing in type '{ name: string; }' but required in type 'Agent'.",
    "9: Object literal may only specify known properties, but 'setings' does not exist in type 'RegistryOptions'. Did you mean to write 'settings'?",
    "10: Object literal may only specify known properties, and 'patience' does not exist in type 'Partial<Settings>'.",
    "11: Property 'value' does not exist on type 'Outcome<boolean>'.",
    "12: Type 'string | undefined' is not assignable to type 'number'.",
  ]);
});
