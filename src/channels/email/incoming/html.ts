/**
 * The HTML part of a mail as text, for mails without a text part. Styles are not looked at: what they may hide counts as text. What stands in
 * a quote element gets the marks of a quote.
 */
import type { FormatCallback } from 'html-to-text';
import { imported } from '../../../core/optional-package.js';
import { htmlToText } from '../connection/packages.js';
import { leftOut } from './words.js';

/** Reads HTML as text. */
export type HtmlReader = (html: string) => string;

const longestHtml = 200_000;
/** The parser takes quadratic time for elements that are never closed. */
const mostTags = 10_000;
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** Loads the reader. Rejects if its package is missing. */
export async function htmlReader(): Promise<HtmlReader> {
  const { compile } = await imported(htmlToText, () => import('html-to-text'));
  const convert = compile({
    wordwrap: false,
    limits: { maxInputLength: longestHtml, maxDepth: 100, maxChildNodes: 2_000, ellipsis: leftOut },
    formatters: { cell, picture, changed },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'picture' },
      { selector: 'title', format: 'skip' },
      ...changing.map((selector) => ({ selector, format: 'changed' })),
      { selector: 'table', format: 'block' },
      { selector: 'tr', format: 'block' },
      { selector: 'td', format: 'cell' },
      { selector: 'th', format: 'cell' },
      { selector: 'hr', format: 'lineBreak' },
      ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return (html) => {
    if (html.length > longestHtml || html.split('<', mostTags + 1).length > mostTags) return leftOut;
    const text = convert(html);
    return strikesByStyle.test(html) ? `${leftOut}\n${text}` : text;
  };
}

/** What is struck out, raised or lowered changes what stands beside it: 5<s>00</s>, 10<sup>3</sup>. */
const changing = ['s', 'strike', 'del', 'sup', 'sub'];

/** A style, of whatever sheet, attribute or class of Word, may strike out any text: which one is not looked for. */
const strikesByStyle = /line-through|\bmso-?del\b/i;

const changed: FormatCallback = (element, walk, builder) => {
  builder.addInline(` ${leftOut} `);
  walk(element.children, builder);
  builder.addInline(' ');
};

const cell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder);
  builder.addInline(' ');
};

/** Some programs write emoji as images. Another image says nothing. */
const picture: FormatCallback = (element, _, builder) => {
  const alternative: unknown = element.attribs?.['alt'];
  if (typeof alternative === 'string' && alternative.length <= 16 && /^\p{Extended_Pictographic}/u.test(alternative))
    builder.addInline(alternative);
};
