/** HTML as text: what it says, in the lines of a reader; quotes with our marker are marked, and nothing is hidden. */
import { expect, test } from 'vitest';
import { leftOut } from '../../../../src/channels/email/incoming/words.js';
import { reader, written } from '../../../support/mail/read.js';
import { marker } from './mail.js';

const text = (html: string) => reader.htmlText(html);

test('blocks are lines, and white space is that of a reader', () => {
  expect(text('<div>Yes,\n  please.</div><div>Thanks<br>Anna</div>')).toBe('Yes, please.\nThanks\nAnna');
  expect(text('<p>a &amp; b&nbsp;&euro;</p><pre>c\n  d</pre><ul><li>e<li>f</ul>')).toMatch(
    /^a & b\s€\n\nc\n {2}d\n\n \* e\n \* f$/,
  );
  expect(text('<table><tr><td>Customer</td><td>Ada</td></tr></table>')).toBe('Customer Ada');
  expect(text('<h1>Yes</h1><a href="https://x.example/">page</a>')).toBe('Yes\n\npage');
});

test('what a style may hide counts as text; what is struck out, raised or lowered makes a reply unclear', () => {
  expect(text('<style>.x{display:none}</style><p class="x">Yes</p><p style="display:none">but</p>')).toBe('Yes\n\nbut');
  for (const html of [
    '5<s>00</s>',
    '1<del>0</del>0',
    '10<sup>3</sup>',
    '<span style="text-decoration: line-through">Yes</span>',
  ])
    expect(text(`<p>${html}</p>`)).toContain(leftOut);
});

test('a quote counts, as one, but for our own lines in it', () => {
  const sent = [{ subject: 'Refund?', texts: [`${marker}\nRefund this order?\nReply.`], at: new Date(0) }];
  const quote = (typed: string) =>
    `<blockquote><title>Refund?</title><p>${marker}</p><p>Refund this order?</p>${typed}<p>Reply.</p></blockquote>`;
  expect(written(text(`<div>Yes</div>${quote('')}`), sent)).toBe('Yes');
  expect(written(text(`<div>Yes</div>${quote('')}<div>but only 50</div>`), sent)).toBe('Yes\n\nbut only 50');
  expect(written(text(`<div>Yes</div>${quote('<p>but only 50</p>')}`), sent)).toBe('Yes\n\n> but only 50');
  expect(written(text('<p>Hi,</p><blockquote type="cite">yes</blockquote>'), sent)).not.toMatch(/^yes$/m);
});

test.each([
  '<style>span.s1{text-decoration: line-through}</style><span class="s1">yes</span>',
  '<STYLE>.x{TEXT-DECORATION:LINE-THROUGH}</STYLE><p class="x">yes</p>',
  '<p STYLE="TEXT-DECORATION: LINE-THROUGH">yes</p>',
  '<span class="msoDel">yes</span>',
])('what a style may strike out is no answer: %s', (html) => {
  expect(written(text(html))).not.toBe('yes');
});

test('emoji that are images are text; other images say nothing', () => {
  expect(text('<img alt="👍" src="e.png"><img alt="Example Ltd" src="logo.png">')).toBe('👍');
});

test('what is too long or too deep to be read is marked', () => {
  for (const html of ['<div>'.repeat(50_000), `Yes${' no'.repeat(100_000)}`, `Yes${'<div>'.repeat(500)}no`])
    expect(text(html)).toContain(leftOut);
});
