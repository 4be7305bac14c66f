/**
 * What the server that mail is handed to and the server of a mailbox have in common: where it is, how the connection is encrypted, and who
 * logs in. No error quotes a password or a token, also where one is given in the wrong place.
 */
import { isIPv6 } from 'node:net';
import { integer, type OptionRule, object, optional, unsetHint, wrongOption } from '../../../core/check-options.js';
import { AgentError } from '../../../core/errors.js';
import { isLoopback } from '../../../core/loopback.js';

/** Who logs in. */
export interface MailLogin {
  readonly user: string;
  readonly pass?: string;
  readonly accessToken?: () => string | Promise<string>;
}

/** What is looked at to send no password as it is. */
interface MailServer {
  readonly host: string;
  readonly secure: boolean | 'starttls';
  readonly auth?: MailLogin | undefined;
}

/** A URL, or a port at its end, would be looked up as a name. It may also have a password in it. */
const hostOption: OptionRule<string> = (value, name) => {
  const host = typeof value === 'string' ? value.replace(/^\[(.*)\]$/, '$1') : '';
  if (isIPv6(host) || /^[^\s/:@?#[\]\\]+$/.test(host)) return host;
  throw wrongOption(name, "the name of a server such as 'mail.example.com', without smtps://, user or port", value, {
    isSecret: true,
    hint: value === '' ? unsetHint : 'Give the port as port, and the user and the password as auth.',
  });
};

const secureOption: OptionRule<boolean | 'starttls'> = (value, name) => {
  if (typeof value === 'boolean' || value === 'starttls') return value;
  throw wrongOption(name, "true, false or 'starttls'", value);
};

/** What comes from the environment is a string. */
const portOption: OptionRule<number> = (value, name) => {
  const isNumber = typeof value === 'string' && /^\d{1,5}$/.test(value);
  if (isNumber)
    throw wrongOption(name, 'a whole number from 1 to 65535', value, {
      hint: `Give the number: ${Number(value)}, not a string.`,
    });
  return integer({ min: 1, max: 65_535 })(value, name);
};

const caOption: OptionRule<string> = (value, name) => {
  if (typeof value === 'string' && value.includes('-----BEGIN CERTIFICATE-----')) return value;
  throw wrongOption(name, 'certificates as PEM, with the line -----BEGIN CERTIFICATE-----', value, {
    isSecret: true,
    hint: "Give the content of the file: readFileSync('ca.pem', 'utf8').",
  });
};

/** The rules that do not depend on what the server is for. */
export const serverRules = {
  host: hostOption,
  port: optional(portOption),
  secure: optional(secureOption),
  ca: optional(caOption),
};

const unquoted =
  <T>(expected: string, fits: (value: unknown) => boolean): OptionRule<T> =>
  (value, name) => {
    if (fits(value)) return value as T; // `fits` has looked
    throw wrongOption(name, expected, value, { isSecret: true, hint: value === '' ? unsetHint : undefined });
  };

const loginRules = {
  user: unquoted<string>('a string that is not blank', (value) => typeof value === 'string' && value.trim() !== ''),
  pass: optional(unquoted<string>('a non-empty string', (value) => typeof value === 'string' && value !== '')),
  accessToken: optional(
    unquoted<() => string | Promise<string>>(
      'a function that gives a token, such as () => token',
      (value) => typeof value === 'function',
    ),
  ),
};

/** The rule for who logs in: with a password, or with an access token. */
export const loginOption: OptionRule<MailLogin> = (value, name) => {
  const login = object(loginRules, "{ user: 'refunds@example.com', pass }", { isSecret: true })(value, name);
  if ((login.pass === undefined) !== (login.accessToken === undefined)) return login;
  throw new AgentError('bad-option', `${name} must have either pass or accessToken. Give one of them.`);
};

/** Refuses a server that is not on this machine and would be sent a password without encryption. */
export function assertEncrypted({ host, secure, auth }: MailServer, name: string): void {
  if (secure !== false || auth === undefined || isLoopback(host)) return;
  throw new AgentError(
    'bad-option',
    `${name}: without encryption the password would be sent to ${host} as it is. Leave secure out, or use a server on this machine.`,
  );
}
