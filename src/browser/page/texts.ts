/**
 * The sentences that the script of the page shows. The server writes them on the page (src/server/page/texts.ts); none stands in the
 * script.
 */

export interface ScriptTexts {
  /** A language tag, for dates. */
  readonly locale: string;
  /** Units of time. `#` stands for the number. */
  readonly now: string;
  readonly minutes: string;
  readonly hours: string;
  readonly days: string;
  readonly offline: string;
  readonly loading: string;
  readonly sending: string;
  readonly noConnection: string;
  readonly stillHere: string;
  readonly reconnecting: string;
  readonly signedOut: string;
  readonly signIn: string;
  readonly arrived: string;
  readonly left: string;
  readonly fiveMinutes: string;
  readonly oneMinute: string;
  readonly timeIsOver: string;
  readonly decided: string;
  readonly gone: string;
  readonly goneWritten: string;
  readonly changed: string;
  readonly look: string;
  readonly over: string;
  readonly showNew: string;
}
