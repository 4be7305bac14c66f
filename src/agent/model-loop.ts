/**
 * The loop of `run()`: calls the model, runs the tools that it calls, and repeats until it only returns text. A call
 * that asks a person ends the turn; the loop continues under the model's call id when the ask has ended, in any
 * process. Every call gets exactly one result before the model is called again.
 */
import type { AgentResult, Model, ModelCall, ModelMessage } from '../core/agent.js';
import type { Ask } from '../core/ask/ask.js';
import { askView } from '../core/ask/ask.js';
import { checkedAskOptions } from '../core/ask/options.js';
import { definedFields } from '../core/defined-fields.js';
import { AgentError, failureOf, unreadableQuestion } from '../core/errors.js';
import { describe, digest } from '../core/ids.js';
import type { Json } from '../core/json.js';
import { canonical, copyOf } from '../core/json.js';
import { isBlank } from '../core/text.js';
import { askInTurn } from '../registry/turn/asking.js';
import { newAsk } from '../registry/turn/new-ask.js';
import { once } from '../registry/turn/remembering.js';
import { say } from '../registry/turn/saying.js';
import type { Turn } from '../registry/turn/turn.js';
import type { AgentTool, AskingTool, DoingTool } from './tool.js';
import { inputProblem } from './tool-input.js';

/** The state of a loop between two turns, stored with the ask that it waits for. */
interface RunState {
  readonly messages: readonly ModelMessage[];
  /** Calls without a result; the first is the one that asks a person. */
  readonly calls: readonly ModelCall[];
  /** The questions asked so far, to recognise a repeat. */
  readonly asked: readonly AskedQuestion[];
  readonly steps: number;
}

interface AskedQuestion {
  readonly key: string;
  /** The position of its result among the messages. It is there when the next call is looked at: calls are carried out in order. */
  readonly result: number;
}

const mostSteps = 20;

export interface LoopOptions {
  readonly model: Model;
  readonly system: string | undefined;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly agentName: string;
}

export function startLoop(turn: Turn, loop: LoopOptions, messages: readonly ModelMessage[]): Promise<AgentResult> {
  return runLoop(turn, loop, { messages, calls: [], asked: [], steps: 0 });
}

/** Continues a loop whose ask has ended: the call gets its result. */
export function resumeLoop(turn: Turn, loop: LoopOptions, ask: Ask): Promise<AgentResult> {
  const state = ask.own.run as unknown as RunState; // written below
  const [call, ...calls] = state.calls;
  const tool = call === undefined ? undefined : loop.tools.get(call.name);
  if (call === undefined || tool === undefined || !('question' in tool))
    throw unreadableQuestion(
      `Agent ${loop.agentName} has no tool ${JSON.stringify(call?.name)} that asks, which ask ${ask.id} was made by. Give it back its tool, then retry.`,
    );
  turn.begins();
  const result = tool.result(askView<unknown>(ask, turn.conversationId));
  return runLoop(turn, loop, { ...state, calls, messages: [...state.messages, resultOf(call, result)] });
}

/** The number of runs in each turn, so that their effects have different keys. */
const runs = new WeakMap<Turn, number>();

async function runLoop(turn: Turn, loop: LoopOptions, from: RunState): Promise<AgentResult> {
  const number = (runs.get(turn) ?? 0) + 1;
  runs.set(turn, number);
  let { messages, calls, steps } = from;
  for (;;) {
    for (const [i, call] of calls.entries()) {
      const tool = loop.tools.get(call.name);
      if (call.problem !== undefined) messages = [...messages, resultOf(call, notExecuted(call.problem))];
      else if (tool !== undefined && 'question' in tool) {
        const left = { ...from, messages, calls: calls.slice(i), steps };
        const asked = await askPerson(turn, loop, tool, call, left);
        if (typeof asked !== 'string') return asked;
        messages = [...messages, resultOf(call, asked)];
      } else messages = [...messages, resultOf(call, await callTool(turn, loop, tool, call, `${number}:${steps}`))];
    }
    if (steps >= mostSteps)
      throw new AgentError(
        'too-many-steps',
        `The model of agent ${loop.agentName} called tools ${mostSteps} times in one run() without an end.`,
      );
    steps += 1;
    const answer = await callModel(turn, loop, messages, `${number}:${steps}`);
    if (answer.calls.length === 0) return answer.text === '' ? {} : { output: answer.text };
    if (!isBlank(answer.text)) say(turn, answer.text); // what it says beside its calls is meant for the person
    messages = [...messages, { role: 'assistant', content: answer.text, calls: answer.calls }];
    calls = answer.calls;
  }
}

/**
 * Calls the model, and remembers its answer for a re-run of the turn: it must not decide otherwise after a tool has
 * run.
 */
async function callModel(
  turn: Turn,
  { model, system, tools, agentName }: LoopOptions,
  messages: readonly ModelMessage[],
  step: string,
): Promise<{ readonly text: string; readonly calls: readonly ModelCall[] }> {
  const ask = async () => {
    const answer = await model({
      ...(system === undefined ? {} : { system }),
      messages,
      ...(tools.size === 0 ? {} : { tools: [...tools.values()].map(described) }),
      signal: turn.stop.signal,
    });
    return checkedAnswer(answer, agentName);
  };
  return tools.size === 0
    ? ask()
    : once(turn, { key: `run:model:${step}`, run: ask, bytes: turn.context.settings.documentBytes });
}

/** Checks what a model adapter returned. A mistake in an adapter must not look like an answer. */
function checkedAnswer(
  answer: unknown,
  agentName: string,
): { readonly text: string; readonly calls: readonly ModelCall[] } {
  if (typeof answer === 'string') return { text: answer, calls: [] };
  const wrong = (what: string, value: unknown): AgentError =>
    new AgentError(
      'bad-verdict',
      `The model of agent ${agentName} must answer with a string, or with { text, calls }; ${what} is ${describe(value)}.`,
    );
  if (typeof answer !== 'object' || answer === null) throw wrong('what came', answer);
  const { text: said, calls: called } = answer as { text?: unknown; calls?: unknown };
  const [text, calls] = [said ?? '', called ?? []];
  if (typeof text !== 'string') throw wrong('text', text);
  if (!Array.isArray(calls)) throw wrong('calls', calls);
  for (const [i, call] of calls.entries()) {
    const { id, name, problem } = Object(call) as Partial<ModelCall>;
    if (typeof id !== 'string') throw wrong(`calls[${i}].id`, id);
    if (typeof name !== 'string') throw wrong(`calls[${i}].name`, name);
    if (problem !== undefined && typeof problem !== 'string') throw wrong(`calls[${i}].problem`, problem);
  }
  return { text, calls: [...calls] };
}

function described({ name, description, inputSchema }: AgentTool) {
  return { name, inputSchema, ...(description === undefined ? {} : { description }) };
}

async function callTool(
  turn: Turn,
  loop: LoopOptions,
  tool: DoingTool | undefined,
  call: ModelCall,
  step: string,
): Promise<string> {
  if (tool === undefined) {
    const names = [...loop.tools.keys()].join(', ');
    return `There is no tool ${JSON.stringify(call.name)}. The tools are: ${names || 'none'}.`;
  }
  const problem = await inputProblem(tool.inputSchema, call.input);
  if (problem !== undefined) return notExecuted(problem);
  const which = `${step}:${digest(canonical(call.input ?? null))}:${call.id}`; // some models use one id for two calls
  const effectKey = `${digest(turn.id)}:${which}`;
  const run = async (): Promise<string> => {
    try {
      const result = await tool.execute(copyOf(call.input), {
        callId: call.id,
        effectKey,
        signal: turn.stop.signal,
      });
      return truncated(turn, typeof result === 'string' ? result : (JSON.stringify(result) ?? 'Done.'));
    } catch (error) {
      turn.stop.signal.throwIfAborted(); // stopped: the turn will run again
      return truncated(turn, `The tool ${call.name} failed: ${failureOf(error).message}`);
    }
  };
  return once(turn, { key: `run:call:${which}`, run });
}

const notExecuted = (problem: string): string =>
  `The call was NOT executed. ${problem.slice(0, 2_000)} Correct the call and try again.`;

/**
 * Cuts a result to the length that can be stored. The tool has run, so its result must not fail for its length and
 * run it again.
 */
function truncated({ context }: Turn, text: string): string {
  const { textBytes } = context.settings;
  const bytesOf = (words: string): number => Buffer.byteLength(JSON.stringify(words));
  if (bytesOf(text) <= textBytes) return text;
  const note = `… (cut: the result has ${text.length} characters, more than can be kept)`;
  let keep = Math.min(text.length, textBytes);
  while (bytesOf(text.slice(0, keep)) + bytesOf(note) > textBytes) keep = Math.floor(keep * 0.9);
  return text.slice(0, keep).toWellFormed() + note;
}

/** Asks the person. Returns a string for the model if the question cannot be asked. */
async function askPerson(
  turn: Turn,
  loop: LoopOptions,
  tool: AskingTool,
  call: ModelCall,
  state: RunState,
): Promise<AgentResult | string> {
  const request = tool.question(copyOf(call.input)); // a copy, because the call is stored with the run
  if ('problem' in request) return request.problem;
  const { question, details } = request;
  const key = digest(canonical([question.text, question.type.kind, question.data]));
  const first = state.asked.find((each) => each.key === key);
  if (first !== undefined) return tool.repeated(state.messages[first.result]?.content ?? '');
  if (tool.limit !== undefined && state.asked.length >= tool.limit) return tool.refusal('limit');
  const nobody = turn.place.trigger === true;
  if (nobody && tool.elsewhere === undefined) return tool.refusal('nobody');
  const shown = Object.keys(details).length === 0 ? {} : { details };
  const way = nobody ? definedFields({ via: tool.elsewhere }) : {};
  const options = checkedAskOptions({ ...shown, ...way }, turn.context.settings, question.type.kind);
  const asked = [...state.asked, { key, result: state.messages.length }];
  const run = { ...state, asked } as unknown as Json; // messages, calls and questions: plain data
  try {
    const askId = await askInTurn(turn, { ...newAsk(loop.agentName, undefined, question, options), run });
    return { metadata: { waitingForHuman: true, askId } };
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== 'bad-data') throw error;
    return `Nothing was asked: this run is too long to be kept while a person thinks (${error.message}) Finish without the answer, or say what you need to know.`;
  }
}

function resultOf({ id, name }: ModelCall, content: string): ModelMessage {
  return { role: 'tool', callId: id, name, content };
}
