/**
 * What a person typed, out of the text that Slack sends: links, mentions and the three escaped characters as they stood in the person's
 * message field. It never interprets formatting.
 */

import { markedSpans, type OwnWords, ownWords } from '../../own-words.js';

/** What is known of the names in a text. */
export interface TypedNames {
  /** The user id of the app's own bot: a mention that only addresses the app is left out. */
  readonly self?: string | undefined;
  /** Names by user id. Somebody without one is shown by id. */
  readonly names?: ReadonlyMap<string, string> | undefined;
  /** Emoji by the names that Slack writes for them, such as `wave`. */
  readonly emoji?: ReadonlyMap<string, string> | undefined;
}

/** What is marked in the rich text of a message. */
export interface RichMarks {
  /** Something is struck out, or quoted. */
  readonly isMarked: boolean;
}

/** What a person typed; no answer if a part of it is struck out or marked as a quote. */
export function ownTypedText(text: string, { rich, ...names }: TypedNames & { readonly rich: RichMarks }): OwnWords {
  const typed = typedText(text, names);
  const own = ownWords(typed, markedSpans(typed, 'single'));
  return rich.isMarked ? { text: typed, isNoAnswer: true } : own;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

/** Slack escapes what people type, so a bracket that is left begins or ends a link or a mention. */
const marks = /<([^<>\n]*)>|&(amp|lt|gt);/g;

export function typedText(text: string, { self, names, emoji }: TypedNames = {}): string {
  return withEmoji(withoutAddress(text, self), emoji).replace(
    marks,
    (_whole, mark: string | undefined, entity: string | undefined) =>
      mark === undefined ? (entities[entity as string] as string) : markText(mark, names),
  );
}

/** Slack writes `:wave:` for an emoji that was typed or picked; which one that is stands beside the text. */
function withEmoji(text: string, emoji: ReadonlyMap<string, string> | undefined): string {
  if (emoji === undefined || emoji.size === 0) return text;
  return text.replace(/:([\w+'-]+(?:::skin-tone-[2-6])?):/g, (whole, name: string) => emoji.get(name) ?? whole);
}

/** The text without the mention that addresses the app, at its beginning or its end: "@bot yes" answers like "yes". */
function withoutAddress(text: string, self: string | undefined): string {
  if (self === undefined || !text.includes(`<@${self}`)) return text;
  const mention = `<@${self}(?:\\|[^<>\\n]*)?>`;
  const rest = text.replace(new RegExp(`^\\s*${mention}[\\s,:]*`), '');
  const trimmed = rest.trimEnd();
  const last = trimmed.lastIndexOf(`<@${self}`); // a pattern that begins with spaces would look at each of them again and again
  return last >= 0 && new RegExp(`^${mention}$`).test(trimmed.slice(last)) ? trimmed.slice(0, last).trimEnd() : rest;
}

/** The ids of the people and programs that a text mentions. */
export function mentionedIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/<@([A-Z0-9]+)(?:\|[^<>\n]*)?>/g)].map(([, id]) => id as string))];
}

function markText(mark: string, names: ReadonlyMap<string, string> | undefined): string {
  const bar = mark.indexOf('|');
  const target = unescaped(bar < 0 ? mark : mark.slice(0, bar));
  const label = bar < 0 ? '' : unescaped(mark.slice(bar + 1));
  if (target.startsWith('@')) {
    const id = target.slice(1);
    return `@${names?.get(id) ?? (label === '' ? id : label)}`;
  }
  if (target.startsWith('#')) return `#${label === '' ? target.slice(1) : label}`;
  if (target.startsWith('!')) return groupText(target.slice(1), label);
  return linkText(target, label);
}

/** `!here`, `!subteam^S1|@finance`, `!date^1392734382^{date}|Feb 18`. */
function groupText(target: string, label: string): string {
  return label === '' ? `@${target.split('^')[0]}` : label;
}

/** A link that Slack made of what was typed is that; one that a person gave a label is both, because the label may say something else. */
function linkText(address: string, label: string): string {
  if (label === '') return address.replace(/^(?:mailto|tel):/, '');
  if (address.startsWith('tel:')) return label; // Slack writes the number in another way than the person did
  const bare = (each: string) => each.replace(/^(?:https?:\/\/|mailto:)/i, '').replace(/\/$/, '');
  return bare(address) === bare(label) ? label : `${label} (${address})`;
}

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_whole, entity: string) => entities[entity] as string);
}
