/**
 * From a reply to a decision to its continuation, for both ways of writing an agent. The decision is written before
 * the continuation starts; on a re-run a decided ask goes straight to its continuation.
 */

import { typeOf } from '../answers/question.js';
import { builtInType } from '../answers/types.js';
import type { AgentResult } from '../core/agent.js';
import type { Ask, PendingAsk } from '../core/ask.js';
import { answerValue, askView, insufficient } from '../core/ask.js';
import { AgentError } from '../core/errors.js';
import type { Making } from '../core/given.js';
import type { Json } from '../core/json.js';
import { plainData } from '../core/json.js';
import { checkedEffectKey } from '../core/options.js';
import type { AnswerType } from '../core/question.js';
import { fitsExactly } from '../core/reply.js';
import { saysSomething } from '../core/text.js';
import { withSignal } from '../registry/stop.js';
import type { NewVerdict, Turn } from '../registry/turn.js';
import type { Continuation, Declared, Handlers, Said } from './declared.js';
import { resultOf } from './declared.js';

/** How one reply is to be read and what comes after it. */
export interface Answering<T> {
  readonly declared?: Declared<T> | undefined;
  readonly check?: Handlers<T>['check'];
  readonly effectKey?: ((answer: T, ask: PendingAsk<T>) => string) | undefined;
  /** Given when the type itself proves nothing and no check does. */
  readonly judge: (question: string, reply: string) => Promise<boolean>;
  readonly simpleValidation?: ((answer: string) => boolean) | undefined;
  readonly onSufficient: (answer: T, more: Continuation<T>) => Said | Promise<Said>;
  /** After the last insufficient reply. If it says and asks nothing, the human gets the skip sentence. */
  readonly onExhausted: (ask: PendingAsk<T>) => Promise<Said>;
}

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
  if (read.ok) {
    const answer = reply.trim();
    const verdict: Making<NewVerdict> = { status: 'answered', answer };
    if (how.effectKey !== undefined) {
      const view = { ...askView<T>(ask, turn.input.conversationId), answer, value: read.value };
      verdict.effectKey = checkedEffectKey(how.effectKey(read.value, view), 'The result of effectKey()');
    }
    const value = plainValue(turn, read.value);
    if (value !== answer) verdict.value = value;
    return continued(turn, await turn.decide(askId, verdict), how);
  }
  return refused(turn, ask, read, how);
}

type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string; readonly why: 'not-understood' | 'not-valid' };

async function reading<T>(turn: Turn, ask: Ask, reply: string, how: Answering<T>): Promise<Read<T>> {
  const { wording } = turn.house;
  const type =
    how.declared === undefined ? (builtInType(ask.kind) as AnswerType<T> | undefined) : typeOf(how.declared.question);
  if (type === undefined || type.kind !== ask.kind) {
    throw new AgentError(
      'unknown-question',
      `Ask ${ask.id} is of kind ${JSON.stringify(ask.kind)}, which this release of agent ${ask.agentName} cannot read. Deploy one that can, then retry.`,
    );
  }
  const parsed = await type.parse(reply, ask.data, turn.input.participant?.locale);
  if (!parsed.ok) return { ok: false, why: parsed.why, problem: parsed.say?.(wording) ?? parsed.problem };
  const value = plainValue(turn, parsed.value);
  if (turn.parts.reading.type === 'reply' && !fitsExactly(ask, turn.parts.reading.entry, value)) {
    const { shape } = ask;
    const said =
      shape.type === 'choices'
        ? wording.pickOne(shape.choices.map((each) => each.label))
        : wording.wrongPattern(undefined);
    return { ok: false, why: 'not-valid', problem: said };
  }
  const objection = how.check === undefined ? undefined : await checkProblem(how.check, parsed.value);
  if (objection !== undefined) return { ok: false, why: 'not-valid', problem: objection };
  if (how.simpleValidation !== undefined) {
    return how.simpleValidation(reply)
      ? parsed
      : { ok: false, why: 'not-valid', problem: wording.wrongPattern(undefined) };
  }
  if (how.check === undefined && type.isOpen?.(ask.data) === true && !(await how.judge(ask.question, reply))) {
    const problem = saysSomething(reply) ? wording.unclear() : wording.needText();
    return { ok: false, why: 'not-understood', problem };
  }
  return parsed;
}

/** The value as it is stored. A text was measured when it came in. */
function plainValue(turn: Turn, value: unknown): Json {
  const { textBytes, depth } = turn.house.settings;
  return typeof value === 'string' ? value : plainData(value, 'The answer value', { bytes: textBytes, depth });
}

async function checkProblem<T>(check: NonNullable<Handlers<T>['check']>, value: T): Promise<string | undefined> {
  if (typeof check === 'function') {
    const verdict = await check(value);
    if (verdict === true) return undefined;
    if (typeof verdict === 'string') return verdict;
    throw new AgentError('bad-option', `check() must return true or the reason as a text, got ${typeof verdict}.`);
  }
  const { issues } = await check['~standard'].validate(value);
  return issues === undefined || issues.length === 0 ? undefined : issues.map((issue) => issue.message).join(' ');
}

/** What every continuation and hook is given beside the answer. */
export function continuation<T>(turn: Turn, ask: PendingAsk<T>): Continuation<T> {
  const { stop, attempt } = turn.parts;
  const once: Continuation<T>['once'] = (key, work) => turn.once(key, work);
  return withSignal({ effectKey: ask.effectKey, attempt, ask, once }, stop);
}

async function continued<T>(turn: Turn, ask: Ask, how: Answering<T>): Promise<AgentResult> {
  const view = askView<T>(ask, turn.input.conversationId);
  turn.continued = true;
  if (ask.status === 'answered') {
    return resultOf(await how.onSufficient(answerValue(ask) as T, continuation(turn, view)));
  }
  const before = turn.moves.length;
  const result = resultOf(await how.onExhausted(view));
  if (result.output !== undefined || turn.moves.length > before) return result;
  turn.say(turn.house.wording.skipped());
  turn.skipped = ask.id;
  return {
    output: 'Step skipped due to insufficient input.',
    metadata: { ...result.metadata, skipped: true, askId: ask.id },
  };
}

async function refused<T>(
  turn: Turn,
  ask: Ask,
  read: Read<T> & { ok: false },
  how: Answering<T>,
): Promise<AgentResult> {
  const { wording } = turn.house;
  const { reading: entry } = turn.parts;
  const waiting = { metadata: { waitingForHuman: true, askId: ask.id } };
  if (entry.type === 'reply' && entry.how !== 'typed') {
    turn.fate = { type: 'invalid', problem: read.problem };
    if (entry.how === 'control') turn.say(wording.invalid(read.problem));
    return waiting;
  }
  if (ask.retries < ask.maxRetries) {
    const again = read.why === 'not-valid' ? wording.notValid : wording.notUnderstood;
    turn.reask(ask.id, again(ask.question, read.problem));
    return waiting;
  }
  return continued(turn, await turn.decide(ask.id, { status: 'exhausted', answer: insufficient }), how);
}
