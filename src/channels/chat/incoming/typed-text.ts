/**
 * What a person wrote on a platform of the chat SDK, as they typed it, and in which language they have the platform: read from the
 * platform's own message, where the adapter's has lost something.
 */
import type { Adapter, Message } from 'chat';
import { hasFields } from '../../../core/check-options.js';
import { markedSpans, type OwnWords, ownWords, type TextSpan } from '../../own-words.js';
import { emojiIn, richIn } from '../../slack/incoming/payload.js';
import { ownTypedText as typedOnSlack } from '../../slack/incoming/typed-text.js';
import { hasQuoteOrStrike, wordsInHtml } from './teams-html.js';

type ChatTyped = Pick<Message, 'raw' | 'text'> & Partial<Pick<Message, 'formatted'>>;

/** What the person typed, without the mention that only addresses the app; undefined if nobody typed anything. */
export function typedText(adapter: Adapter, message: ChatTyped): OwnWords | undefined {
  const { raw, text } = message;
  if (adapter.name === 'slack') return slackWords(adapter, raw);
  if (adapter.name === 'teams') return teamsWords(adapter, raw, text);
  if (adapter.name === 'whatsapp') return marked(whatsAppText(raw), 'single');
  if (adapter.name === 'gchat') return marked(googleChatText(raw), 'single');
  if (adapter.name === 'telegram') return unaddressed(adapter, telegramWords(raw));
  if (adapter.name === 'discord') return unaddressed(adapter, marked(discordText(raw), 'doubled'));
  return unaddressed(adapter, hasMark(message.formatted) ? { text, isNoAnswer: true } : { text });
}

function unaddressed(adapter: Adapter, typed: OwnWords | undefined): OwnWords | undefined {
  const names = [adapter.botUserId, adapter.userName].filter(isFilled).map((each) => each.replace(/[^\w]/g, '\\$&'));
  if (typed === undefined || names.length === 0) return typed;
  const mention = `(?:<@!?(?:${names.join('|')})>|@(?:${names.join('|')})(?![\\w]))`;
  return { ...typed, text: typed.text.replace(new RegExp(`^\\s*${mention}[\\s,:]*`, 'i'), '') };
}

function marked(text: string | undefined, tildes: 'single' | 'doubled'): OwnWords | undefined {
  return text === undefined ? undefined : ownWords(text, markedSpans(text, tildes));
}

/** Whether an adapter has found a quote or struck-out text. Its text has lost where. */
function hasMark(node: unknown): boolean {
  const { type, children } = fieldsOf(node);
  return type === 'delete' || type === 'blockquote' || (Array.isArray(children) && children.some(hasMark));
}

const telegramMarks = new Set(['strikethrough', 'blockquote', 'expandable_blockquote']);

/** Telegram tells formatting beside the text, by UTF-16 positions. */
function telegramWords(raw: unknown): OwnWords | undefined {
  const {
    text,
    caption,
    entities,
    caption_entities,
    forward_origin: forwarded,
    forward_date: forwardedAt,
  } = fieldsOf(raw);
  if (forwarded !== undefined || forwardedAt !== undefined) return undefined; // somebody else's words
  const typed = typeof text === 'string' ? text : caption;
  if (typeof typed !== 'string') return undefined;
  const given = typeof text === 'string' ? entities : caption_entities;
  const spans = (Array.isArray(given) ? given : []).map(fieldsOf).flatMap(({ type, offset, length }): TextSpan[] => {
    const start = Number(offset);
    return telegramMarks.has(String(type)) ? [{ start, end: start + Number(length) }] : [];
  });
  return ownWords(typed, spans);
}

function discordText(raw: unknown): string | undefined {
  const { content } = fieldsOf(raw);
  return typeof content === 'string' ? content : undefined;
}

/**
 * What Teams calls plain is as it was typed, but for mentions; the adapter's has lost what looks like HTML or Markdown. A quote and struck-out
 * text are told only by the HTML beside it.
 */
function teamsWords(adapter: Adapter, raw: unknown, otherwise: string): OwnWords {
  const { text, textFormat, attachments } = fieldsOf(raw);
  if (typeof text !== 'string') return { text: otherwise };
  const html = (Array.isArray(attachments) ? attachments : [])
    .map(fieldsOf)
    .filter(({ contentType, content }) => contentType === 'text/html' && typeof content === 'string')
    .map(({ content }) => String(content));
  if (textFormat === 'xml') html.push(text);
  const formatted = html.find(hasQuoteOrStrike);
  const isPlain = textFormat === undefined || textFormat === 'plain';
  const whole = isPlain ? text : otherwise;
  const typed = formatted === undefined ? { text: whole } : wordsInHtml(formatted, whole);
  const inMarkdown = textFormat === 'markdown' ? ownWords(text, markedSpans(text, 'doubled')) : undefined;
  const own = inMarkdown?.isNoAnswer ? inMarkdown : typed;
  return isPlain || own !== typed || formatted !== undefined
    ? { ...own, text: teamsText(adapter, raw, own.text) }
    : own;
}

function teamsText({ botUserId }: Adapter, raw: unknown, text: string): string {
  const { entities } = fieldsOf(raw);
  const mentions = (Array.isArray(entities) ? entities : []).map(fieldsOf).filter(({ type }) => type === 'mention');
  const isOwn = (id: unknown): boolean => isFilled(id) && id.toLowerCase() === botUserId?.toLowerCase();
  const own = mentions.find(({ mentioned }) => isOwn(fieldsOf(mentioned)['id']))?.['text'];
  const typed = quotedOnTeams(raw).reduce((rest, id) => rest.replace(`<quoted messageId="${id}"/>`, ''), text);
  const start = typed.trimStart();
  const rest = isFilled(own) && start.startsWith(own) ? start.slice(own.length).replace(/^[\s,:]+/, '') : typed;
  return rest.replace(/<at(?: [^<>]*)?>([^<>]*)<\/at>/g, '@$1').trimEnd();
}

/** The ids of the messages that a message on Teams quotes. Its text has a mark in the place of each. */
export function quotedOnTeams(raw: unknown): readonly string[] {
  const { entities } = fieldsOf(raw);
  const quotes = (Array.isArray(entities) ? entities : []).map(fieldsOf).filter(({ type }) => type === 'quotedReply');
  return quotes.map(({ quotedReply }) => fieldsOf(quotedReply)['messageId']).filter(isFilled);
}

/** The adapter's text names what has none, as `[Image]`, and leaves out the caption of a video. */
function whatsAppText(raw: unknown): string | undefined {
  const { text, image, video, document, context } = fieldsOf(fieldsOf(raw)['message']);
  const { forwarded, frequently_forwarded: isOften } = fieldsOf(context);
  if (forwarded === true || isOften === true) return undefined; // somebody else's words
  const captions = [image, video, document].map((file) => fieldsOf(file)['caption']);
  return [fieldsOf(text)['body'], ...captions].find((each): each is string => typeof each === 'string');
}

/** Google tells the text also without mentions of apps; the adapter's has lost what looks like Markdown. */
function googleChatText(raw: unknown): string | undefined {
  const { message = fieldsOf(raw)['message'] } = fieldsOf(fieldsOf(fieldsOf(raw)['chat'])['messagePayload']);
  const { argumentText, text } = fieldsOf(message);
  const typed = [argumentText, text].find((each): each is string => typeof each === 'string');
  return typed?.trimStart();
}

/** Slack's own text is escaped and has links and mentions in it; the adapter's has lost its marks. */
function slackWords({ botUserId }: Adapter, raw: unknown): OwnWords | undefined {
  const { text, blocks } = fieldsOf(raw);
  return typeof text === 'string'
    ? typedOnSlack(text, { self: botUserId, emoji: emojiIn(blocks), rich: richIn(blocks) })
    : undefined;
}

/** The language that the person has set on the platform, where it is told: by Telegram and Teams, and by Discord of whoever presses. */
export function localeIn(platform: string, raw: unknown): string | undefined {
  const { from, locale } = fieldsOf(raw);
  const isTold = platform === 'discord' || platform === 'teams';
  const told = platform === 'telegram' ? fieldsOf(from)['language_code'] : isTold ? locale : undefined;
  return typeof told === 'string' && /^[a-z]{2,3}(-[\da-z]{2,8}){0,3}$/i.test(told) ? told : undefined;
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return hasFields(value) ? (value as Readonly<Record<string, unknown>>) : {};
}

export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
