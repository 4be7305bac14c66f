/**
 * What differs between the platforms of `chat`: one record for each, which shared code reads instead of the name of an adapter. It holds
 * rules and limits, and calls no adapter.
 */
import type { Adapter, Author, ButtonElement, CardElement, Message } from 'chat';
import { recordOf, textOf } from '../../kit/untyped.js';
import { markedSpans, type OwnWords, ownWords } from '../../own-words.js';

/** Invisible, and no part of any markup: breaks what would be a mention, a link or a placeholder. */
export const joiner = '\u2060';

/** As `card`, the text of a card, which an adapter may read as markup; as `plain`, a message of its own. */
export type TextForm = 'card' | 'plain';

export type CardActions = Extract<CardElement['children'][number], { type: 'actions' }>;

/** What is read of a message that a person wrote. */
export type ChatTyped = Pick<Message, 'raw' | 'text'> & Partial<Pick<Message, 'formatted'>>;

/** What is read of a message to know which one it quotes. */
export type ChatQuoting = Pick<Message, 'raw' | 'threadId'>;

export interface Platform {
  /** The name of the adapter. It begins the ids of people and threads. */
  readonly name: string;

  /** Returns why an adapter that is set up like this would lose or mix up messages; undefined if it would not. */
  misuseOf(adapter: Adapter): string | undefined;

  /** An id as the platform gives it to a person. */
  readonly exampleUser: string;
  /** Returns whether the platform could call a person so. A group, a channel, a program or a name is none. */
  isUserId(user: string): boolean;
  /** True if the adapter does not say who is a program: an author without the id of a person is one. */
  readonly isProgramByIdOnly: boolean;
  /** Returns whether a group or a channel wrote, and no person. */
  isUnsigned(author: Pick<Author, 'isBot'>): boolean;

  /** The most characters of a message. Adapters cut what is longer, and report nothing. */
  readonly text: number;
  /** The most characters of the label of a button. */
  readonly label: number;
  /** The most buttons of a message. */
  readonly buttons: number;
  /** True if a sent message can be updated. */
  readonly canUpdate: boolean;
  /** True if the adapter tries what the platform never allows when it finds no direct messages: the refusal is not final. */
  readonly canOpenLater: boolean;
  /** The modals of the platform; undefined where none were tried. */
  readonly modals?: PlatformModals;

  /** Escapes text so that the platform shows exactly it. */
  escape(text: string, form: TextForm): string;
  /** Escapes the text of a control. */
  escapeControl(text: string): string;
  /** Returns the rows of buttons of a card. */
  rows(buttons: readonly ButtonElement[]): CardActions[];
  /** Returns what a question that is over has below its text; `'plain text'` if it must not be a card. */
  ended(label: string): CardActions[] | 'plain text';

  /** Returns what a person typed, without the mention that only addresses the app; undefined if nothing of it is theirs. */
  typed(adapter: Adapter, message: ChatTyped): OwnWords | undefined;
  /** Returns the message that another one quotes, where the adapter does not tell it. */
  quoted(message: ChatQuoting, adapter: Adapter): { readonly thread: string; readonly id: string } | undefined;
  /** Returns the language that the person has set, if the platform tells it. */
  localeIn(raw: unknown): unknown;
  /** Returns the id of a press, if it is not the `id` of what the platform sends. */
  pressIn(raw: unknown): string | undefined;
  /** Returns whether a press was made in direct messages, if its thread does not tell it. */
  isDirectPress(raw: unknown): boolean;
  /** Returns an id that two deliveries of the same have, if their adapter cannot handle both at once. Rejects a delivery without it. */
  deliveryIn?(request: Request): Promise<string | undefined>;
}

export interface PlatformModals {
  /** Returns whether the adapter can open them. */
  canOpen(adapter: Adapter): boolean;
  /** True if only the callback id comes back. It passes through the client of the person, who could change it. */
  readonly hasCallbackOnly: boolean;
}

/** A platform of which nothing is known: cautious limits, and escapes that no markup gets past. */
export const unknownPlatform: Platform = {
  name: '',
  misuseOf: () => undefined,
  exampleUser: '4711',
  isUserId: (user) => user !== '',
  isProgramByIdOnly: false,
  isUnsigned: () => false,
  text: 2_000,
  label: 75,
  buttons: 5,
  canUpdate: true,
  canOpenLater: false,
  escape: (text) => apart(text).replace(/\](?=\()/g, `]${joiner}`),
  escapeControl: (text) => text,
  rows: (buttons) => [{ type: 'actions', children: [...buttons] }],
  ended: () => [],
  typed: (adapter, { text, formatted }) =>
    unaddressed(adapter, hasMark(formatted) ? { text, isNoAnswer: true } : { text }),
  quoted: () => undefined,
  localeIn: () => undefined,
  pressIn: () => undefined,
  isDirectPress: () => false,
};

/** Breaks what could begin a tag, a mention or a link in angle brackets. */
export function apart(text: string): string {
  return text.replace(/<(?=[\w/!@#])/g, `<${joiner}`);
}

/** Breaks what could be an entity of HTML. */
export function withoutEntities(text: string): string {
  return text.replace(/&(?=#?\w+;)/g, `&${joiner}`);
}

/** Text that marks quotes and what is struck out by these characters. */
export function marked(text: string | undefined, tildes: 'single' | 'doubled'): OwnWords | undefined {
  return text === undefined ? undefined : ownWords(text, markedSpans(text, tildes));
}

/** Leaves out a mention at the beginning that only addresses the app. */
export function unaddressed(adapter: Adapter, typed: OwnWords | undefined): OwnWords | undefined {
  const names = [adapter.botUserId, adapter.userName].flatMap((name) => textOf(name)?.replace(/[^\w]/g, '\\$&') ?? []);
  if (typed === undefined || names.length === 0) return typed;
  const mention = `(?:<@!?(?:${names.join('|')})>|@(?:${names.join('|')})(?![\\w]))`;
  return { ...typed, text: typed.text.replace(new RegExp(`^\\s*${mention}[\\s,:]*`, 'i'), '') };
}

/** Returns whether an adapter found a quote or struck-out text. It does not say where. */
function hasMark(node: unknown): boolean {
  const { type, children } = recordOf(node);
  return type === 'delete' || type === 'blockquote' || (Array.isArray(children) && children.some(hasMark));
}
