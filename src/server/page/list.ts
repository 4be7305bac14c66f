/**
 * The list of what waits: its filter, its rows and its empty states. What is in the list is decided by the calls.
 */
import type { InboxAsk } from '../ask-view.js';
import type { InboxPage } from '../calls.js';
import { html } from '../packages.js';
import { askPath, homeOf } from './layout.js';
import type { Html } from './markup.js';
import { agentTitle, ago, nothing, personName, shortText, timeLeft } from './markup.js';
import { texts } from './texts.js';

/** What is asked for in the address of the list. */
export interface ListQuery {
  readonly agent?: string;
  readonly channel?: string;
  readonly older?: keyof typeof texts.ages;
  readonly search?: string;
  readonly mine?: true;
  readonly cursor?: string;
}

const hour = 3_600_000;
export const agesInMs = { hour, day: 24 * hour, week: 7 * 24 * hour } as const;

const filters = ['agent', 'channel', 'older', 'search', 'mine'] as const;

/** What the address says; what it says wrongly is left out. */
export function listQueryOf(parameters: URLSearchParams): ListQuery {
  const given = (name: string): string | undefined => parameters.get(name)?.trim().slice(0, 500) || undefined;
  const older = given('older');
  return Object.fromEntries(
    Object.entries({
      agent: given('agent'),
      channel: given('channel'),
      older: older !== undefined && Object.hasOwn(agesInMs, older) ? older : undefined,
      search: given('search'),
      mine: given('mine') === undefined ? undefined : true,
      cursor: parameters.get('cursor') || undefined,
    }).filter(([, value]) => value !== undefined),
  );
}

/** The same as a query string, so that a question opened from the list keeps the list beside it. */
export function queryString(query: ListQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, value === true ? '1' : String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

const isFiltered = (query: ListQuery): boolean => filters.some((name) => query[name] !== undefined);

/** How many wait, for the navigation: exact on a short list of which each question can be shown. */
export function countOf({ asks, cursor, unreadable }: InboxPage, query: ListQuery): string | undefined {
  if (isFiltered(query) || query.cursor !== undefined) return undefined;
  return cursor === undefined && unreadable === undefined ? `${asks.length}` : `${asks.length}+`;
}

interface ListPane {
  readonly base: string;
  readonly now: number;
  readonly query: ListQuery;
  readonly found: InboxPage;
  /** The question that is open beside it. */
  readonly current?: string;
  /** The person also sees what others answer. */
  readonly readsAll: boolean;
}

export function listPane(pane: ListPane): Html {
  const { base, query, found, current } = pane;
  const rows = found.asks.map((ask) => row(ask, pane));
  const isMain = current === undefined;
  const title = isMain
    ? html`<h1 class="unseen">${texts.listTitle}</h1>`
    : html`<h2 class="unseen">${texts.listTitle}</h2>`;
  return html`<section class="list" id="list" aria-label="${texts.listTitle}">${title}
${filterForm(pane)}
<button class="pill" id="pill" type="button" hidden></button>
<ol class="rows" id="rows">${rows}</ol>
${unreadableNote(found.unreadable)}
${rows.length === 0 && found.unreadable === undefined ? emptyList(base, query, found) : nothing}
${paging(base, query, found)}
</section>`;
}

function row(ask: InboxAsk, { base, now, query, current }: ListPane): Html {
  const { id, question, agentName, channelName, asker, quorum, expiresAt, mayAnswer, askedAt } = ask;
  const votes = quorum === undefined ? '' : ` · ${texts.votes(yesVotes(ask), quorum)}`;
  const time =
    expiresAt === undefined ? nothing : html`<span class="deadline">${timeLeft({ askedAt, expiresAt }, now)}</span>`;
  return html`<li data-id="${id}"><a href="${askPath(base, id)}${queryString(query)}"${id === current && html` aria-current="true"`}>
<span class="dot"></span><span class="q">${shortText(question)}</span><span class="age">${ago(askedAt, now)}</span>
<span class="meta">${agentTitle(agentName)} · ${channelName}${asker !== undefined && html` · ${personName(asker)}`}${votes}${!mayAnswer && ` · ${texts.onlyLook}`}</span>${time}</a></li>`;
}

export function yesVotes({ votes = [] }: Pick<InboxAsk, 'votes'>): number {
  return votes.filter(({ value }) => value).length;
}

function filterForm({ base, query, found, readsAll }: ListPane): Html {
  const suggestions = (name: 'agentName' | 'channelName', id: string) =>
    html`<datalist id="${id}">${[...new Set(found.asks.map((ask) => ask[name]))].map((value) => html`<option value="${value}">${name === 'agentName' && agentTitle(value)}</option>`)}</datalist>`;
  const { agent, channel, older } = query;
  const isOpen = agent !== undefined || channel !== undefined || older !== undefined || query.mine;
  const ages = Object.entries(texts.ages).map(
    ([value, label]) => html`<option value="${value}"${value === older && html` selected`}>${label}</option>`,
  );
  return html`<form class="filter" method="get" action="${homeOf(base)}" role="search">
<label class="unseen" for="search">${texts.search}</label>
<input id="search" type="search" name="search" placeholder="${texts.searchHint}" value="${query.search ?? ''}">
<details${isOpen && html` open`}><summary>${texts.filter}</summary><div class="filters">
<label>${texts.agent} <input name="agent" list="agents" value="${agent ?? ''}">${suggestions('agentName', 'agents')}</label>
<label>${texts.channel} <input name="channel" list="channels" value="${channel ?? ''}">${suggestions('channelName', 'channels')}</label>
<label>${texts.olderThan} <select name="older"><option value="">${texts.anyAge}</option>${ages}</select></label>
${readsAll && html`<label class="option"><input type="checkbox" name="mine" value="1"${query.mine && html` checked`}><span>${texts.mine}</span></label>`}
<button>${texts.filter}</button>${isFiltered(query) && html` <a href="${homeOf(base)}">${texts.clearFilter}</a>`}
</div></details></form>`;
}

/** Says how many questions are missing in a list because their records cannot be read. */
export function unreadableNote(count: number | undefined, text = texts.unreadable): Html {
  return count === undefined ? nothing : html`<p class="notice bad">${text(count)}</p>`;
}

function emptyList(base: string, query: ListQuery, { cursor }: InboxPage): Html {
  const all = html`<a href="${homeOf(base)}">${texts.clearFilter}</a>`;
  if (cursor !== undefined) return html`<div class="empty"><p>${texts.shortPage}</p></div>`;
  if (isFiltered(query) || query.cursor !== undefined)
    return html`<div class="empty"><h2>${texts.nothingMatches}</h2><p>${texts.nothingMatchesMore}</p><p>${all}</p></div>`;
  return html`<div class="empty"><svg aria-hidden="true" viewBox="0 0 24 24" width="40" height="40"><path d="M4 12l5 5L20 6" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg><h2>${texts.nothingWaiting}</h2><p>${texts.nothingWaitingMore}</p></div>`;
}

function paging(base: string, query: ListQuery, { cursor }: InboxPage): Html {
  const { cursor: from, ...others } = query;
  const first =
    from === undefined ? nothing : html`<a href="${homeOf(base)}${queryString(others)}">${texts.firstPage}</a>`;
  const next =
    cursor === undefined
      ? nothing
      : html`<a rel="next" href="${homeOf(base)}${queryString({ ...others, cursor })}">${texts.older}</a>`;
  return from === undefined && cursor === undefined ? nothing : html`<p class="paging">${first}${next}</p>`;
}
