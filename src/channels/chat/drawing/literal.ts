/**
 * Text of people, agents and models for a platform: shown as it stands. Adapters send strings as they are and read the text of cards as
 * markup, each in its own way, so markup is escaped by the rules of the platform; a mention is broken by an invisible character.
 */
import { inert } from '../../../core/text.js';
import { joiner, type Platform, type TextForm } from '../platforms/platform.js';

/** The text so that the platform shows exactly it. */
export function literal(platform: Platform, text: string, form: TextForm): string {
  return platform.escape(unmentioned(inert(text)), form);
}

/** A name or an option in one line. */
export function label(text: string): string {
  return unmentioned(inert(text)).replace(/\s+/g, ' ').trim();
}

/** The text of a control, which no platform reads as markup. */
export function controlText(platform: Platform, text: string): string {
  return platform.escapeControl(label(text));
}

/** The text of a control, cut before it is escaped: no escape is cut in two. */
export function cutControl(platform: Platform, text: string, longest: number): string {
  let most = longest;
  while (most > 1 && controlText(platform, cut(text, most)).length > longest) most -= 1;
  return controlText(platform, cut(text, most));
}

/** The text with an ellipsis at its end if it is longer. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text
    .slice(0, Math.floor(most) - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}

/** Breaks mentions of people and the emoji placeholders of `chat`. An e-mail address stays whole, unless it would mention everyone. */
function unmentioned(text: string): string {
  return text.replace(/(?<!\w)@(?=[\w&!])|@(?=everyone|here)/g, `@${joiner}`).replace(/\{\{(?=emoji:)/g, `{${joiner}{`);
}
