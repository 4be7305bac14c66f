/**
 * The conversation as this page knows it. Each change is announced to one listener, which shows it.
 */
import { removePending } from './outbox.js';
import type { ChatBatch, ChatItem, SaidItem, ShownQuestion } from './wire.js';

export type ConnectionState = 'connecting' | 'live' | 'reconnecting' | 'paused' | 'refused' | 'signedOut';

export const conversation = {
  items: [] as readonly ChatItem[],
  /** The cursor behind the last item. */
  cursor: undefined as string | undefined,
  /** What the agent says of its progress; empty if it says nothing. */
  progress: '',
  connection: 'connecting' as ConnectionState,
};

let listener = () => {};

export function onChange(show: () => void): void {
  listener = show;
}

/** Announces a change: of the conversation, or of the outbox. */
export function changed(): void {
  listener();
}

/** A question that was asked in the conversation. */
export type AskedItem = SaidItem & { readonly ask: ShownQuestion };

export const isAsked = (item: ChatItem): item is AskedItem => item.type === 'out' && item.ask !== undefined;

/** Of more items the earlier ones are forgotten, except open questions. */
const longest = 500;

/** Adds what is new in a batch, and removes from the outbox what has arrived. Announces nothing. */
export function addBatch({ items, cursor, gap }: ChatBatch): void {
  const before = gap ? [] : conversation.items;
  const known = new Set(before.map(keyOf));
  const all = [...before, ...items.filter((item) => !known.has(keyOf(item)))];
  const open = new Set<ChatItem>(openQuestionsIn(all));
  Object.assign(conversation, {
    items: all.filter((item, index) => index >= all.length - longest || open.has(item)),
    cursor,
    progress: '',
  });
  const arrived = new Set(items.flatMap((item) => (item.type === 'in' ? [item.id] : [])));
  if (arrived.size > 0) removePending(arrived);
}

function keyOf(item: ChatItem): string {
  const key = item.type === 'in' ? item.id : item.type === 'out' ? item.key : item.askId;
  return `${item.type} ${key}`;
}

/** Returns the open questions among these items. */
function openQuestionsIn(items: readonly ChatItem[]): readonly AskedItem[] {
  const decided = new Set(items.map((item) => item.type === 'decided' && item.askId));
  return items.filter(isAsked).filter(({ ask }) => ask.status === 'pending' && !decided.has(ask.id));
}

/** Returns the latest open question. */
export function openQuestion(): AskedItem | undefined {
  return openQuestionsIn(conversation.items).at(-1);
}

/** Forgets the conversation: what follows is another one, or is read from the beginning. */
export function forgetConversation(): void {
  Object.assign(conversation, { items: [], cursor: undefined, progress: '' });
}
