/**
 * What the failure of an adapter means: whether another try can succeed. Adapters wrap the errors of their platforms, each in its own way.
 */
import { AgentError } from '../../core/errors.js';
import { recordOf } from '../kit/untyped.js';
import { hopeless } from '../slack/api.js';
import type { Platform } from './platforms/platform.js';

/** No try can succeed: the message, the place or the permission is wrong. By the codes of the adapters' errors. */
const permanentCodes: ReadonlySet<unknown> = new Set([
  'VALIDATION_ERROR',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'NOT_IMPLEMENTED',
]);

/** Another try can succeed, whatever the status: WhatsApp answers 400 also where it is busy, or where the token is over. */
const transientCodes: ReadonlySet<unknown> = new Set(['RATE_LIMITED', 'AUTH_FAILED']);

/** The same by what the platform answered. A wrong token (401) can be put right, and the message is then sent. */
const permanentStatuses: ReadonlySet<unknown> = new Set([400, 403, 404, 405, 410, 413]);

/** What the codes of adapters mean, for the text of the error. */
const meanings: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: 'it takes no such message, or no such address',
  PERMISSION_DENIED: 'the bot may not write there',
  NOT_FOUND: 'there is no such person or place, or the bot is not in it',
  NOT_IMPLEMENTED: 'it cannot do that',
  AUTH_FAILED: 'the token of the bot is refused',
  RATE_LIMITED: 'the platform wants a pause',
  NETWORK_ERROR: 'the platform was not reached',
};

/** Returns the error of a message that was not sent. That of the adapter may quote a token: its code is kept, and its text only where it is plain. */
export function failedSend(platform: string, error: unknown): Error {
  const { code, name }: { code?: unknown; name?: unknown } = error instanceof Error ? error : {};
  const kind = slackWord(error) ?? (typeof code === 'string' ? code : String(name ?? 'Error'));
  const told = [kind, ...numberIn(error)].join(' ');
  const meaning = meanings[kind] === undefined ? told : `${meanings[kind]} (${told})`;
  const message = `The adapter ${platform} did not send the message: ${meaning}. ${saidBy(error)}`;
  return isPermanent(code, error) ? new AgentError('undeliverable', message) : new Error(message);
}

/** The error of direct messages that could not be opened. */
export function failedOpening({ name, canOpenLater }: Platform, error: unknown): Error {
  const failed = failedSend(name, error);
  return canOpenLater ? new Error(failed.message) : failed;
}

/** The words of the platform, such as "chat not found", if there is no address and nothing like a token in them. */
function saidBy(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const isPlain = /^[\w ,.:;'"()-]{1,120}$/.test(message) && !/\w{16}/.test(message);
  return isPlain ? `It says: ${message}` : 'The logger of the Chat may say more.';
}

/** Telegram refuses an edit that changes nothing: the message is drawn as it should be. */
export function isUnchanged(error: unknown): boolean {
  return error instanceof Error && /message is not modified/i.test(error.message);
}

function isPermanent(code: unknown, error: unknown): boolean {
  if (transientCodes.has(code)) return false;
  const { originalError, status } = recordOf(error);
  return (
    permanentCodes.has(code) ||
    permanentStatuses.has(status) ||
    permanentStatuses.has(recordOf(originalError)['status']) ||
    hopeless.has(slackWord(error) ?? '')
  );
}

/** Meta's own number of what is wrong, such as 131047, or the status of the response. */
function numberIn(error: unknown): readonly number[] {
  const { errorCode, status } = recordOf(error);
  const number = [errorCode, status].find((each) => typeof each === 'number');
  return number === undefined ? [] : [number];
}

/** Slack's own word for a refusal, such as `channel_not_found`. */
function slackWord(error: unknown): string | undefined {
  const { error: word } = recordOf(recordOf(error)['data']);
  return typeof word === 'string' && /^\w{1,60}$/.test(word) ? word : undefined;
}
