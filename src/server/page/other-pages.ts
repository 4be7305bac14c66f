/**
 * The pages beside the list and the question: the log, parked work, signing in, and what went wrong.
 */
import type { AskStatus } from '../../core/ask/ask.js';
import type { ParkedPage, ParkedWork } from '../../registry/calls/lookup.js';
import type { InboxAsk } from '../ask-view.js';
import type { InboxPage } from '../calls.js';
import { html } from '../packages.js';
import type { PageNotice } from './detail.js';
import { answerText, noticeBox } from './detail.js';
import type { HiddenFields } from './forms.js';
import { formStart } from './forms.js';
import { askPath, homeOf, message } from './layout.js';
import { unreadableNote } from './list.js';
import type { Html } from './markup.js';
import { agentTitle, exact, nothing, personName, prose, shortText } from './markup.js';
import { texts } from './texts.js';

export const endings = [
  'answered',
  'declined',
  'exhausted',
  'expired',
  'cancelled',
] as const satisfies readonly AskStatus[];

/** What was decided, the latest first. */
export function logPage(
  base: string,
  { asks, cursor, unreadable }: InboxPage,
  { status, isFirst }: { readonly status: string | undefined; readonly isFirst: boolean },
): Html {
  const path = (parameters: Record<string, string>) => `${base}/log?${new URLSearchParams(parameters)}`;
  const filter = status === undefined ? {} : { status };
  const endingOptions = endings.map(
    (each) => html`<option value="${each}"${each === status && html` selected`}>${texts.outcomes[each]}</option>`,
  );
  const rows = asks.map((ask) => logRow(base, ask));
  const table = html`<div class="table"><table><thead><tr><th>${texts.question}</th><th>${texts.outcome}</th><th>${texts.who}</th><th>${texts.when}</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  const empty =
    unreadable === undefined &&
    html`<div class="empty card"><h2>${cursor === undefined ? texts.nothingLogged : texts.shortPage}</h2></div>`;
  return html`<main id="content" class="scroll"><div class="wide-page"><h1>${texts.logTitle}</h1><p class="quiet">${texts.logMore}</p>
<form class="bar" method="get" action="${base}/log"><label class="unseen" for="status-filter">${texts.outcome}</label><select id="status-filter" name="status"><option value="">${texts.anyOutcome}</option>${endingOptions}</select><button>${texts.filter}</button></form>
${unreadableNote(unreadable)}${rows.length === 0 ? empty : table}
<p class="paging">${!isFirst && html`<a href="${path(filter)}">${texts.firstPage}</a>`}${cursor !== undefined && html`<a rel="next" href="${path({ ...filter, cursor })}">${texts.older}</a>`}</p></div></main>`;
}

function logRow(base: string, ask: InboxAsk): Html {
  const { id, question, status, agentName, decidedBy, decidedAt } = ask;
  return html`<tr><td><a href="${askPath(base, id)}">${shortText(question)}</a><br><span class="quiet">${agentTitle(agentName)}</span></td><td>${
    status === 'answered' ? answerText(ask) : texts.outcomes[status]
  }</td><td>${decidedBy === undefined ? '–' : personName(decidedBy)}</td><td>${decidedAt !== undefined && exact(decidedAt)}</td></tr>`;
}

/** A form of parked work that was not taken: why, and what was typed. */
export interface UnsentParked {
  readonly id: string;
  readonly reason: string | undefined;
  readonly notice: PageNotice;
}

/** Parked work, with what an operator can do about it. */
export function parkedPage(
  base: string,
  { items, cursor, unreadable }: ParkedPage,
  hidden: (action: string, id: string) => HiddenFields,
  unsent?: UnsentParked,
): Html {
  const cards = items.map((work) => parkedCard(base, work, hidden, unsent?.id === work.id ? unsent.reason : undefined));
  const empty = html`<div class="empty card"><h2>${texts.nothingParked}</h2><p>${texts.nothingParkedMore}</p></div>`;
  const next =
    cursor !== undefined &&
    html`<p class="paging"><a rel="next" href="${base}/parked?${new URLSearchParams({ cursor })}">${texts.older}</a></p>`;
  return html`<main id="content" class="scroll"><div class="wide-page"><h1>${texts.parkedPage}</h1><p class="quiet">${texts.parkedPageMore}</p>${unsent !== undefined && noticeBox(unsent.notice)}
${unreadableNote(unreadable, texts.unreadableParked)}${cards.length === 0 && cursor === undefined && unreadable === undefined ? empty : html`<div class="cards">${cards}</div>`}${next}</div></main>`;
}

function parkedCard(
  base: string,
  work: ParkedWork,
  hidden: (action: string, id: string) => HiddenFields,
  reason: string | undefined,
): Html {
  const { id, askId, question, agentName, text, failure, attempts, at } = work;
  const path = `${base}/parked/${encodeURIComponent(id)}`;
  const title = shortText(question ?? text ?? id);
  return html`<article class="card"><h2>${askId === undefined ? title : html`<a href="${askPath(base, askId)}">${title}</a>`}</h2>
<p class="quiet">${agentName !== undefined && html`${agentTitle(agentName)} · `}${texts.attempts(attempts)} · ${exact(at.toISOString())}</p>
${question !== undefined && text !== undefined && html`<blockquote>${prose(text)}</blockquote>`}
<p class="error">${prose(failure.message)} <code>${failure.code}</code></p>
<div class="actions"><form method="post" action="${path}/retry">${formStart(hidden('retry', id))}<button>${texts.retry}</button></form>
<details class="other"${reason !== undefined && html` open`}><summary>${texts.close}</summary><form method="post" action="${path}/close">${formStart(hidden('close', id))}<p>${texts.closeMore}</p>
<label for="reason-${id}">${texts.closeReason}</label><textarea id="reason-${id}" name="reason" rows="2" maxlength="1000" required>${reason ?? ''}</textarea><button class="refuse">${texts.close}</button></form></details></div></article>`;
}

/** The form to sign in with. A token in the address is filled in and changes nothing. */
export function signInPage(
  base: string,
  { token, next, problem }: { readonly token?: string; readonly next: string; readonly problem?: string },
): Html {
  const isOut = next !== homeOf(base);
  const error =
    problem === undefined ? nothing : html`<span class="error" id="token-error" role="alert">${problem}</span>`;
  const form = html`<form method="post" action="${base}/sign-in"><input type="hidden" name="next" value="${next}">
<label for="token">${texts.token}</label>${error}<input id="token" name="token" type="password" autocomplete="off" required value="${token ?? ''}"${
    problem !== undefined && html` aria-describedby="token-error" aria-invalid="true"`
  }>
<button class="send">${texts.signIn}</button></form>`;
  const title = isOut ? texts.signedOut : texts.signInTitle;
  return message(title, isOut ? `${texts.signedOutMore} ${texts.signInMore}` : texts.signInMore, form);
}

/** For whoever the application around the inbox does not know. `where` is the address at which it signs people in, `isInVain`: they were there. */
export function signedOutPage(
  base: string,
  {
    where,
    next,
    isInVain = false,
  }: { readonly where: string | undefined; readonly next: string; readonly isInVain?: boolean },
): Html {
  const more = isInVain ? texts.signInInVain : texts.signedOutMore;
  if (where !== undefined) return message(texts.signedOut, more, html`<p><a href="${where}">${texts.signIn}</a></p>`);
  const byToken = html`<p class="quiet"><a href="${base}/sign-in?${new URLSearchParams({ next })}">${texts.signInByToken}</a></p>`;
  return message(texts.signedOut, texts.signInElsewhere, byToken);
}

export function toListLink(base: string, text: string): Html {
  return html`<p><a href="${homeOf(base)}">${text}</a></p>`;
}
