/**
 * What the person of a signed link sees and does. The link opens its ask for that person if they may answer it, which the engine
 * decides. Reading changes nothing.
 */
import { boolean, checkOptions, milliseconds, type OptionRules, optional } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Participant } from '../core/participant.js';
import type { InboxPort } from '../registry/inbox/inbox-port.js';
import type { Access, Caller } from './access/caller.js';
import { linkRights, longestLink, type OpenLink } from './access/links.js';
import type { GivenAnswer, InboxAsk } from './ask-view.js';
import type { DecisionCall, InboxCalls, InboxDecision } from './calls.js';
import type { InboxPerson } from './person.js';

/** What a link opens. `over`: its ask has ended, or it was used. */
export type LinkedAsk =
  | { readonly type: 'shown'; readonly ask: InboxAsk; readonly mayDecide: boolean }
  | { readonly type: 'over'; readonly why: 'used' | 'ended' }
  | { readonly type: 'unknown' };

/** The result of a decision by a link: that of any decision, or one of the link's own. */
export type LinkDecision =
  | InboxDecision
  /** Another form of the link has decided, or is about to. */
  | { readonly type: 'link-used' | 'link-busy' }
  /** The link only shows: the person has to sign in. */
  | { readonly type: 'link-shows' };

/** How a signed link is made. */
export interface LinkOptions {
  /** In ms from now; at most seven days. Without it the link is valid until the ask expires, for seven days at most. */
  readonly expiresIn?: number;
  /**
   * False makes a link that only shows, even if the ask has `links: 'decide'`.
   *
   * @default true
   */
  readonly decide?: boolean;
}

/** The caller by a link, as `Access.link()` finds them. */
export type LinkCaller = Caller & { readonly link: OpenLink };

const linkRules = {
  expiresIn: optional(milliseconds({ max: longestLink, note: 'seven days at most' })),
  decide: optional(boolean()),
} satisfies OptionRules<LinkOptions>;

export const checkedLinkOptions = (options: LinkOptions): LinkOptions =>
  checkOptions('link()', options, linkRules, '{ expiresIn: 60 * 60_000 }');

export class LinkedAsks {
  readonly #calls: InboxCalls;
  readonly #port: InboxPort;
  readonly #access: Access;

  constructor(calls: InboxCalls, port: InboxPort, access: Access) {
    [this.#calls, this.#port, this.#access] = [calls, port, access];
  }

  /** The token of a new link, for a person who may answer the ask. */
  async create(askId: string, person: Participant, options: LinkOptions): Promise<string> {
    const recorded = await this.#port.find(askId);
    if (recorded === null)
      throw new AgentError('unknown-ask', `link(): there is no ask with the id ${describe(askId)}.`);
    const token = await this.#access.createLink({ ask: recorded.ask, person, ...options });
    const caller = await this.#access.link(token);
    const shown = caller.type === 'caller' && isByLink(caller) ? await this.get(caller) : undefined;
    if (shown?.type === 'shown') return token;
    await this.#access.links.revoke(token);
    throw new AgentError(
      'bad-option',
      `link(): ${describe(person.id)} may not answer ask ${askId}, so the link would show nothing. Make it for somebody who may, with their roles and tenant.`,
    );
  }

  /** The ask of the link, as its person sees it. */
  async get(caller: LinkCaller): Promise<LinkedAsk> {
    const { link } = caller;
    const recorded = await this.#port.find(link.askId);
    const ask = recorded && (await this.#calls.get(answering(caller), link.askId));
    if (recorded === null || ask === null) return { type: 'unknown' };
    const { shows, decides } = linkRights(link, recorded.ask);
    if (!shows) return { type: 'over', why: link.isUsed ? 'used' : 'ended' };
    return { type: 'shown', ask: { ...ask, mayAnswer: ask.mayAnswer && decides }, mayDecide: ask.mayAnswer && decides };
  }

  /**
   * Decides as the person of the link, once. `key` names the attempt: the same form sent again continues where the first was cut off, and
   * gets its result.
   */
  async decide(
    caller: LinkCaller,
    answer: GivenAnswer | 'decline',
    call: DecisionCall & { readonly key: string },
  ): Promise<LinkDecision> {
    const { link } = caller;
    const recorded = await this.#port.find(link.askId);
    if (recorded === null) return { type: 'unknown' };
    if (!link.decides || recorded.ask.audience.links !== 'decide') return { type: 'link-shows' };
    const use = await this.#access.links.begin(link, call.key);
    if (use === 'over') return { type: 'unknown' };
    if (use !== 'yours') return { type: use === 'used' ? 'link-used' : 'link-busy' };
    const person = answering(caller);
    const decided = await (answer === 'decline'
      ? this.#calls.decline(person, link.askId, call)
      : this.#calls.answer(person, link.askId, answer, call));
    // what decided nothing may be corrected and sent again
    if (deciding.has(decided.type)) await this.#access.links.finish(link, call.key);
    else await this.#access.links.release(link, call.key);
    return decided;
  }
}

export function isByLink(caller: Caller): caller is LinkCaller {
  return caller.link !== undefined;
}

/** The right to answer, for the one ask that the link opens. */
function answering({ person }: LinkCaller): InboxPerson {
  return { ...person, scopes: ['answer'] };
}

/** The results that use the link up. */
const deciding: ReadonlySet<InboxDecision['type']> = new Set(['accepted', 'counted', 'received']);
