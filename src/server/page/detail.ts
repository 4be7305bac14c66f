/**
 * One question: what the program guarantees, apart from what people and models wrote; the conversation around it; the form, or what became
 * of it.
 */
import type { HistoryItem } from '../../core/conversation/history.js';
import type { InboxAsk } from '../ask-view.js';
import { html } from '../packages.js';
import type { InboxPerson } from '../person.js';
import { operates } from '../rights.js';
import type { Filled, HiddenFields } from './forms.js';
import { answerControls, formStart, labelled } from './forms.js';
import { homeOf } from './layout.js';
import { unreadableNote, yesVotes } from './list.js';
import type { Html } from './markup.js';
import { agentTitle, exact, exactValue, nothing, personName, prose, timeLeft } from './markup.js';
import { texts } from './texts.js';

/** A sentence above the question: what happened to what the person just did. */
export interface PageNotice {
  readonly tone: 'good' | 'bad';
  readonly title: string;
  readonly more: string;
  /** What they had written, so that it is not lost. */
  readonly written?: readonly string[];
}

/** The conversation around a question, as far as the person sees it. */
export interface Around {
  readonly items: readonly HistoryItem[];
  /** Where earlier items are, if there are any. */
  readonly earlier?: string;
  readonly unreadable?: number;
}

export interface Detail {
  readonly base: string;
  readonly now: number;
  readonly person: InboxPerson;
  readonly ask: InboxAsk;
  /** Where the forms are sent to, without the action. */
  readonly path: string;
  /** The hidden fields of a form that is sent to this action. */
  readonly hidden: (action: string) => HiddenFields;
  /** Null where the person does not see the conversation. */
  readonly around: Around | null;
  readonly filled?: Filled;
  readonly notice?: PageNotice;
  /** The next question that waits for this person. */
  readonly next?: { readonly href: string; readonly question: string };
  /** What stands in place of the form where the person cannot answer here. */
  readonly instead?: Html;
  /** The person came by a link: there is no list to go back to, and nothing else to do than to answer. */
  readonly isAlone?: true;
  /** What was sent to hand it over, and why that was not taken. */
  readonly handOver?: { readonly to: string; readonly reason?: string; readonly problem: string };
  /** What follows from the decision has failed. */
  readonly isParked?: boolean;
}

export function detailPane(detail: Detail): Html {
  const { base, now } = detail;
  const ask = withAskerName(detail);
  const isOpen = isAnswerable(ask, now);
  return html`<article class="detail" id="ask" data-id="${ask.id}" data-status="${ask.status}" data-digest="${ask.digest}"${isOpen && html` data-open`}>
${detail.isAlone !== true && html`<p class="back"><a href="${homeOf(base)}">← ${texts.back}</a></p>`}
${detail.notice === undefined ? nothing : noticeBox(detail.notice)}
${detail.filled === undefined || detail.filled.errors.size === 0 ? nothing : errorSummary(ask, detail.filled)}
<header><h1>${prose(ask.question)}</h1>${subtitle(ask, now)}</header>
<div id="outcome">${ask.status === 'pending' ? nothing : outcome(ask)}${detail.isParked === true && parkedBox()}</div>
${detail.next !== undefined && ask.status !== 'pending' && nextLink(detail.next)}
${facts(ask)}
${ask.steps === undefined ? nothing : stepList(ask.steps)}
${conversation(detail)}
${ask.status === 'pending' ? answering(detail) : nothing}
${detail.next !== undefined && ask.status === 'pending' && nextLink(detail.next)}
${ask.status === 'pending' ? otherForms(detail) : nothing}
</article>`;
}

/** In place of a question that the person has handed over and does not see any more. */
export function handedOverPane({ base, notice, next }: Pick<Detail, 'base' | 'next'> & { notice: PageNotice }): Html {
  return html`<article class="detail"><p class="back"><a href="${homeOf(base)}">← ${texts.back}</a></p>
<h1>${notice.title}</h1><p role="status">${notice.more}</p>${next !== undefined && nextLink(next)}</article>`;
}

/** Only the conversation has the name of whom it is asked for, so it is known to those who see that. */
function withAskerName({ ask, around }: Detail): InboxAsk {
  const { asker } = ask;
  if (asker === undefined || around === null) return ask;
  const said = around.items.flatMap((item) => (item.type === 'in' && item.participant ? [item.participant] : []));
  const name = said.findLast(({ id }) => id === asker.id)?.name;
  return name === undefined ? ask : { ...ask, asker: { ...asker, name } };
}

const isAnswerable = ({ status, mayAnswer, expiresAt }: InboxAsk, now: number): boolean =>
  status === 'pending' && mayAnswer && (expiresAt === undefined || now < Date.parse(expiresAt));

export function noticeBox({ tone, title, more, written = [] }: PageNotice): Html {
  const kept = written.map((text) => html`<blockquote>${prose(text)}</blockquote>`);
  return html`<div class="notice ${tone}" role="status" tabindex="-1" autofocus><h2>${title}</h2><p>${more}</p>${
    kept.length > 0 && html`<h3>${texts.youTyped}</h3>${kept}`
  }</div>`;
}

/** Errors get a summary with the focus, and stand beside their fields, too. */
function errorSummary(ask: InboxAsk, { errors }: Filled): Html {
  const lines = [...errors].map(
    ([name, problem]) => html`<li><a href="#${name}">${prose(labelled(ask, name, problem))}</a></li>`,
  );
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus><h2>${texts.problemTitle}</h2><ul>${lines}</ul></div>`;
}

function subtitle({ agentName, asker, channelName, askedAt, expiresAt, status }: InboxAsk, now: number): Html {
  const left =
    expiresAt === undefined || status !== 'pending'
      ? nothing
      : html`<span class="expires"><span data-prefix>${Date.parse(expiresAt) > now && `${texts.expiresIn} `}</span>${timeLeft({ askedAt, expiresAt }, now)}</span>`;
  return html`<p class="subtitle"><span>${texts.askedBy} <b>${agentTitle(agentName)}</b>${asker !== undefined && html` ${texts.forWhom} ${personName(asker)}`} · ${channelName} · ${exact(askedAt)}</span>${left}</p>`;
}

/** What the program knows for certain: it was not written by a model, or is shown character by character. */
function facts(ask: InboxAsk): Html {
  const { details = {}, agentName, tool, asker, tenant, expiresAt } = ask;
  const fact = (name: Html | string, value: Html | string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const own = Object.entries(details).map(([name, value]) => fact(exactValue(name), exactValue(value)));
  const isNamed = tool !== undefined && Object.values(details).includes(tool);
  return html`<section class="facts" aria-label="${texts.guaranteed}"><h2>${texts.guaranteed}</h2>
${own.length > 0 && html`<dl class="own">${own}</dl>`}
<dl class="about">${fact(texts.agentFact, agentTitle(agentName))}${tool !== undefined && !isNamed && fact(texts.toolFact, exactValue(tool))}${
    asker !== undefined && fact(texts.forFact, exactValue(asker.id))
  }${tenant !== undefined && fact(texts.tenantFact, tenant)}${fact(texts.mayAnswerFact, answerers(ask))}${
    expiresAt !== undefined && fact(texts.expiresFact, exact(expiresAt))
  }</dl>
${own.length > 0 && html`<details><summary>${texts.exactText}</summary><p class="quiet">${texts.exactTextMore}</p><pre>${inAscii(details)}</pre></details>`}
${ask.context !== undefined && Object.keys(ask.context).length > 0 && html`<details><summary>${texts.context}</summary><pre>${inAscii(ask.context)}</pre></details>`}
</section>`;
}

/** To whom it went on its way. */
function stepList(steps: NonNullable<InboxAsk['steps']>): Html {
  const lines = steps.map(({ type, at, channel, by, to, reason, why }) => {
    const said =
      type === 'escalated'
        ? html`${texts.escalatedTo} <b>${channel}</b>${why !== undefined && html` (${texts.reachedNobody})`}`
        : html`<b>${by !== undefined && personName(by)}</b> ${texts.handedTo} <b>${to !== undefined && personName(to)}</b>${reason !== undefined && html`: ${prose(reason)}`}`;
    return html`<li>${said} · <span class="at">${exact(at)}</span></li>`;
  });
  return html`<section class="steps" aria-label="${texts.steps}"><h2>${texts.steps}</h2><ol>${lines}</ol></section>`;
}

function answerers({ answerableBy }: InboxAsk): Html | string {
  if (answerableBy === 'anyone') return texts.anyone;
  if (answerableBy === 'asker') return texts.asker;
  if ('roles' in answerableBy) return texts.byRoles(answerableBy.roles);
  return 'policy' in answerableBy ? texts.byPolicy(answerableBy.policy) : answerableBy.join(', ');
}

function inAscii(value: object): string {
  const code = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, 2).replace(/[^\n -~]/g, code);
}

// --- answering ---

function answering(detail: Detail): Html {
  const { ask, person, filled, instead, now } = detail;
  const own = ask.votes?.find(({ by }) => by.id === person.id);
  if (instead !== undefined) return html`<section class="answer">${instead}</section>`;
  if (own !== undefined)
    return html`<section class="answer voted"><h2>${texts.youVoted(own.value)} · ${exact(own.at)}</h2><p>${texts.waitsForMore(missingVotes(ask))}</p></section>`;
  if (ask.expiresAt !== undefined && Date.parse(ask.expiresAt) <= now)
    return html`<section class="answer"><h2>${texts.lateTitle}</h2></section>`;
  if (!ask.mayAnswer)
    return html`<section class="answer"><h2>${texts.lookOnly}</h2><p>${texts.lookOnlyMore}</p></section>`;
  return html`<section class="answer" id="decision" aria-label="${texts.yourAnswer}"><form method="post" action="${detail.path}/answer" autocomplete="off">${formStart(detail.hidden('answer'))}
<p class="as">${texts.decideAs} <b>${personName(person)}</b>. ${ask.quorum === undefined ? texts.final : html`<span data-votes>${texts.votesSoFar(yesVotes(ask), ask.quorum)}</span>. ${texts.countsFinal}`}</p>
${answerControls(ask, filled)}</form></section>`;
}

function missingVotes(ask: InboxAsk): number {
  return Math.max(1, (ask.quorum ?? 1) - yesVotes(ask));
}

/** Rare and quiet: below everything else, each behind a click. */
function otherForms(detail: Detail): Html {
  const { ask, person } = detail;
  const form = (action: string, title: string, more: string, button: string) =>
    html`<details class="other"><summary>${title}</summary><form method="post" action="${detail.path}/${action}">${formStart(detail.hidden(action))}
<p>${more}</p><label for="${action}-reason">${texts.reason} <span class="quiet">(${texts.optional})</span></label><textarea id="${action}-reason" name="reason" rows="2" maxlength="1000"></textarea><button class="refuse">${button}</button></form></details>`;
  const declines = ask.mayAnswer && detail.instead === undefined;
  return html`${declines && detail.isAlone !== true && handOverForm(detail)}${declines && form('decline', texts.decline, texts.declineMore, texts.declineButton)}${
    operates(person, ask.tenant) && form('cancel', texts.cancel, texts.cancelMore, texts.cancelButton)
  }`;
}

function handOverForm({ path, hidden, handOver }: Detail): Html {
  const { to = '', reason = '', problem } = handOver ?? {};
  return html`<details class="other"${problem !== undefined && html` open`}><summary>${texts.handOver}</summary><form method="post" action="${path}/hand-over" autocomplete="off">${formStart(hidden('hand-over'))}
${problem !== undefined && html`<p class="error" id="hand-over-problem" role="alert">${problem}</p>`}<p>${texts.handOverMore}</p><label for="hand-over-to">${texts.handOverTo}</label><input id="hand-over-to" name="to" required maxlength="512" spellcheck="false" value="${to}"${problem !== undefined && html` aria-invalid="true" aria-describedby="hand-over-problem" autofocus`}><label for="hand-over-reason">${texts.reason} <span class="quiet">(${texts.optional})</span></label><textarea id="hand-over-reason" name="reason" rows="2" maxlength="1000">${reason}</textarea><button>${texts.handOverButton}</button></form></details>`;
}

// --- what became of it ---

function outcome(ask: InboxAsk): Html {
  const { status, decidedBy, decidedAt, decidedVia, votes = [], reason } = ask;
  const cast = votes.map(({ by, at, value }) => html`<li>${personName(by)}: ${texts.vote(value)} · ${exact(at)}</li>`);
  return html`<section class="outcome ${status}"><h2>${texts.outcomes[status]}${status === 'answered' && html`: ${answerText(ask)}`}</h2>
<p>${texts.outcomesMore[status]}${reason !== undefined && html` ${prose(reason)}`}</p>
<p>${decidedBy !== undefined && html`${texts.by} <b>${personName(decidedBy)}</b> · `}${decidedAt !== undefined && exact(decidedAt)}${decidedVia !== undefined && html` · ${texts.on} ${decidedVia}`}</p>
${cast.length > 0 && html`<ul>${cast}</ul>`}</section>`;
}

function parkedBox(): Html {
  return html`<section class="outcome expired"><h2>${texts.parkedTitle}</h2><p>${texts.parkedMore}</p></section>`;
}

/** What was decided, in the words of the options. */
export function answerText(ask: InboxAsk): Html | string {
  const { answer, value, shape, sensitive } = ask;
  if (sensitive === true) return texts.hidden;
  const labels = new Map(shape.type === 'choices' ? shape.choices.map(({ id, label }) => [id, label]) : []);
  const said = value ?? answer;
  if (typeof said === 'boolean') return prose(labels.get(said ? 'yes' : 'no') ?? String(said));
  if (typeof said === 'string') return prose(labels.get(said) ?? said);
  if (Array.isArray(said)) return prose(said.map((each) => labels.get(String(each)) ?? String(each)).join(', '));
  if (said === undefined || said === null) return '';
  if (typeof said !== 'object') return String(said);
  return html`<dl class="own">${Object.entries(said).map(([name, each]) => html`<div><dt>${name}</dt><dd>${prose(typeof each === 'string' ? each : JSON.stringify(each))}</dd></div>`)}</dl>`;
}

function nextLink({ href, question }: NonNullable<Detail['next']>): Html {
  return html`<p class="next"><a id="next" href="${href}">${texts.next}: ${prose(question)}</a></p>`;
}

// --- the conversation ---

function conversation({ around, ask }: Detail): Html {
  if (around === null) return nothing;
  const items = around.items.map((item) => line(item, ask)).filter((each) => each !== nothing);
  return html`<section class="conversation" aria-label="${texts.conversation}"><h2>${texts.conversation}</h2><p class="quiet">${texts.conversationMore}</p>
${unreadableNote(around.unreadable, texts.unreadableItems)}${around.earlier !== undefined && html`<p><a href="${around.earlier}">${texts.earlier}</a></p>`}
${items.length === 0 ? html`<p class="quiet">${texts.noConversation}</p>` : html`<ol>${items}</ol>`}</section>`;
}

function line(item: HistoryItem, ask: InboxAsk): Html {
  const at = exact(new Date(item.at).toISOString());
  const said = (kind: string, who: Html | string, what: Html) =>
    html`<li class="${kind}"><span class="who">${who}</span><span class="what">${what}</span><span class="at">${at}</span></li>`;
  if (item.type === 'out') return said('out', agentTitle(ask.agentName), prose(item.text));
  if (item.type === 'note') return nothing;
  if (item.type === 'decision') {
    const who = item.by === undefined ? nothing : html`${texts.by} ${personName(item.by)}`;
    return html`<li class="decision"><span>${texts.outcomes[item.status]} ${who}</span><span class="at">${at}</span></li>`;
  }
  const who = item.participant === undefined ? texts.someone : personName(item.participant);
  return said('in', who, prose(item.control ? texts.chose(controlText(item.text)) : item.text));
}

/** What a control gave: an option as it is, the values of a form by their names. */
function controlText(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const values = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return values
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join('\n');
  } catch {
    return text; // an option whose id looks like that
  }
}
