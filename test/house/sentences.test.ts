/** Every sentence that a person can see is in the wording: nowhere else is there one, but for models, authors and operators. */
import ts from 'typescript';
import { expect, test } from 'vitest';
import { sourceFiles } from './repository.js';
import { parsed, type SourceFile } from './rules.js';

/** Whose eyes the sentences of a file are for, beside errors and log lines. */
const forOthers: Readonly<Record<string, string>> = {
  'src/agent/judge.ts': 'the instructions of a model',
  'src/agent/model-loop.ts': 'results for a model',
  'src/agent/tool-input.ts': 'results for a model',
  'src/agent/transcript.ts': 'remarks for a model',
  'src/tools/model-texts.ts': 'results for a model',
  'src/tools/ask/schema.ts': 'descriptions for a model',
  'src/tools/approval/action.ts': 'results for a model',
  'src/tools/mcp/asking.ts': 'results for a model',
  'src/tools/mcp/index.ts': 'descriptions for a model',
  'src/tools/mcp/question.ts': 'descriptions for a model',
  'src/tools/mcp/result.ts': 'results for a model',
  'src/tools/mcp/settling.ts': 'results and descriptions for a model',
  'src/answers/reading/form-reading.ts': 'a program that named an unknown field',
  'src/models/ai.ts': 'an operator who retries parked work',
  'src/browser/chat/settings.ts': 'visitors, in the words of the chat, each of which a page can replace',
  'src/channels/http.ts': 'a program that sends a request',
  'src/channels/chat/channel.ts': 'a program that sends a request, and the author of an agent',
  'src/channels/chat/failures.ts': 'the reason of a failure',
  'src/channels/email/incoming/receiver.ts': 'the reason of a failure',
  'src/channels/email/connection/trouble.ts': 'an operator who sets mail up',
  'src/channels/email/webhook.ts': 'a program that sends a request',
  'src/channels/kit/rate-limits.ts': 'the text of an error',
  'src/channels/slack/api.ts': 'the beginning and the end of an error',
  'src/channels/slack/incoming/signature.ts': 'the end of an error',
  'src/channels/slack/manifest.ts': 'the description of the app, for whoever installs it',
  'src/channels/webhook/channel.ts': 'a program that sends a request, and the beginning of an error',
  'src/registry/work/worker.ts': 'an operator who looks at parked work',
  'src/registry/arguments.ts': 'the end of an error',
  'src/registry/calls/ask-and-wait.ts': 'the end of an error',
  'src/registry/calls/open-ask.ts': 'the end of an error',
  'src/registry/intake/intake.ts': 'the end of an error',
  'src/registry/turn/reply.ts':
    'the output of a skipped step for the code around the agent: the person hears wording.skipped()',
};

const people = /^src\/(agent|answers|browser|channels|models|registry|tools)\//;
const errors =
  /^(AgentError|Error|badOption|wrongOption|unreadableQuestion|newerRecord|notLanguages|wrong|warnOnce|warn|error|info|debug|expecting|matching)$/;

test('no sentence for people stands outside of the wording', () => {
  const found = sourceFiles()
    .filter(({ path }) => people.test(path))
    .flatMap((file) => sentencesIn(file).map((sentence) => [file.path, sentence] as const));
  expect(found.filter(([file]) => !(file in forOthers))).toEqual([]);
  const used = new Set(found.map(([file]) => file));
  expect(Object.keys(forOthers).filter((file) => !used.has(file))).toEqual([]); // nobody has to believe an old list
});

/** Strings of several words that begin with a capital and end as a sentence does, outside of errors and log lines. */
function sentencesIn(file: SourceFile): readonly string[] {
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    const words = wordsOf(node);
    if (words !== undefined && /^\p{Lu}.*\p{L} \p{L}.*[.?!]$/su.test(words) && !isInError(node)) found.push(words);
    ts.forEachChild(node, look);
  };
  look(parsed(file));
  return found;
}

function wordsOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join('');
}

function isInError(node: ts.Node): boolean {
  for (let at: ts.Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if (ts.isThrowStatement(at)) return true;
    if (!ts.isCallExpression(at) && !ts.isNewExpression(at)) continue;
    const called = at.expression;
    if (errors.test(ts.isPropertyAccessExpression(called) ? called.name.text : called.getText())) return true;
  }
  return false;
}
