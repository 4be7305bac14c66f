/**
 * From a reply to a decision to its continuation, for both ways of writing an agent. The decision is written before
 * the continuation starts; on a re-run a decided ask goes straight to its continuation.
 */

import { typeByKind } from '../../answers/type-by-kind.js';
import type { AgentResult } from '../../core/agent.js';
import type { AnswerType, Parsed } from '../../core/ask/answer-type.js';
import type { Ask, FollowUp, PendingAsk } from '../../core/ask/ask.js';
import { askView, insufficient, promptOf } from '../../core/ask/ask.js';
import type { NewVerdict } from '../../core/ask/decision.js';
import { checkedEffectKey } from '../../core/ask/options.js';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import { saysSomething } from '../../core/text.js';
import { signalled } from '../lease/signalled.js';
import { runTurn } from './current-turn.js';
import { answerOf, parsedAs, plainValue } from './parse-reply.js';
import type { Continuation, HandlerResult, Handlers } from './question-handlers.js';
import { resultOf } from './question-handlers.js';
import type { Turn } from './turn.js';

/** How one reply is to be read and what comes after it. */
export interface Answering<T> {
  /** The declared question's own type; without it the ask's kind names a built-in one. */
  readonly type?: AnswerType<T> | undefined;
  readonly check?: Handlers<T>['check'];
  readonly effectKey?: ((answer: T, pending: PendingAsk<T>) => string) | undefined;
  /** Given when the type itself proves nothing and no check does. */
  readonly judge: (question: string, reply: string) => Promise<boolean>;
  readonly simpleValidation?: ((answer: string) => boolean | Promise<boolean>) | undefined;
  readonly onSufficient: (answer: T, turn: Continuation<T>) => HandlerResult | Promise<HandlerResult>;
  /** After the last insufficient reply. If it says and asks nothing, the human gets the skip sentence. */
  readonly onExhausted: (pending: PendingAsk<T>) => Promise<HandlerResult>;
}

/** Reads the reply, decides, and continues. A decided ask goes straight to its continuation: this is a re-run. */
export async function answered<T>(turn: Turn, askId: string, reply: string, how: Answering<T>): Promise<AgentResult> {
  const ask = turn.reply;
  if (ask === undefined || ask.id !== askId) {
    throw new AgentError(
      'unknown-ask',
      `Ask ${askId} is not the one this turn's message replies to. Pass what getPendingAsk() returned in this turn.`,
    );
  }
  if (ask.decision !== undefined) return continued(turn, ask, how);
  const read = await reading(turn, ask, reply, how);
  if (read.type === 'more') {
    turn.step(ask.id, read.step, read.step.prompt, false);
    return waiting(ask.id);
  }
  if (read.type === 'refused') return refused(turn, ask, read, how);
  const verdict = verdictOf(turn, ask, reply, read.value, how);
  const decided =
    ask.quorum === undefined
      ? await turn.decide(ask.id, verdict)
      : await turn.vote(ask.id, verdict.value === true, verdict);
  return decided === undefined ? waiting(ask.id) : continued(turn, decided, how);
}

function verdictOf<T>(turn: Turn, ask: Ask, reply: string, read: T, how: Answering<T>): NewVerdict {
  const final = answerOf(read, reply, turn.context.settings);
  if (how.effectKey === undefined) return { status: 'answered', ...final };
  const view = { ...askView<T>(ask, turn.conversationId), answer: final.answer, value: read };
  const effectKey = checkedEffectKey(how.effectKey(read, view), 'The result of effectKey()');
  return { status: 'answered', ...final, effectKey };
}

/** What a reply was read as, in the words of whoever wrote it. */
type ReplyReading<T> =
  | { readonly type: 'value'; readonly value: T }
  | { readonly type: 'more'; readonly step: FollowUp }
  /** `mend` says what is asked again where that is not simply the question. */
  | {
      readonly type: 'refused';
      readonly problem: string;
      readonly why: 'not-understood' | 'not-valid';
      readonly mend?: FollowUp;
    };

async function reading<T>(turn: Turn, ask: Ask, reply: string, how: Answering<T>): Promise<ReplyReading<T>> {
  const type = typeFor<T>(ask, how.type);
  const parsed = await parsedBy(turn, ask, type, reply);
  if (parsed.ok && isProof(type, ask, how)) return { type: 'value', value: parsed.value };
  if (parsed.ok) return vettedReading(turn, ask, reply, how, type, parsed.value);
  if (parsed.why === 'more') return { type: 'more', step: stepOf(turn, parsed) };
  return { type: 'refused', why: parsed.why, problem: parsed.say?.(turn.language.wording) ?? parsed.problem };
}

/** What the type has read needs nobody's consent. */
function isProof<T>(type: AnswerType<T>, ask: Ask, how: Answering<T>): boolean {
  return how.check === undefined && how.simpleValidation === undefined && type.isOpen?.(ask.data) !== true;
}

/** A value that its type has read, after whoever may object to it. */
async function vettedReading<T>(
  turn: Turn,
  ask: Ask,
  reply: string,
  how: Answering<T>,
  type: AnswerType<T>,
  value: T,
): Promise<ReplyReading<T>> {
  const { wording } = turn.language;
  const own = plainValue(value, turn.context.settings) as T; // read by its type: a check may do with the value what it likes
  const objection = how.check === undefined ? undefined : await checkProblem(how.check, value);
  if (objection !== undefined) {
    const again = type.reopen?.(own, ask.data as never, objection.fields);
    const refusal = { type: 'refused', why: 'not-valid', problem: objection.problem } as const;
    return again === undefined ? refusal : { ...refusal, mend: stepOf(turn, again) };
  }
  if (how.simpleValidation !== undefined && !(await how.simpleValidation(reply)))
    return { type: 'refused', why: 'not-valid', problem: wording.wrongPattern(undefined) };
  if (how.simpleValidation === undefined && how.check === undefined && type.isOpen?.(ask.data) === true) {
    // a sensitive answer is never shown to a model
    const fits = ask.sensitive ? saysSomething(reply) : await how.judge(ask.question, reply);
    const problem = saysSomething(reply) ? wording.unclear() : wording.needText();
    if (!fits) return { type: 'refused', why: 'not-understood', problem };
  }
  return { type: 'value', value: own };
}

function typeFor<T>(ask: Ask, own: AnswerType<T> | undefined): AnswerType<T> {
  const type = own ?? (typeByKind(ask.kind) as AnswerType<T> | undefined);
  if (type !== undefined && type.kind === ask.kind && (ask.kindVersion ?? 1) <= (type.version ?? 1)) return type;
  const version = ask.kindVersion === undefined ? '' : `, version ${ask.kindVersion}`;
  throw new AgentError(
    'unknown-question',
    `Ask ${ask.id} is of kind ${JSON.stringify(ask.kind)}${version}, which this release of agent ${ask.agentName} cannot read. Deploy one that can, then retry.`,
  );
}

function parsedBy<T>(turn: Turn, ask: Ask, type: AnswerType<T>, reply: string): Parsed<T> | Promise<Parsed<T>> {
  const { reading: read, message, who } = turn.parts;
  const entry = read.type === 'reply' && reply === message ? read.entry : undefined;
  const locale = who?.locale ?? ask.locale;
  return parsedAs(type, ask, { text: reply, entry, language: turn.language, locale }, turn.context.settings);
}

function stepOf(turn: Turn, { partial, prompt, say, shape }: Extract<Parsed<unknown>, { why: 'more' }>): FollowUp {
  return { partial, prompt: say?.(turn.language.wording) ?? prompt, shape };
}

function waiting(askId: string): AgentResult {
  return { metadata: { waitingForHuman: true, askId } };
}

interface Objection {
  readonly problem: string;
  /** The fields of a form that it is about; none: all of it. */
  readonly fields: readonly string[];
}

async function checkProblem<T>(check: NonNullable<Handlers<T>['check']>, value: T): Promise<Objection | undefined> {
  if (typeof check === 'function') {
    const verdict = await check(value);
    if (verdict === true) return undefined;
    if (typeof verdict === 'string') return { problem: verdict, fields: [] };
    throw new AgentError('bad-option', `check() must return true or the reason as a text, got ${describe(verdict)}.`);
  }
  const result = await check['~standard'].validate(value);
  const got: unknown = result;
  if (got === null || typeof got !== 'object')
    throw new AgentError('bad-option', `check: the schema must give { value } or { issues }, got ${describe(got)}.`);
  const { issues } = result;
  if (issues === undefined || issues.length === 0) return undefined;
  return {
    problem: issues.map((issue) => issue.message).join(' '),
    fields: issues.flatMap(({ path }) => fieldOf(path)),
  };
}

/** A path of a Standard Schema issue begins with a key, or an object that has one. */
function fieldOf(path: readonly unknown[] | undefined): string[] {
  const first = path?.[0];
  const key: unknown = typeof first === 'object' && first !== null && 'key' in first ? first.key : first;
  return typeof key === 'string' ? [key] : [];
}

/** What every continuation and hook is given beside the answer. */
export function continuation<T>(turn: Turn, pending: PendingAsk<T>): Continuation<T> {
  const { stop, attempt } = turn.parts;
  const once: Continuation<T>['once'] = (key, work) => runTurn(turn, () => turn.once(key, work));
  return signalled({ effectKey: pending.effectKey, attempt, pending, once }, stop);
}

async function continued<T>(turn: Turn, ask: Ask, how: Answering<T>): Promise<AgentResult> {
  const view = askView<T>(ask, turn.conversationId);
  turn.continued = true;
  if (ask.status !== 'answered') return exhausted(turn, view, how);
  return resultOf(await how.onSufficient(view.value as T, continuation(turn, view))); // it was answered
}

async function exhausted<T>(turn: Turn, ask: PendingAsk<T>, how: Answering<T>): Promise<AgentResult> {
  const before = turn.moves.length;
  const result = resultOf(await how.onExhausted(ask));
  if (result.output !== undefined || turn.moves.length > before) return result;
  turn.say(turn.language.wording.skipped());
  turn.skipped = ask.id;
  return {
    output: 'Step skipped due to insufficient input.',
    metadata: { ...result.metadata, skipped: true, askId: ask.id },
  };
}

async function refused<T>(
  turn: Turn,
  ask: Ask,
  read: ReplyReading<T> & { type: 'refused' },
  how: Answering<T>,
): Promise<AgentResult> {
  const { wording } = turn.language;
  const { reading: entry } = turn.parts;
  if (entry.type === 'reply' && entry.how !== 'typed') {
    // what is said about a sensitive answer may quote it, and this is stored
    const problem = ask.sensitive ? wording.wrongPattern(undefined) : read.problem;
    turn.fate = { type: 'invalid', problem };
    if (entry.how === 'control') turn.say(wording.invalid(problem));
    return waiting(ask.id);
  }
  const attempts = read.mend === undefined ? ask.retries : (ask.returns ?? 0);
  if (attempts >= ask.maxRetries)
    return continued(turn, await turn.decide(ask.id, { status: 'exhausted', answer: insufficient }), how);
  const again = read.why === 'not-valid' ? wording.notValid : wording.notUnderstood;
  if (read.mend === undefined) turn.reask(ask.id, again(promptOf(ask), read.problem));
  else turn.step(ask.id, read.mend, again(read.mend.prompt, read.problem), true);
  return waiting(ask.id);
}
