/**
 * The HTML part of a mail as text, for mails without a text part. Neither styles nor quote elements are looked at: what they may hide, and
 * what a person typed into a quote, counts as text.
 */
import type { FormatCallback } from 'html-to-text';
import { imported } from '../connection/packages.js';
import { leftOut } from './words.js';

/** Reads HTML as text. */
export type HtmlReader = (html: string) => string;

const longestHtml = 200_000;
/** The parser takes quadratic time for elements that are never closed. */
const mostTags = 10_000;
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** Loads the reader. Rejects if its package is missing. */
export async function htmlReader(): Promise<HtmlReader> {
  const { compile } = await imported('html-to-text', () => import('html-to-text'));
  const convert = compile({
    wordwrap: false,
    limits: { maxInputLength: longestHtml, maxDepth: 100, maxChildNodes: 2_000, ellipsis: leftOut },
    formatters: { cell, picture, changed },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'picture' },
      { selector: 'blockquote', format: 'block' },
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
  return (html) =>
    html.length > longestHtml || html.split('<', mostTags + 1).length > mostTags ? leftOut : convert(html);
}

/** What is struck out, raised or lowered changes what stands beside it: 5<s>00</s>, 10<sup>3</sup>. */
const changing = ['s', 'strike', 'del', 'sup', 'sub', '[style*="line-through"]'];

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
