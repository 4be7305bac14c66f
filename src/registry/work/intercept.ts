/**
 * Asks the author's interceptors about a message that is no reply to an open ask, before an agent is chosen. A message that they drop is closed like any
 * other: with a disposition, in the history. What counts messages is kept in the store, so that all processes and re-runs agree.
 */
import type { InterceptedMessage, MessageLimiter } from '../../channels/interceptors.js';
import { hasFields } from '../../core/check-options.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import { hidesWords } from '../../core/conversation/hidden-words.js';
import type { Reading } from '../../core/conversation/match-reply.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, badOption } from '../../core/errors.js';
import { describe, digest } from '../../core/ids.js';
import { copyOf } from '../../core/json.js';
import type { RegistryContext } from '../context.js';
import type { Turn } from '../turn/turn.js';
import { messageOf } from './read-turn.js';

/** A limiter lets through at most so many messages in its time: it is one value of the store. */
const mostMessages = 1_000;

/** How often a limiter is written anew when another process writes it at the same time. */
const mostTries = 50;

/**
 * Whether interceptors are asked. Not about a reply to an open ask, nor a late one; not about what a schedule began; not again about work whose turn has
 * done something already, or that an operator retries; and not where no agent could run.
 */
export function isIntercepted(turn: Turn): boolean {
  const { interceptors, agentNames } = turn.context;
  if (interceptors.length === 0 || agentNames.length === 0) return false;
  const { reading, subject, parked, claim } = turn;
  if (parked !== undefined || subject.entry.type !== 'message' || subject.entry.place.trigger) return false;
  if (reading.type === 'notice') return subject.entry.askId !== undefined && isForNoAsk(reading);
  if (reading.type !== 'ordinary' || reading.lateFor !== undefined) return false;
  return Object.keys(claim.memo).length === 0;
}

/** Whether the ask that a message names does not exist or is over: nothing is decided by it, and any id could be invented. */
function isForNoAsk({ notice, ask, disposition }: Extract<Reading, { type: 'notice' }>): boolean {
  if (notice === 'unknownAsk') return true;
  return notice !== undefined && ask !== undefined && ask.status !== 'pending' && disposition.type !== 'late';
}

/** Whether an interceptor has dropped the message: then the turn has its end. */
export async function isDropped(turn: Turn): Promise<boolean> {
  const { context, place, subject, who, reading } = turn;
  const given = messageOf(turn);
  const { text: _text, choice: _choice, value: _value, data: _data, ...unsaid } = given;
  const message: InterceptedMessage = {
    ...(reading.type === 'notice' && hidesWords(turn) ? { ...unsaid, text: '' } : given), // it may be the answer to a sensitive question
    ...definedFields({ participant: who && copyOf(who) }),
    channel: place.channel,
    at: subject.at,
  };
  const limiter = limiterFor(context, message);
  for (const interceptor of context.interceptors) {
    const verdict = checkedVerdict(await interceptor(message, limiter));
    if (verdict === undefined) continue;
    const { ignore: why, say: text } = verdict;
    const only = subject.entry.type === 'message' ? subject.entry.participant?.id : undefined;
    const about = definedFields({ only, locale: who?.locale });
    const told: Move[] = text === undefined ? [] : [{ type: 'say', place, text, ...about }];
    turn.endsWith({ type: 'ignored', why }, told);
    return true;
  }
  return false;
}

function checkedVerdict(verdict: unknown): { readonly ignore: string; readonly say?: string } | undefined {
  if (verdict === undefined || verdict === null) return undefined;
  const { ignore, say } = (hasFields(verdict) ? verdict : {}) as { ignore?: unknown; say?: unknown };
  if (typeof ignore === 'string' && ignore !== '' && (say === undefined || typeof say === 'string'))
    return { ignore: ignore.slice(0, 200), ...definedFields({ say }) };
  throw badOption(
    `An interceptor must return nothing to let a message pass, or { ignore: 'why' } with or without say, got ${describe(verdict)}.`,
  );
}

/** A message that was let through: a digest of which, and when it was recorded. */
type CountedMessage = readonly [message: string, at: number];

function limiterFor({ store }: RegistryContext, { conversationId, id, at }: InterceptedMessage): MessageLimiter {
  const me = digest(conversationId, id).slice(0, 16);
  return {
    take: async (name, { of, per }) => {
      if (!Number.isInteger(of) || of < 1 || of > mostMessages || !(per > 0))
        throw badOption(`take(): of must be from 1 to ${mostMessages} and per above 0 ms.`);
      const key = `limit:${digest(name)}`;
      let { current } = await store.swap({ key, expected: null, value: null, ttl: 1 });
      for (let tries = 0; tries < mostTries; tries += 1) {
        const taken = current === null ? [] : (JSON.parse(current) as readonly CountedMessage[]); // written below
        if (taken.some(([message]) => message === me)) return true;
        if (taken.filter(([, time]) => time > at - per && time <= at).length >= of) return false;
        const newest = Math.max(at, ...taken.map(([, time]) => time));
        const next = [...taken.filter(([, time]) => time > newest - per), [me, at]].slice(-mostMessages);
        const result = await store.swap({ key, expected: current, value: JSON.stringify(next), ttl: per });
        if (result.swapped) return true;
        ({ current } = result);
      }
      throw new AgentError(
        'store-unavailable',
        'A limiter is written by too many processes at once. It is tried again.',
      );
    },
  };
}
