/**
 * Text of people, agents and models for a platform: shown as it stands. Adapters hand strings on as they are and read the text of cards
 * as markup, each in its own way, so what could be markup is escaped by the platform's rules; a mention is broken by a character that is
 * not seen.
 */
import { inert } from '../../../core/text.js';

/** Not seen, and no part of any markup: it ends what would be a mention, a link or a placeholder. */
const joiner = '\u2060';

/** As `card`, the text of a card, which an adapter may read as markup; as `plain`, a message of its own. */
type TextForm = 'card' | 'plain';

/** The text so that the platform shows exactly it. */
export function literal(platform: string, text: string, form: TextForm): string {
  const whole = unmentioned(inert(text));
  if (platform === 'telegram') return form === 'plain' ? whole : markdownEscaped(whole);
  if (platform === 'discord') return whole.replace(/[\\*_~`|>#[\]()<-]/g, '\\$&');
  if (platform === 'slack') return slackEscaped(whole).replace(/\*(?=\*)/g, `*${joiner}`); // its adapter makes one of two
  if (platform === 'teams') return teamsEscaped(whole);
  if (platform === 'gchat') return googleChatEscaped(whole);
  return whole.replace(/<(?=[\w/!@#])/g, `<${joiner}`).replace(/\](?=\()/g, `]${joiner}`);
}

/** A name or an option in one line. */
export function label(text: string): string {
  return unmentioned(inert(text)).replace(/\s+/g, ' ').trim();
}

/** The text of a control, which no platform reads as markup. */
export function controlText(platform: string, text: string): string {
  return platform === 'slack' ? slackEscaped(label(text)) : label(text);
}

function slackEscaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => slackEscapes[character] as string);
}

const slackEscapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Without mentions of people, and without the emoji placeholders of `chat`. An e-mail address stays whole, but for one of everyone. */
function unmentioned(text: string): string {
  return text.replace(/(?<!\w)@(?=[\w&!])|@(?=everyone|here)/g, `@${joiner}`).replace(/\{\{(?=emoji:)/g, `{${joiner}{`);
}

/** For an adapter that parses Markdown: each mark as itself, and no indented block. */
function markdownEscaped(text: string): string {
  return text
    .replace(/[!-/:-@[-`{-~]/g, '\\$&')
    .replace(/^[ \t]+/gm, (spaces) => '\u00a0'.repeat(spaces.length))
    .replace(/ +$/gm, '');
}

/** Messages and cards are Markdown there, with HTML and functions such as `{{DATE(…)}}`; a line ends with an empty one. */
function teamsEscaped(text: string): string {
  return text
    .replace(/[\\*_~`|[\]]/g, '\\$&')
    .replace(/^([ \t]*)([#>+=-])/gm, '$1\\$2')
    .replace(/^[ \t]{4,}/gm, (spaces) => '\u00a0'.repeat(spaces.length))
    .replace(/<(?=[\w/!@#])/g, `<${joiner}`)
    .replace(/&(?=#?\w+;)/g, `&${joiner}`)
    .replace(/\{(?=\{)/g, `{${joiner}`)
    .replace(/\n/g, '\n\n');
}

/** Cards are HTML there, messages have mentions and links in angle brackets, and the adapter makes one `*` of two. */
function googleChatEscaped(text: string): string {
  return text
    .replace(/<(?=[\w/!@#])/g, `<${joiner}`)
    .replace(/&(?=#?\w+;)/g, `&${joiner}`)
    .replace(/\*(?=\*)/g, `*${joiner}`);
}
