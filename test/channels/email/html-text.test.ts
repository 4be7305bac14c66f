/** Mails that are only HTML: their text, with what they quote marked as a quote. */
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { htmlText } from '../../../src/channels/email/incoming/html-text.js';
import { newText } from '../../../src/channels/email/incoming/new-text.js';
import { markers, question } from './mails/mail.js';

const asked = question.map((line) => `<div>${line}</div>`).join('');
const attribution = 'On Tue, Nov 17, 2026 at 9:12 AM The shop &lt;replies@shop.example.com&gt; wrote:';

describe('text', () => {
  test.for([
    ['<p>One</p><p>Two</p>', 'One\n\nTwo'],
    ['<div>One</div><div>Two<br>Three</div>', 'One\nTwo\nThree'],
    ['<div>One</div><div><br></div><div>Two</div>', 'One\n\nTwo'],
    ['<p class="MsoNormal">One</p>\r\n<p class="MsoNormal">&nbsp;</p>\r\n<p class="MsoNormal">Two</p>', 'One\n\nTwo'],
    ['<ul><li>a<li>b</ul>', '- a\n- b'],
    ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
    ['a <b>bold</b> <a href="https://example.com/?x=1>2">link</a>', 'a bold link'],
    ['<pre>a\n  b</pre>', 'a\n  b'],
    ['Gr&ouml;&szlig;e &#8364; &#x20AC; &#147;x&#148; &unknown; AT&T', 'Größe € € “x” &unknown; AT&T'],
    ['&lt;b&gt;', '<b>'],
    ['1 < 2 and 3 > 2 <3', '1 < 2 and 3 > 2 <3'],
    ['<head><title>no</title></head><body>Yes</body>', 'Yes'],
    ['<style>no{}</style><SCRIPT>if (a</b) "no"</SCRIPT >Yes', 'Yes'],
    ['<!-- no --><!--[if mso]>no<![endif]--><![if !x]>Yes<![endif]><?xml no?>', 'Yes'],
    ['<div style="display: none">no</div>Yes', 'Yes'],
    ['<img alt="👍"><img alt="Logo">', '👍'],
    ['Yes<!-- never ended', 'Yes'],
    ['Yes<a href="never ended', 'Yes'],
    ['</div></p>Yes</html>', 'Yes'],
  ] as const)('%j', ([html, text]) => {
    expect(htmlText(html)).toBe(text);
  });
});

describe('what is quoted is no answer', () => {
  test.for([
    [
      'Gmail',
      `<div dir="ltr">Yes</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">${attribution}<br></div><blockquote class="gmail_quote" style="margin:0">${asked}</blockquote></div>`,
    ],
    [
      'Gmail with a signature',
      `<div dir="ltr">Yes<div><br></div><span class="gmail_signature_prefix">-- </span><br><div dir="ltr" class="gmail_signature">Anna, no</div></div><div class="gmail_quote"><blockquote>${asked}</blockquote></div>`,
    ],
    [
      'Outlook for Windows',
      `<div class="WordSection1"><p class="MsoNormal">Yes<o:p></o:p></p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p class="MsoNormal"><b>From:</b> The shop</p></div></div>${asked}</div>`,
    ],
    [
      'Outlook on the web',
      `<div>Yes</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>Von:</b> The shop</div>${asked}`,
    ],
    [
      'Outlook on a phone',
      `<div>Yes</div><div class="ms-outlook-mobile-signature">Get Outlook for iOS</div><hr><div id="divRplyFwdMsg">From</div>${asked}`,
    ],
    ['new Outlook on a phone', `<div>Yes</div><div id="mail-editor-reference-message-container">${asked}</div>`],
    [
      'Apple Mail',
      `<body>Yes<br id="lineBreakAtBeginningOfMessage"><div><br><blockquote type="cite"><div>${attribution}</div>${asked}</blockquote></div></body>`,
    ],
    [
      'an iPhone',
      `Yes<br><br><div dir="ltr">Sent from my iPhone</div><div dir="ltr"><br><blockquote type="cite">${attribution}<br></blockquote></div><blockquote type="cite">${asked}</blockquote>`,
    ],
    [
      'Thunderbird, above',
      `<p>Yes</p><div class="moz-cite-prefix">${attribution}</div><blockquote type="cite">${asked}</blockquote>`,
    ],
    [
      'Thunderbird, below',
      `<div class="moz-cite-prefix">${attribution}</div><blockquote type="cite">${asked}</blockquote><p>Yes</p><div class="moz-signature">-- <br>no</div>`,
    ],
    ['Yahoo', `<div>Yes</div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>${attribution}</div>${asked}</div>`],
    [
      'Gmail, between quotes',
      `<div class="gmail_quote"><div class="gmail_attr">${attribution}</div><blockquote class="gmail_quote">${asked}</blockquote><div>Yes</div><blockquote class="gmail_quote">no</blockquote></div>`,
    ],
    ['a quote that is never ended', `<p>Yes</p><p><blockquote>${asked}</p></div>no`],
    ['a quote in a quote', `<p>Yes</p><blockquote><blockquote>${asked}</blockquote>no</blockquote>`],
  ] as const)('%s', async ([, html]) => {
    expect(await newText(htmlText(html), markers)).toBe('Yes');
  });

  test('nothing but a quote says nothing', async () => {
    expect(await newText(htmlText(`<div id="appendonsend"></div>${asked}<div>yes</div>`), markers)).toBe('');
    expect(await newText(htmlText(`<blockquote>${asked}</blockquote>`), markers)).toBe('');
  });
});

describe('what a person wrote is no quote, though its markup is like one', () => {
  const indent = 'style="margin:0 0 0 40px;border:none;padding:0px"';
  test.for([
    ['an indent of Gmail', `<div>Yes</div><blockquote ${indent}><div>but only 50</div></blockquote>`],
    [
      'an indent of Gmail, written by a browser',
      '<div>Yes</div><blockquote style="margin: 0px 0px 0px 40px; border: none; padding: 0px;"><div>but only 50</div></blockquote>',
    ],
    [
      'a line that was drawn in Word',
      '<p class="MsoNormal">Yes</p><div style="mso-element:para-border-div;border:none;border-top:solid windowtext 1.0pt;padding:1.0pt 0cm 0cm 0cm"><p class="MsoNormal" style="border:none;padding:0cm">but only 50</p></div>',
    ],
    [
      'a paragraph with a line in Word',
      '<p class="MsoNormal">Yes</p><p class="MsoNormal" style="border:none;border-top:solid windowtext 1.0pt;padding:0cm">but only 50</p>',
    ],
  ] as const)('%s', async ([, html]) => {
    expect((await newText(htmlText(html), markers)).split(/\n+/)).toEqual(['Yes', 'but only 50']);
  });

  test('in a quote it is quoted, and ends no quote', async () => {
    const html = `<div>Yes</div><div class="gmail_quote"><blockquote ${indent}>a</blockquote>no<blockquote class="gmail_quote">${asked}</blockquote></div>`;
    expect(await newText(htmlText(html), markers)).toBe('Yes');
  });

  test('a divider of Outlook in a colour that is not known yet is one', async () => {
    const style = 'border:none;border-top:solid #123456 1.0pt;padding:3.0pt 0in 0in 0in';
    expect(await newText(htmlText(`<p>Yes</p><div style="${style}"><b>From:</b> The shop</div>no`), markers)).toBe(
      'Yes',
    );
  });
});

test('what nobody sees, or was struck out, is not said', () => {
  const all = [
    '<div style="display: none">yes</div>',
    '<div hidden>yes</div>',
    '<p style="visibility:hidden">yes</p>',
    '<span style="font-size: 0px">yes</span>',
    '<span style="opacity:0">yes</span>',
    '<span style="opacity: 0.0">yes</span>',
    '<span style="font-size:0.0pt">yes</span>',
    '<span style="Display:/**/None !important">yes</span>',
    '<div style="max-height:0;overflow:hidden">yes</div>',
    '<div style="height:0px;width:0px;overflow:hidden">yes</div>',
    '<del>yes</del>',
    '<s>yes</s>',
    '<span style="text-decoration: line-through">yes</span>',
  ];
  for (const html of all) expect(htmlText(`${html}<p>no</p>`)).toBe('no');
});

test.for([
  'font-size: 10px; opacity: 0.9; max-height: 0.5em',
  'fill-opacity:0; --tw-bg-opacity:0; line-height:0',
  'font-size:0.9em',
  'font:10px/1.5 Arial',
  'margin-left:36.0pt;text-indent:-18.0pt',
  'color:white;background:#0078d4',
  'color:#fefefe; clip:auto',
])('what is seen is said: %s', (style) => {
  expect(htmlText(`<p style="${style}">yes</p>`)).toBe('yes');
});

test('pale letters on a ground are seen', () => {
  const on = (ground: string) => `<table ${ground}><tr><td><font color="white">yes</font></td></tr></table>`;
  expect(htmlText(on('bgcolor="#004488"'))).toBe('yes');
  expect(htmlText(on('style="background-color:navy"'))).toBe('yes');
  expect(htmlText(on('bgcolor="#FFFFFF"'))).toBe('[hidden text]');
  expect(htmlText(on(''))).toBe('[hidden text]');
});

test.for([
  'font-size:1px',
  'font: 0/0 a',
  'opacity:0.01',
  'height:0',
  'width: 0px',
  'max-height:0',
  'color:transparent',
  'color: #FFF',
  'color:rgb(255, 255, 255)',
  'color:rgba(0,0,0,0)',
  '-webkit-text-fill-color:white',
  'position:absolute;left:-9999px',
  'text-indent:-999em',
  'clip: rect(0 0 0 0)',
  'clip-path:inset(50%)',
  'display:none;display:block',
])('what may be hidden is neither said nor left out: %s', (style) => {
  expect(htmlText(`<p>Yes</p><p style="${style}">but only 50</p>`)).toBe('Yes\n\n[hidden text]');
});

describe('what a style sheet may hide is neither taken for what somebody said nor left out', () => {
  const sheet = '<style><!-- .x, p.y { color: red; display : none } --></style>';
  test.for([
    [`${sheet}<p class="x">yes</p>`, '[hidden text]'],
    [`<p>Yes</p><div class="a y"><p>but only</p><p>50</p></div>${sheet}`, 'Yes\n\n[hidden text]'],
    [`${sheet}<p>Yes</p><p class="x"> <br></p>`, 'Yes'],
    [`${sheet}<p>Yes</p><blockquote><p class="x">no</p></blockquote>`, 'Yes\n\n> [hidden text]\n>'],
    [
      '<style>@media print { #z { visibility:hidden } } .b{}</style><p id="z">a</p><p class="b">c</p>',
      '[hidden text]\n\nc',
    ],
    ['<style>div > span{/* } */display:none}</style><p>a <span>b</span></p>', 'a [hidden text]'],
    ['<style>p:not(.x){display:none}</style><p>a</p>', '[hidden text]'],
    ['<style>[class=x]{font-size:0}</style><p>a</p>', '[hidden text]'],
    [
      '<style>@list l0:level1{text-decoration:line-through}.b{opacity:0.8;font-size:0.9em}</style><p class="b">a</p>',
      'a',
    ],
    ['<style>.x{display:none', ''],
    ['<style>p.MsoNormal{margin:0}:root{color-scheme:light dark}</style><p class="MsoNormal">a</p>', 'a'],
  ] as const)('%j', ([html, text]) => {
    expect(htmlText(html)).toBe(text);
  });
});

const pieces = [
  '<style>',
  '</style>',
  '.a{display:none}',
  '<',
  '>',
  '</',
  '<!--',
  '-->',
  '"',
  "'",
  '=',
  ' ',
  '<div',
  '<blockquote>',
  '</blockquote>',
  '<script>',
  '</script>',
  'a',
  '<pre>',
  '\n',
];
property.prop([fc.array(fc.constantFrom(...pieces), { maxLength: 100 })])('no tag is left of any HTML', (all) => {
  expect(htmlText(all.join(''))).not.toMatch(/<[a-z!/][^<]*>/i);
});
