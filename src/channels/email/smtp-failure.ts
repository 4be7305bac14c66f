/**
 * What became of a mail that a server did not take: whether another try can succeed, and what to do about it. No error has the server's own
 * words, because they may quote addresses, and no part of the mail.
 */
import { AgentError } from '../../core/errors.js';
import { domainOf } from './addresses.js';
import { connectionAdvice, nameOfServer, type TriedServer } from './connection/trouble.js';

/** The errors of nodemailer, as far as they are looked at. */
interface TransportError {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
  readonly command?: unknown;
}

/** A mail that the server does not take, or that is too long for it: it says so again for every try. */
const refusedContent = new Set([552, 554]);
/** The server wants something of the connection: a log-in, another order of commands. */
const aboutConnection = new Set([500, 501, 502, 503, 504, 530, 534, 535, 538]);

/** A mail that was not taken, as far as an error tells of it. */
export interface UnsentMail {
  /** The domain of whom it is for. */
  readonly domain: string;
  /** The address that it is from. */
  readonly from: string;
  /** The domain of the address that it comes back to: the address itself is a secret. */
  readonly returnDomain: string;
}

/** The error for a mail that could not be sent. A transport that was given has no `server`. */
export function smtpFailure(thrown: unknown, mail: UnsentMail, server?: TriedServer): Error {
  const { code, originalCode, responseCode, response, command } = Object(thrown) as TransportError;
  const status = typeof responseCode === 'number' ? responseCode : 0;
  const detailed = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(typeof response === 'string' ? response : '')?.[1];
  const answer = [...(status === 0 ? [] : [status]), ...(detailed === undefined ? [] : [detailed])].join(' ');
  const step = typeof command === 'string' ? command.replace(/\s.*$/s, '').toUpperCase() : '';
  if (isForGood({ code, status, detailed, step }))
    return new AgentError(
      'undeliverable',
      `The mail server refused a mail to somebody at ${mail.domain}${answer === '' ? '' : `: ${answer}`}. ${forGoodAdvice(step, status)}`,
    );
  const word = [originalCode, code].find((each) => typeof each === 'string' && /^[\w.-]{1,60}$/.test(each));
  const what = [...(answer === '' ? [] : [answer]), ...(word === undefined ? [] : [word])].join(', ');
  const by = server === undefined ? '' : ` by ${nameOfServer(server)}`;
  const advice = passingAdvice({ code, word, status, step, server, mail });
  return new Error(`A mail could not be sent${by}: ${what === '' ? 'unknown' : what}. ${advice}`);
}

interface SmtpRefusal {
  readonly code: unknown;
  readonly status: number;
  readonly detailed: string | undefined;
  readonly step: string;
}

/**
 * A recipient or a mail that is refused, and not us: a wrong log-in, a sender or a relay that is not allowed are faults of the set-up,
 * after whose repair the mail can be sent.
 */
function isForGood({ code, status, detailed, step }: SmtpRefusal): boolean {
  if (status === 0) return (code === 'EENVELOPE' && step === 'API') || (code === 'EMESSAGE' && step === 'MAIL');
  if (status < 500 || code === 'EAUTH' || aboutConnection.has(status)) return false;
  if (detailed?.startsWith('5.7.') === true) return false; // policy: who may send what to whom
  if (step === 'DATA' && refusedContent.has(status)) return true;
  if (step === 'MAIL') return status === 552;
  return step === 'RCPT' || step === 'DATA';
}

function forGoodAdvice(step: string, status: number): string {
  if (step === 'RCPT') return 'There may be no such mailbox: check the address.';
  return status === 552 || step === 'MAIL' ? 'The mail is too long for it.' : 'It cannot be delivered there.';
}

function passingAdvice({
  code,
  word,
  status,
  step,
  server,
  mail: { from, returnDomain },
}: Pick<SmtpRefusal, 'code' | 'status' | 'step'> & {
  readonly word: unknown;
  readonly server: TriedServer | undefined;
  readonly mail: UnsentMail;
}): string {
  if (code === 'EAUTH' || code === 'EOAUTH2' || status === 530 || status === 535)
    return 'The server refused the user. Check smtp.auth; many providers want a password of its own for each app, or accessToken.';
  const advice =
    server === undefined
      ? undefined
      : [word, code].map((each) => connectionAdvice(String(each), server)).find((each) => each !== undefined);
  if (advice !== undefined) return advice;
  if (status >= 500 && step === 'MAIL')
    return `The server refused our own address. Check that the account may send as ${from}, with a return address at ${returnDomain}.`;
  if (status >= 500)
    return `The server does not allow it. Check that the account may send to other domains, and SPF, DKIM and DMARC of ${domainOf(from)}.`;
  return status >= 400
    ? 'The server wants another try later.'
    : 'The server could not be reached, or the connection ended. Check smtp.host and smtp.port.';
}
