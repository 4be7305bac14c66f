/**
 * HTML of strangers as tags and text, in one pass: every character is looked at a bounded number of times, whatever is left open. It knows
 * the little of HTML's syntax that decides what is a tag; what tags mean is up to who asks.
 */
import { withoutEntities } from './html-entities.js';

export type HtmlToken =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly type: 'close'; readonly name: string }
  | { readonly type: 'style'; readonly sheet: string };

/** Elements whose content is no text for people. It ends with their own end tag, whatever stands in it. */
const unreadable = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'template',
]);
const mostAttributes = 50;

export function* htmlTokens(html: string): Generator<HtmlToken> {
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()); // as long as `html`: other letters may grow
  let textFrom = 0;
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) break;
    const kind = html[open + 1] ?? '';
    const isTag = /[a-z]/i.test(kind) || (kind === '/' && /[a-z]/i.test(html[open + 2] ?? ''));
    if (!isTag && !/[!?/]/.test(kind)) {
      at = open + 1; // a character like any other
      continue;
    }
    if (open > textFrom) yield { type: 'text', text: withoutEntities(html.slice(textFrom, open)) };
    if (!isTag) at = html.startsWith('<!--', open) ? after(html, '-->', open + 4) : after(html, '>', open + 2);
    else {
      const tag = tagAt(html, lower, kind === '/' ? open + 2 : open + 1);
      at = tag.end;
      if (kind === '/') yield { type: 'close', name: tag.name };
      else if (unreadable.has(tag.name)) {
        const end = lower.indexOf(`</${tag.name}`, at);
        if (tag.name === 'style') yield { type: 'style', sheet: html.slice(at, end < 0 ? html.length : end) };
        at = end < 0 ? html.length : end;
      } else yield { type: 'open', name: tag.name, attributes: tag.attributes };
      if (unreadable.has(tag.name)) at = after(html, '>', at);
    }
    textFrom = at;
  }
  if (textFrom < html.length) yield { type: 'text', text: withoutEntities(html.slice(textFrom)) };
}

/** Behind the next such text. What is never ended goes on to the end of all. */
function after(html: string, end: string, from: number): number {
  const at = html.indexOf(end, from);
  return at < 0 ? html.length : at + end.length;
}

const nameEnd = /[\s/>]/g;
const attributeNameEnd = /[\s=/>]/g;
const valueEnd = /[\s>]/g;
const notSpace = /[^\s]/g;

/** The tag whose name begins at `from`. A `>` within a quoted value does not end it. */
function tagAt(
  html: string,
  lower: string,
  from: number,
): { name: string; attributes: ReadonlyMap<string, string>; end: number } {
  let at = next(nameEnd, html, from);
  const name = lower.slice(from, at);
  const attributes = new Map<string, string>();
  while (at < html.length) {
    at = next(notSpace, html, at);
    if (html[at] === '>') return { name, attributes, end: at + 1 };
    if (html[at] === '/') {
      at += 1;
      continue;
    }
    const nameFrom = at;
    at = next(attributeNameEnd, html, at + 1);
    const key = lower.slice(nameFrom, at);
    const equals = next(notSpace, html, at);
    let value = '';
    if (html[equals] === '=') {
      const valueFrom = next(notSpace, html, equals + 1);
      const quote = html[valueFrom];
      if (quote === '"' || quote === "'") {
        at = after(html, quote, valueFrom + 1);
        value = html.slice(valueFrom + 1, at - 1);
      } else {
        at = next(valueEnd, html, valueFrom);
        value = html.slice(valueFrom, at);
      }
    }
    if (attributes.size < mostAttributes && !attributes.has(key)) attributes.set(key, withoutEntities(value));
  }
  return { name, attributes, end: html.length };
}

/** Where the pattern is found next, or the end. */
function next(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
