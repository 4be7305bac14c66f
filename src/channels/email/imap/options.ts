/**
 * The options of a mailbox that is read by IMAP. No error quotes a password.
 */
import {
  type CheckedOptions,
  milliseconds,
  nonBlank,
  type OptionRule,
  type OptionRules,
  object,
  optional,
  wrongOption,
} from '../../../core/check-options.js';
import { AgentError } from '../../../core/errors.js';
import { assertEncrypted, loginOption, serverRules } from '../connection/options.js';

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
   * a server on the same machine; the password is sent to no other one.
   *
   * @default true
   */
  readonly secure?: boolean | 'starttls';
  /** Certificates of authorities that are trusted instead of the usual ones, as PEM: for a server of your own. */
  readonly ca?: string;
  /** Who logs in. */
  readonly auth: ImapAuth;
  /**
   * The mailbox that is read.
   *
   * @default 'INBOX'
   */
  readonly mailbox?: string;
  /**
   * How old a mail may be that is read, in ms, at least an hour. Older ones are left alone: what lay in the mailbox before, for example.
   * Servers look for mails by the day and in a time zone of their own, so that one may be up to two days older.
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

/** A mailbox that was out of reach for longer than this would lose answers; and a smaller number is one of seconds. */
const leastAge = 60 * 60_000;

const ageOption: OptionRule<number> = (value, name) => {
  const age = milliseconds()(value, name);
  if (age >= leastAge) return age;
  throw wrongOption(name, `a number of milliseconds, at least ${leastAge} (an hour)`, value, {
    hint: 'A week is 7 * 24 * 60 * 60_000.',
  });
};

const doneOption: OptionRule<'flag' | { readonly moveTo: string }> = (value, name) =>
  value === 'flag' ? value : object({ moveTo: nonBlank() }, "{ moveTo: 'Done' }, or 'flag'")(value, name);

const rules = {
  ...serverRules,
  auth: loginOption,
  mailbox: optional(nonBlank(), 'INBOX'),
  maxAge: optional(ageOption, 7 * 24 * 60 * 60_000),
  done: optional(doneOption, 'flag'),
} satisfies OptionRules<ImapOptions>;

/** The options of a mailbox, with their defaults. */
export type CheckedImap = CheckedOptions<typeof rules> & {
  readonly port: number;
  readonly secure: boolean | 'starttls';
};

/** The rule for an option that names a mailbox. */
export const imapOption: OptionRule<CheckedImap> = (value, name) => {
  const imap = object(rules, "{ host: 'imap.example.com', auth: { user, pass } }", { isSecret: true })(value, name);
  const { secure = true } = imap;
  assertEncrypted({ ...imap, secure }, name);
  if (imap.done !== 'flag' && imap.done.moveTo.toLowerCase() === imap.mailbox.toLowerCase())
    throw new AgentError('bad-option', `${name}.done.moveTo must be another mailbox than the one that is read.`);
  return { ...imap, secure, port: imap.port ?? (secure === true ? 993 : 143) };
};
