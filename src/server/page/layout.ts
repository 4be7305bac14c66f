/**
 * The frame of every page: head, navigation, the two panes, and the headers that keep a browser from doing more than it should. It knows
 * no question.
 */
import { hash } from 'node:crypto';
import { oneLine } from '../../core/text.js';
import { html, raw } from '../packages.js';
import type { InboxPerson } from '../person.js';
import { has } from '../rights.js';
import { assets } from './assets/assets.js';
import type { Html } from './markup.js';
import { nothing, personName } from './markup.js';
import { texts } from './texts.js';

/** What every page of somebody who is signed in shows. */
export interface PageFrame {
  /** The path under which the inbox is mounted. */
  readonly base: string;
  /** A style sheet of the user's own, if there is one. */
  readonly styles: string | undefined;
  readonly now: number;
  readonly person: InboxPerson | undefined;
  /** Where live updates go on from, and what tells people apart who share a browser. */
  readonly live?: { readonly key: string; readonly after: string };
  /** The form token to sign out with; absent where the application around the inbox signs people out. */
  readonly signOutToken?: string;
}

/** What a page shows beside its frame. */
export interface PageBody {
  readonly title: string;
  /** The entry of the navigation that it belongs to. */
  readonly current?: 'waiting' | 'log' | 'parked' | 'health';
  /** How many wait, as far as this page knows. */
  readonly waiting?: string;
  readonly content: Html;
}

const contentSecurity = (styles: string): string =>
  [
    "default-src 'none'",
    `style-src ${styles}`,
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

/** On every page and every refusal of a page. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurity("'self'"),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'x-robots-tag': 'noindex, nofollow',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** The address of the list. */
export const homeOf = (base: string): string => (base === '' ? '/' : base);

export function askPath(base: string, id: string): string {
  return `${base}/asks/${encodeURIComponent(id)}`;
}

/** A whole page. */
export function page(frame: PageFrame, { title, current, waiting, content }: PageBody): Html {
  const { base, styles, person, live } = frame;
  return html`<!doctype html>
<html lang="en">
<head>
${metadata(texts.titled(title, waiting))}
<link rel="stylesheet" href="${base}/assets/${assets.style.name}">
${styles !== undefined && html`<link rel="stylesheet" href="${styles}">`}
${person !== undefined && html`<script type="module" src="${base}/assets/${assets.script.name}"></script>`}
</head>
<body data-base="${base}" data-texts="${JSON.stringify(texts.script)}"${
    live !== undefined && html` data-key="${live.key}" data-after="${live.after}"`
  }>
<a class="skip" href="#content">${texts.skip}</a>
<header class="top">
<a class="brand" href="${homeOf(base)}">${texts.brand}</a>
${person === undefined ? nothing : navigation(base, person, current, waiting)}
${person === undefined ? nothing : personMenu(frame, person)}
</header>
<p class="status" id="status" role="status" hidden></p>
<div class="unseen" id="announce" aria-live="polite"></div>
${content}
${person === undefined ? nothing : keysDialog()}
</body>
</html>`;
}

function metadata(title: string): Html {
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${oneLine(title)}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 2h12v9H8l-4 3v-3H2z' fill='%231f5fbf'/%3E%3C/svg%3E">`;
}

function navigation(
  base: string,
  person: InboxPerson,
  current: PageBody['current'],
  waiting: string | undefined,
): Html {
  const entry = (name: NonNullable<PageBody['current']>, href: string, count?: string) =>
    html`<a href="${href}"${name === current && html` aria-current="page"`}>${texts[name]}${
      count !== undefined && html` <span class="count" data-count>${count}</span>`
    }</a>`;
  const forOperators = has(person, 'admin')
    ? html`${entry('parked', `${base}/parked`)}${entry('health', `${base}/health`)}`
    : nothing;
  return html`<nav aria-label="${texts.pages}">${entry('waiting', homeOf(base), waiting)}${entry('log', `${base}/log`)}${forOperators}</nav>`;
}

function personMenu({ base, signOutToken }: PageFrame, person: InboxPerson): Html {
  return html`<button class="link" id="show-keys" type="button" hidden>${texts.keys}</button>
<details class="menu"><summary>${personName(person)}</summary><div>
<p>${texts.signedInAs} <b>${personName(person)}</b><br><span class="quiet">${person.id}${person.tenant !== undefined && ` · ${person.tenant}`}</span></p>
${signOutToken !== undefined && html`<form method="post" action="${base}/sign-out"><input type="hidden" name="token" value="${signOutToken}"><button>${texts.signOut}</button></form>`}
</div></details>`;
}

function keysDialog(): Html {
  const rows = texts.keysRows.map(([keys, what]) => html`<dt><kbd>${keys}</kbd></dt><dd>${what}</dd>`);
  return html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">${texts.keysTitle}</h2><dl class="keys">${rows}</dl>
<label class="option"><input type="checkbox" id="keys-on" checked><span>${texts.keysOn}</span></label>
<form method="dialog"><button>${texts.keysClose}</button></form></dialog>`;
}

/** A page with nothing but a message: what happened, and what to do. */
export function message(title: string, more: string | Html, action: Html = nothing): Html {
  return html`<main id="content" class="message"><div class="card"><h1>${title}</h1><p>${more}</p>${action}</div></main>`;
}

/** A page for an address at which nothing else of ours can be loaded: its style is within it. */
export function alonePage(title: string, more: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
${metadata(texts.titled(title))}
<style>${raw(assets.style.text)}</style>
</head>
<body>
<header class="top"><span class="brand">${texts.brand}</span></header>
${message(title, html`${withCode(more)}`)}
</body>
</html>`;
}

/** What stands between backticks is code. */
function withCode(text: string): Html[] {
  return text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

export const alonePageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  'content-security-policy': contentSecurity(`'sha256-${hash('sha256', assets.style.text, 'base64')}'`),
};
