/**
 * Why a server did not take a mail, or why a mailbox cannot be read, and what to check. It goes by codes and the words of errors alone: what
 * a server says may quote an address, a password or what it was sent, so no error and no log line has it.
 */
import { AgentError } from '../../../core/errors.js';
import { domainOf } from '../addresses.js';
import { type CheckedServer, usualPorts } from './options.js';

/** What to check after a failure whose word fits, for the option of that name. */
const connectionAdvice: readonly (readonly [word: RegExp, advice: string])[] = [
  [/^(?:ENOTFOUND|EAI_AGAIN|EDNS|ENODATA)$/, 'No server of that name was found. Check {option}.host.'],
  [
    /^ECONNREFUSED$/,
    'The server could not be reached: nothing listens at that port. Check {option}.host and {option}.port.',
  ],
  [
    /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY))/,
    'Nobody vouches for the certificate of the server, so nothing was sent to it. Check {option}.host; for a server of your own give {option}.ca.',
  ],
  [
    /^(?:ERR_TLS_CERT_ALTNAME|CERT_|UNABLE_TO_)/,
    'The certificate of the server is not valid for it, so nothing was sent to it. Check {option}.host, and when the certificate ends.',
  ],
  [
    /^(?:ETLS$|EPROTO$|no-encryption$|ERR_(?:TLS|SSL))/,
    "No encrypted connection was made. Check {option}.port and {option}.secure: usual are port {tls} with true, and port {starttls} with 'starttls'.",
  ],
  [
    /^(?:ETIMEDOUT|ETIMEOUT|CONNECT_TIMEOUT|GREETING_TIMEOUT|UPGRADE_TIMEOUT)$/,
    'The server could not be reached, or did not answer in time. Check {option}.host, {option}.port and the firewall.{silent}',
  ],
];

/** Sentences about the failure that one of the words names; undefined if it is about something else than the connection. */
function adviceFor(words: readonly unknown[], { option, port, secure }: CheckedServer): string | undefined {
  const texts = words.filter((word) => typeof word === 'string');
  const [found] = texts.flatMap((word) => connectionAdvice.filter(([pattern]) => pattern.test(word)));
  const { tls, starttls } = usualPorts[option];
  const usual = port === tls ? ', as one at this port does,' : ` (usual at port ${tls})`;
  const hint = ` A server that begins with TLS${usual} is silent until ${option}.secure is true.`;
  const values: Record<string, unknown> = { option, tls, starttls, silent: secure === true ? '' : hint };
  return found?.[1].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}

/** `smtp.example.com:465`, for the beginning of a line. */
function nameOfServer({ host, port }: CheckedServer): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The addresses of a mail that was not taken. Of those that are secret or somebody's, only the domain is told. */
export interface UnsentMail {
  readonly from: string;
  readonly to: string;
  /** Where it would come back to. */
  readonly envelopeFrom: string;
}

/** The server wants something of the connection: a log-in, another order of commands. */
const aboutConnection = new Set([500, 501, 502, 503, 504, 530, 534, 535, 538]);

/**
 * The error for a mail that could not be sent: `undeliverable` if no other try can succeed. That is a recipient or a mail that is refused, and
 * not us: a wrong log-in, a sender or a relay that is not allowed are faults of the set-up, after whose repair the mail can be sent. A
 * transport that was given has no `server`.
 */
export function smtpFailure(thrown: unknown, mail: UnsentMail, server?: CheckedServer): Error {
  const { code, originalCode, responseCode, response, command } = Object(thrown) as {
    readonly [name: string]: unknown;
  };
  const status = typeof responseCode === 'number' ? responseCode : 0;
  const detailed = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(typeof response === 'string' ? response : '')?.[1];
  const answer = [status || undefined, detailed].filter((part) => part !== undefined);
  const step = typeof command === 'string' ? command.replace(/\s.*$/s, '').toUpperCase() : '';
  const isForGood = (): boolean => {
    if (status === 0) return (code === 'EENVELOPE' && step === 'API') || (code === 'EMESSAGE' && step === 'MAIL');
    if (status < 500 || code === 'EAUTH' || aboutConnection.has(status)) return false;
    if (detailed?.startsWith('5.7.') === true) return false; // policy: who may send what to whom
    return step === 'MAIL' ? status === 552 : step === 'RCPT' || step === 'DATA';
  };
  if (isForGood()) {
    const isLong = status === 552 || step === 'MAIL';
    const why = isLong ? 'The mail is too long for it.' : 'It cannot be delivered there.';
    const advice = step === 'RCPT' ? 'There may be no such mailbox: check the address.' : why;
    const said = answer.length === 0 ? '' : `: ${answer.join(' ')}`;
    return new AgentError(
      'undeliverable',
      `The mail server refused a mail to somebody at ${domainOf(mail.to)}${said}. ${advice}`,
    );
  }
  const advice = (): string => {
    if (code === 'EAUTH' || code === 'EOAUTH2' || status === 530 || status === 535) return refusedUser('smtp');
    const connection = server && adviceFor([originalCode, code], server);
    if (connection !== undefined) return connection;
    if (status >= 500 && step === 'MAIL')
      return `The server refused our own address. Check that the account may send as ${mail.from}, with a return address at ${domainOf(mail.envelopeFrom)}.`;
    if (status >= 500)
      return `The server does not allow it. Check that the account may send to other domains, and SPF, DKIM and DMARC of ${domainOf(mail.from)}.`;
    return status >= 400
      ? 'The server wants another try later.'
      : 'The server could not be reached, or the connection ended. Check smtp.host and smtp.port.';
  };
  const word = [originalCode, code].find((each) => typeof each === 'string' && /^[\w.-]{1,60}$/.test(each));
  const what = [answer.join(' '), word].filter((part) => part !== '' && part !== undefined).join(', ') || 'unknown';
  const by = server === undefined ? '' : ` by ${nameOfServer(server)}`;
  return new Error(`A mail could not be sent${by}: ${what}. ${advice()}`);
}

function refusedUser(option: string): string {
  return `The server refused the user. Check ${option}.auth; many providers want a password of its own for each app, or accessToken.`;
}

/** A mailbox that can be reached, and must not be read as it is set up. */
export class MailboxRefusal extends Error {
  readonly word: string;

  constructor(word: string, advice: string, cause?: unknown) {
    super(advice, { cause });
    this.word = word;
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

const lost = new Set(['NoConnection', 'EConnectionClosed', 'ECONNRESET', 'EPIPE', 'ETIMEOUT', 'ETIMEDOUT']);
/** The codes of RFC 5530 and RFC 3501 that say why. Any other word of a server may be anything. */
const codes = new Set(
  'ALERT UNAVAILABLE AUTHENTICATIONFAILED AUTHORIZATIONFAILED EXPIRED PRIVACYREQUIRED CONTACTADMIN NOPERM INUSE CORRUPTION SERVERBUG CLIENTBUG CANNOT LIMIT OVERQUOTA NONEXISTENT'.split(
    ' ',
  ),
);

/** Why a mailbox cannot be read, by an error of imapflow or a refusal of ours. */
export function troubleOf(error: unknown, server: CheckedServer): MailboxTrouble {
  const given = Object(error) as { readonly [name: string]: unknown };
  const said = codes.has(String(given['serverResponseCode'])) ? ` (${String(given['serverResponseCode'])})` : '';
  const told = (word: string, why: string, isLogin = false): MailboxTrouble => {
    return { word, advice: `${nameOfServer(server)}: ${word}${said}. ${why}`, isLogin, isLost: lost.has(word) };
  };
  if (error instanceof MailboxRefusal) return told(error.word, `${error.message}.`, error.word === 'no-token');
  if (given['authenticationFailed'] === true) return told('authentication-failed', refusedUser('imap'), true);
  if (given['mailboxMissing'] === true) return told('no-mailbox', 'There is no such mailbox. Check imap.mailbox.');
  const code = typeof given['code'] === 'string' && /^[\w.-]{1,80}$/.test(given['code']) ? given['code'] : undefined;
  const noTls = given['tlsFailed'] === true ? 'no-encryption' : undefined;
  const otherwise = 'The connection ended, or the server refused a command. Check imap.host and imap.port.';
  return told(code ?? noTls ?? 'unknown', adviceFor([code, noTls], server) ?? otherwise);
}

/** The error of a command that was not carried out: the client gives no reason. */
export function refusedOrLost({ usable }: { readonly usable: boolean }, command: string): Error {
  if (!usable) return Object.assign(new Error('The connection ended.'), { code: 'NoConnection' });
  return new MailboxRefusal(`${command.toLowerCase()}-refused`, `The server refused ${command}`);
}
