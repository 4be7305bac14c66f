/** Teams: Markdown with HTML beside it, mentions and quotes as entities, dialogs, and deliveries that share the id of an activity. */
import type { Adapter } from 'chat';
import { refusal } from '../../http.js';
import { recordOf, recordsOf, textOf } from '../../kit/untyped.js';
import { markedSpans, type OwnWords, ownWords } from '../../own-words.js';
import { apart, joiner, type Platform, unknownPlatform, withoutEntities } from './platform.js';
import { hasQuoteOrStrike, wordsInHtml } from './teams-html.js';

export const teams: Platform = {
  ...unknownPlatform,
  name: 'teams',
  exampleUser: '29:1bSnHZ7Js2STWrgk6ScEErLk1Lp2zQuD5H2qQ8N8e',
  isUserId: (user) => /^(?!28:|unknown$)\S+$/.test(user), // 28: is a bot; the adapter calls an author without an id unknown
  isProgramByIdOnly: true,
  text: 10_000,
  buttons: 6,
  modals: { canOpen: () => true, hasCallbackOnly: true },
  escape: escaped,
  typed: (adapter, { raw, text }) => words(adapter, recordOf(raw), text),
  quoted: ({ raw, threadId: thread }) => {
    const [id] = quotedIn(recordOf(raw));
    return id === undefined ? undefined : { thread, id };
  },
  localeIn: (raw) => recordOf(raw)['locale'],
  deliveryIn: activityIn,
};

/** Messages and cards are Markdown there, with HTML and functions such as `{{DATE(…)}}`; a line ends with an empty one. */
function escaped(text: string): string {
  const marks = text
    .replace(/[\\*_~`|[\]]/g, '\\$&')
    .replace(/^([ \t]*)([#>+=-])/gm, '$1\\$2')
    .replace(/^[ \t]{4,}/gm, (spaces) => '\u00a0'.repeat(spaces.length));
  return withoutEntities(apart(marks))
    .replace(/\{(?=\{)/g, `{${joiner}`)
    .replace(/\n/g, '\n\n');
}

type Activity = Readonly<Record<string, unknown>>;

/**
 * What Teams calls plain is as it was typed, but for mentions; the adapter's text has lost what looks like HTML or Markdown. Quotes and
 * struck-out text stand only in the HTML beside it.
 */
function words(adapter: Adapter, activity: Activity, otherwise: string): OwnWords {
  const { text, textFormat, attachments } = activity;
  if (typeof text !== 'string') return { text: otherwise };
  const html = recordsOf(attachments)
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
    ? { ...own, text: withoutMentions(adapter, activity, own.text) }
    : own;
}

function withoutMentions({ botUserId }: Adapter, activity: Activity, text: string): string {
  const isOwn = (id: unknown): boolean =>
    botUserId !== undefined && textOf(id)?.toLowerCase() === botUserId.toLowerCase();
  const mentions = recordsOf(activity['entities']).filter(({ type }) => type === 'mention');
  const own = textOf(mentions.find(({ mentioned }) => isOwn(recordOf(mentioned)['id']))?.['text']);
  const typed = quotedIn(activity).reduce((rest, id) => rest.replace(`<quoted messageId="${id}"/>`, ''), text);
  const start = typed.trimStart();
  const isAddressed = own !== undefined && start.startsWith(own);
  const rest = isAddressed ? start.slice(own.length).replace(/^[\s,:]+/, '') : typed;
  return rest.replace(/<at(?: [^<>]*)?>([^<>]*)<\/at>/g, '@$1').trimEnd();
}

/** The ids of the messages that a message quotes. Its text has a mark in the place of each. */
function quotedIn({ entities }: Activity): readonly string[] {
  const quotes = recordsOf(entities).filter(({ type }) => type === 'quotedReply');
  return quotes.flatMap(({ quotedReply }) => textOf(recordOf(quotedReply)['messageId']) ?? []);
}

/**
 * The adapter keeps what belongs to a request under the id of its activity: of two at once it would acknowledge one whose recording is not
 * awaited. Undefined where nothing is recorded.
 */
async function activityIn(request: Request): Promise<string | undefined> {
  const read: unknown = await request
    .clone()
    .json()
    .catch(() => undefined); // the adapter refuses it
  const { id, type } = recordOf(read);
  if (type !== 'message' && type !== 'invoke') return textOf(id);
  return textOf(id) ?? refused(type);
}

function refused(type: string): never {
  throw refusal(400, `A Teams activity of type ${type} must have an id.`);
}
