/**
 * Why a mailbox cannot be read, in a word for logs, and what to do about it. No log line has a password or a mail's content.
 */
import { inert } from '../../../core/text.js';
import { tlsAdvice } from '../connection/tls-advice.js';

/** A mailbox that can be reached, and must not be read as it is set up. */
export class MailboxRefusal extends Error {
  readonly word: string;
  readonly advice: string;

  constructor(word: string, advice: string, cause?: unknown) {
    super(advice, cause === undefined ? undefined : { cause });
    this.word = word;
    this.advice = advice;
  }
}

/** What is logged of a failure. */
export interface MailboxTrouble {
  readonly word: string;
  /** Continues a sentence; empty if there is none. */
  readonly advice: string;
  /** The server refused the user: another try soon may lock them out. */
  readonly isLogin: boolean;
  /** The connection ended, which is ordinary. */
  readonly isLost: boolean;
}

/** The errors of imapflow, as far as they are looked at. */
interface ImapError {
  readonly code?: unknown;
  readonly authenticationFailed?: unknown;
  readonly mailboxMissing?: unknown;
  readonly tlsFailed?: unknown;
  readonly response?: unknown;
  readonly responseText?: unknown;
}

const lost = new Set(['NoConnection', 'EConnectionClosed', 'ECONNRESET', 'EPIPE', 'ETIMEOUT', 'ETIMEDOUT']);

export function troubleOf(error: unknown): MailboxTrouble {
  if (error instanceof MailboxRefusal)
    return { word: error.word, advice: `. ${error.advice}`, isLogin: error.word === 'no-token', isLost: false };
  const { code, authenticationFailed, mailboxMissing, tlsFailed, responseText, response } = Object(error) as ImapError;
  const said = saidBy(responseText ?? response);
  if (authenticationFailed === true) {
    const advice = `. The server refused the user${said}. Check imap.auth; many providers want a password of its own for each app, or accessToken`;
    return { word: 'authentication-failed', advice, isLogin: true, isLost: false };
  }
  if (mailboxMissing === true) {
    const advice = `. There is no such mailbox${said}. Check imap.mailbox`;
    return { word: 'no-mailbox', advice, isLogin: false, isLost: false };
  }
  const noTls = tlsFailed === true ? 'no-encryption' : 'unknown';
  const word = typeof code === 'string' && /^[\w.-]{1,80}$/.test(code) ? code : noTls;
  const encryption =
    tlsAdvice(word, 'imap') ??
    (tlsFailed === true ? 'No encrypted connection was made. Check imap.port and imap.secure' : undefined);
  const advice = encryption === undefined ? said && `. The server refused${said}` : `. ${encryption}`;
  return { word, advice, isLogin: false, isLost: lost.has(word) };
}

/** The server's own words. */
function saidBy(text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '') return '';
  return `: ${inert(text).replace(/\s+/g, ' ').trim().slice(0, 200)}`;
}

/** The error of a command that was not carried out: the client gives no reason. */
export function refusedOrLost({ usable }: { readonly usable: boolean }, command: string): Error {
  if (!usable) return Object.assign(new Error('The connection ended.'), { code: 'NoConnection' });
  return new MailboxRefusal(`${command.toLowerCase()}-refused`, `The server refused ${command}`);
}
