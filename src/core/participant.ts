/**
 * A person in a conversation, as a channel has verified them. Types only.
 */

/**
 * A person in a conversation. The id is qualified by its realm, for example `slack:T1/U1` or `web:4711`.
 *
 * @example
 * const anna: Participant = { id: 'web:4711', name: 'Anna', locale: 'de' };
 */
export interface Participant {
  readonly id: string;
  readonly name?: string;
  readonly roles?: readonly string[];
  readonly tenant?: string;
  readonly locale?: string;
}
