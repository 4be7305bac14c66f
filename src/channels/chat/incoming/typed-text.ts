/**
 * What a person wrote on a platform of the chat SDK, as they typed it, and in which language they have the platform: read from the
 * platform's own message, where the adapter's has lost something.
 */
import type { Adapter, Message } from 'chat';
import { hasFields } from '../../../core/check-options.js';
import { emojiIn } from '../../slack/incoming/payload.js';
import { typedText as typedOnSlack } from '../../slack/incoming/typed-text.js';

/** What the person typed, without the mention that only addresses the app; undefined if nobody typed anything. */
export function typedText(adapter: Adapter, { raw, text }: Pick<Message, 'raw' | 'text'>): string | undefined {
  if (adapter.name === 'slack') return slackText(adapter, raw);
  if (adapter.name === 'teams') return teamsText(adapter, raw) ?? text;
  if (adapter.name === 'whatsapp') return whatsAppText(raw);
  if (adapter.name === 'gchat') return googleChatText(raw);
  const typed = writtenText(adapter.name, raw, text);
  if (typed === undefined) return undefined;
  const names = [adapter.botUserId, adapter.userName].filter(isFilled).map((each) => each.replace(/[^\w]/g, '\\$&'));
  if (names.length === 0) return typed;
  const mention = `(?:<@!?(?:${names.join('|')})>|@(?:${names.join('|')})(?![\\w]))`;
  return typed.replace(new RegExp(`^\\s*${mention}[\\s,:]*`, 'i'), '');
}

/** Some adapters make Markdown of what was typed; the platform's own message has it as it was. */
function writtenText(platform: string, raw: unknown, text: string): string | undefined {
  if (platform !== 'telegram' && platform !== 'discord') return text;
  const { text: typed, caption, content, forward_origin: forwarded, forward_date: forwardedAt } = fieldsOf(raw);
  if (forwarded !== undefined || forwardedAt !== undefined) return undefined; // somebody else's words
  return [typed, caption, content].find((each): each is string => typeof each === 'string');
}

/** What Teams calls plain is as it was typed, but for mentions; the adapter's has lost what looks like HTML or Markdown. */
function teamsText({ botUserId }: Adapter, raw: unknown): string | undefined {
  const { text, textFormat, entities } = fieldsOf(raw);
  if (typeof text !== 'string' || (textFormat !== undefined && textFormat !== 'plain')) return undefined;
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
function slackText({ botUserId }: Adapter, raw: unknown): string | undefined {
  const { text, blocks } = fieldsOf(raw);
  return typeof text === 'string' ? typedOnSlack(text, { self: botUserId, emoji: emojiIn(blocks) }) : undefined;
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
