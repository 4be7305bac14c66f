/**
 * The pages of a signed link: its question, its form and the result, for a person who is not signed in. linked-asks.ts decides what the
 * link opens.
 */
import { definedFields } from '../../../core/defined-fields.js';
import { visibleText } from '../../../tools/approval/visible-text.js';
import type { InboxAsk } from '../../ask-view.js';
import type { LinkCaller, LinkDecision } from '../../linked-asks.js';
import { isByLink } from '../../linked-asks.js';
import { html } from '../../packages.js';
import type { InboxPerson } from '../../person.js';
import type { Detail, PageNotice } from '../detail.js';
import { detailPane } from '../detail.js';
import type { Filled } from '../forms.js';
import { errorsFor, sentAnswer, writtenIn } from '../forms.js';
import { askPath } from '../layout.js';
import { type PageCall, PageReplies } from '../replies.js';
import { reasonIn, refusedNotice, sentBeforeNotice } from '../sent-forms.js';
import { texts } from '../texts.js';

/** A request by a signed link. */
export interface LinkCall extends PageCall {
  readonly caller: LinkCaller;
  readonly token: string;
}

export class LinkPages extends PageReplies {
  /** Answers the person of a link. For every link that is not valid any more the reply is the same. */
  byLink(request: Request, token: string, answer: (call: LinkCall) => Promise<Response>): Promise<Response> {
    return this.guarded(async () => {
      const caller = await this.parts.access.link(token);
      if (caller.type === 'caller' && isByLink(caller))
        return answer({ request, token, url: new URL(request.url), caller, frame: this.frame() });
      return this.#over();
    });
  }

  #over(): Promise<Response> {
    return this.message(404, texts.linkOverTitle, texts.linkOverMore, texts.linkToList);
  }

  #used(): Promise<Response> {
    return this.message(410, texts.linkUsedTitle, texts.linkUsedMore, texts.linkToList);
  }

  /** Shows the question of a link. It changes nothing: programs that look into mails open links, too. */
  async shown(call: LinkCall): Promise<Response> {
    const found = await this.parts.linked.get(call.caller);
    if (found.type === 'shown') return this.#page(call, found.ask, 200);
    return found.type === 'over' && found.why === 'used' ? this.#used() : this.#over();
  }

  #page(
    { caller, frame, token }: LinkCall,
    ask: InboxAsk,
    status: number,
    more: { readonly notice?: PageNotice; readonly filled?: Filled } = {},
  ): Promise<Response> {
    const { person } = caller;
    const instead = html`<h2>${texts.linkShowsOnly}</h2><p>${showsOnlyMore(person)}</p><p><a href="${askPath(this.base, ask.id)}">${texts.signIn}</a></p>`;
    const detail: Detail = {
      base: this.base,
      now: frame.now,
      person,
      ask,
      path: `${this.base}/link/${token}`,
      hidden: (action) => this.hidden(caller, ask, action),
      around: null,
      isAlone: true,
      ...(ask.status === 'pending' && !ask.mayAnswer ? { instead } : {}),
      ...more,
    };
    const content = html`<main id="content" class="scroll alone">${detailPane(detail)}</main>`;
    return this.reply(status, { title: texts.linkTitle, content }, frame);
  }

  async decide(call: LinkCall, action: 'answer' | 'decline'): Promise<Response> {
    const { caller } = call;
    const sent = await this.sent(call, `${action} ${caller.link.askId}`);
    if ('type' in sent) return this.refused(sent);
    const { values, drawn } = sent;
    const found = await this.parts.linked.get(caller);
    const given = action === 'answer' && found.type === 'shown' ? sentAnswer(found.ask, values) : undefined;
    if (given !== undefined && 'errors' in given && found.type === 'shown')
      return this.#page(call, found.ask, 422, { filled: { values, errors: given.errors } });
    // a used link shows nothing any more, but the same form sent again still gets its result
    const answer =
      given !== undefined && 'answer' in given ? given.answer : action === 'decline' ? 'decline' : { text: '' };
    const reason = reasonIn(values);
    const decision = await this.once(caller, `${action} ${caller.link.askId}`, values, (key) =>
      this.parts.linked.decide(caller, answer, { drawn, key, ...definedFields({ reason }) }),
    );
    if (decision.type === 'running') return this.running(`${this.base}/link/${call.token}`);
    if (decision.type === 'other-body') return this.#sentBefore(call, values);
    return this.#decided(call, decision, values);
  }

  /** The question with what was typed, and a new key, while the link shows it. */
  async #sentBefore(call: LinkCall, values: URLSearchParams): Promise<Response> {
    const found = await this.parts.linked.get(call.caller);
    if (found.type !== 'shown') return this.shown(call);
    const notice = sentBeforeNotice(found.mayDecide, writtenIn(found.ask, values));
    return this.#page(call, found.ask, 422, { notice, filled: { values, errors: new Map() } });
  }

  async #decided(call: LinkCall, decision: LinkDecision, values: URLSearchParams): Promise<Response> {
    switch (decision.type) {
      case 'accepted':
      case 'counted':
      case 'received':
        return this.#page(call, { ...decision.ask, mayAnswer: false }, 200, {
          notice: { tone: 'good', title: texts.received, more: texts.linkDecidedMore },
        });
      case 'invalid':
        return this.#page(call, decision.ask, 422, {
          filled: { values, errors: errorsFor(decision.ask, decision.problem) },
        });
      case 'link-used':
        return this.#used();
      case 'link-busy':
        return this.message(409, texts.linkBusyTitle, texts.linkBusyMore);
      case 'link-shows':
        return this.message(403, texts.linkShowsOnly, showsOnlyMore(call.caller.person));
      case 'unknown':
        return this.#over();
      default: {
        const notice = refusedNotice(decision.type, writtenIn(decision.ask, values));
        return this.#page(call, decision.ask, notice.status, { notice });
      }
    }
  }
}

function showsOnlyMore({ name, id }: InboxPerson): string {
  return texts.linkShowsOnlyMore(visibleText(name ?? id));
}
