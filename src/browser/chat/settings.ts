/**
 * What the page says about the chat: attributes of the script's tag, `window.askbackChat`, and every text that people read. It is read
 * once, while the script is loaded.
 */

declare global {
  interface Window {
    askbackChat?: ChatOptions;
  }
}

/** What `window.askbackChat` may have. The attributes of the tag have the same names: `data-title`. */
interface ChatOptions {
  readonly title?: string;
  readonly page?: string;
  readonly target?: string;
  readonly conversation?: string;
  /** A token, or a function that gets one; true is passed if the last one was refused. */
  readonly visitor?: string | ((isRefused: boolean) => string | Promise<string>);
  readonly texts?: Partial<Record<TextName, string>>;
}

// a classic script has a tag while it is evaluated
const tag = document.currentScript as HTMLScriptElement;
const own = window.askbackChat ?? {};

/** Returns an option of the page, or undefined. */
export function option<Name extends Exclude<keyof ChatOptions, 'texts'>>(name: Name): ChatOptions[Name] {
  return own[name] ?? (tag.dataset[name] as ChatOptions[Name]);
}

/** The address of the channel. */
export const base = new URL('.', tag.src);

/** Which of the visitor's conversations this is. */
export const conversationName = option('conversation');

/** Each can be replaced: `data-text-send="Senden"`. */
const defaults = {
  title: 'Chat',
  open: 'Chat',
  close: 'Close',
  send: 'Send',
  message: 'Your message',
  answer: 'Your answer',
  log: 'Conversation',
  working: 'Working',
  sending: 'Sending…',
  notSent: 'Not sent:',
  retry: 'Try again',
  remove: 'Remove',
  optional: '(optional)',
  connecting: 'Connecting…',
  reconnecting: 'Reconnecting…',
  refused: 'This chat is not available here.',
  signedOut: 'You were signed out. Please load the page again.',
  anew: 'The chat has begun anew.',
  paused: 'Open in too many places. This one is updated later.',
  hidden: '•••••',
  answered: 'Answered:',
  answeredPlain: 'Answered',
  declined: 'Declined',
  exhausted: 'Not answered',
  expired: 'Expired',
  cancelled: 'Withdrawn',
  others: 'Somebody else is asked.',
  pick: 'Please choose.',
  until: 'Please answer by',
};
type TextName = keyof typeof defaults;

function textOf([name, otherwise]: [string, string]): [string, string] {
  const attribute = `text${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return [name, own.texts?.[name as TextName] ?? tag.dataset[attribute] ?? otherwise];
}

export const texts = Object.fromEntries(Object.entries(defaults).map(textOf)) as Readonly<Record<TextName, string>>;
export const title = option('title') || texts.title;

const reported = new Set<string>();

/** Reports a problem to the developer of the page, in the console, once. */
export function report(problem: string): void {
  if (!reported.has(problem)) console.error(`askback chat: ${problem}`);
  reported.add(problem);
}
