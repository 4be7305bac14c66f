/**
 * The options of a mailbox that is read by IMAP. No error quotes a password.
 */
import {
  type CheckedOptions,
  func,
  integer,
  milliseconds,
  nonBlank,
  type OptionRule,
  type OptionRules,
  object,
  optional,
  wrongOption,
} from '../../../core/check-options.js';
import { AgentError } from '../../../core/errors.js';

/** Who logs in: with a password, or with an OAuth 2 access token. */
export interface ImapAuth {
  /** The name of the account. */
  readonly user: string;
  /** Its password; `accessToken` instead where the server wants OAuth 2. */
  readonly pass?: string;
  /** Gives a valid OAuth 2 access token. It is asked for one whenever a connection is made. */
  readonly accessToken?: () => string | Promise<string>;
}

/** The mailbox in which replies arrive. */
export interface ImapOptions {
  /** The IMAP server. */
  readonly host: string;
  /**
   * Its port.
   *
   * @default 993, and 143 without `secure: true`
   */
  readonly port?: number;
  /**
   * `true`: TLS from the first byte. `'starttls'`: a connection that is upgraded before the log-in, or not used. `false`: no encryption, for
   * a server on the same machine.
   *
   * @default true
   */
  readonly secure?: boolean | 'starttls';
  /** Who logs in. */
  readonly auth: ImapAuth;
  /**
   * The mailbox that is read.
   *
   * @default 'INBOX'
   */
  readonly mailbox?: string;
  /**
   * How old a mail may be that is read, in ms. Older ones are left alone: what lay in the mailbox before, for example.
   *
   * @default 604_800_000, a week
   */
  readonly maxAge?: number;
  /**
   * What becomes of a mail that is recorded: `'flag'` gives it the keyword `$AskbackDone`, `{ moveTo }` moves it into another mailbox.
   *
   * @default 'flag'
   */
  readonly done?: 'flag' | { readonly moveTo: string };
}

const authOption: OptionRule<ImapAuth> = (value, name) => {
  const auth = object(authRules, "{ user: 'replies@example.com', pass }")(value, name);
  if ((auth.pass === undefined) !== (auth.accessToken === undefined)) return auth;
  throw new AgentError('bad-option', `${name} must have either pass or accessToken. Give one of them.`);
};

const authRules = {
  user: nonBlank(),
  pass: optional(secretString),
  accessToken: optional(func<NonNullable<ImapAuth['accessToken']>>()),
} satisfies OptionRules<ImapAuth>;

function secretString(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new AgentError('bad-option', `${name} must be a non-empty string.`);
}

const secureOption: OptionRule<boolean | 'starttls'> = (value, name) => {
  if (typeof value === 'boolean' || value === 'starttls') return value;
  throw wrongOption(name, "true, false or 'starttls'", value);
};

const doneOption: OptionRule<'flag' | { readonly moveTo: string }> = (value, name) =>
  value === 'flag' ? value : object({ moveTo: nonBlank() }, "{ moveTo: 'Done' }, or 'flag'")(value, name);

const rules = {
  host: nonBlank(),
  port: optional(integer({ min: 1, max: 65_535 })),
  secure: optional(secureOption, true),
  auth: authOption,
  mailbox: optional(nonBlank(), 'INBOX'),
  maxAge: optional(milliseconds(), 7 * 24 * 60 * 60_000),
  done: optional(doneOption, 'flag'),
} satisfies OptionRules<ImapOptions>;

/** The options of a mailbox, with their defaults. */
export type CheckedImap = CheckedOptions<typeof rules>;

/** The rule for an option that names a mailbox. */
export const imapOption: OptionRule<CheckedImap> = (value, name) => {
  const imap = object(rules, "{ host: 'imap.example.com', auth: { user, pass } }")(value, name);
  if (imap.done !== 'flag' && imap.done.moveTo.toLowerCase() === imap.mailbox.toLowerCase())
    throw new AgentError('bad-option', `${name}.done.moveTo must be another mailbox than the one that is read.`);
  return imap;
};
