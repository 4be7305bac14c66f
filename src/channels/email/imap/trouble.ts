/**
 * Why a mailbox cannot be read, in a word for logs, and what to do about it. No log line has a password or a mail's content, and none has
 * what the server says: it may repeat what it was sent.
 */
import { connectionAdvice, nameOfServer } from '../connection/trouble.js';
import type { CheckedImap } from './options.js';

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
  /** The server, what happened and what to check. */
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
  readonly serverResponseCode?: unknown;
}

const lost = new Set(['NoConnection', 'EConnectionClosed', 'ECONNRESET', 'EPIPE', 'ETIMEOUT', 'ETIMEDOUT']);
/** The codes of RFC 5530 and RFC 3501 that say why. Any other word of a server may be anything. */
const codes = new Set(
  'ALERT UNAVAILABLE AUTHENTICATIONFAILED AUTHORIZATIONFAILED EXPIRED PRIVACYREQUIRED CONTACTADMIN NOPERM INUSE CORRUPTION SERVERBUG CLIENTBUG CANNOT LIMIT OVERQUOTA NONEXISTENT'.split(
    ' ',
  ),
);

export function troubleOf(error: unknown, imap: CheckedImap): MailboxTrouble {
  const { code, authenticationFailed, mailboxMissing, tlsFailed, serverResponseCode } = Object(error) as ImapError;
  const server = { ...imap, option: 'imap' } as const;
  const told = (word: string, why: string, { isLogin = false, isLost = false } = {}): MailboxTrouble => {
    const said = codes.has(String(serverResponseCode)) ? ` (${String(serverResponseCode)})` : '';
    return { word, advice: `${nameOfServer(server)}: ${word}${said}. ${why}`, isLogin, isLost };
  };
  if (error instanceof MailboxRefusal)
    return told(error.word, `${error.advice}.`, { isLogin: error.word === 'no-token' });
  if (authenticationFailed === true) {
    const why =
      'The server refused the user. Check imap.auth; many providers want a password of its own for each app, or accessToken.';
    return told('authentication-failed', why, { isLogin: true });
  }
  if (mailboxMissing === true) return told('no-mailbox', 'There is no such mailbox. Check imap.mailbox.');
  const noTls = tlsFailed === true ? 'no-encryption' : undefined;
  const word = typeof code === 'string' && /^[\w.-]{1,80}$/.test(code) ? code : (noTls ?? 'unknown');
  const advice = connectionAdvice(word, server) ?? (noTls === undefined ? undefined : connectionAdvice(noTls, server));
  const why = advice ?? 'The connection ended, or the server refused a command. Check imap.host and imap.port.';
  return told(word, why, { isLost: lost.has(word) });
}

/** The error of a command that was not carried out: the client gives no reason. */
export function refusedOrLost({ usable }: { readonly usable: boolean }, command: string): Error {
  if (!usable) return Object.assign(new Error('The connection ended.'), { code: 'NoConnection' });
  return new MailboxRefusal(`${command.toLowerCase()}-refused`, `The server refused ${command}`);
}
