/**
 * Whom a turn acts for: what it asks is asked for them. That is whoever wrote the message that led to it, whoever has answered
 * questions since then. Their tenant bounds who may answer. Pure functions; who may answer is decided in conversation/may-answer.ts.
 */
import type { Participant } from '../participant.js';
import type { Ask, AskAudience } from './ask.js';

/** Whom a turn acts for. Without an id it is a person that the channel does not know, or a program. */
export interface TurnAsker {
  readonly id: string | undefined;
  readonly tenant: string | undefined;
  readonly locale: string | undefined;
  /** The conversation in which they wrote. */
  readonly conversationId: string;
  /** The turn runs where their ask was put to others: whoever writes there need not be them. */
  readonly isElsewhere: boolean;
  /** The language of those whom the turn asks where it runs, if known. */
  readonly localeHere: string | undefined;
}

/** Whether a participant is of the tenant of an ask. One of an unknown tenant is not. An ask without a tenant looks at none. */
export function isOfTenant({ tenant }: Pick<AskAudience, 'tenant'>, who: Participant | undefined): boolean {
  return tenant === undefined || who?.tenant === tenant;
}

/** Whom a turn acts for that handles a message of `who`, or the end of the ask `decided`. */
export function askerOf(who: Participant | undefined, conversationId: string, decided: Ask | undefined): TurnAsker {
  if (decided === undefined) {
    const { id, tenant, locale } = who ?? {};
    return { id, tenant, locale, conversationId, isElsewhere: false, localeHere: locale };
  }
  const { audience } = decided;
  const { asker, origin } = audience;
  const { locale } = decided.question;
  if (origin === undefined) {
    const own = mayBe(asker, who) ? (who?.locale ?? locale) : locale;
    const tenant = tenantFor(asker, audience, who);
    return { id: asker, tenant, locale: own, conversationId, isElsewhere: false, localeHere: own };
  }
  const { asker: id, locale: own, conversationId: home } = origin;
  const tenant = tenantFor(id, audience, who);
  return { id, tenant, locale: own, conversationId: home, isElsewhere: true, localeHere: who?.locale ?? locale };
}

/** Nobody else's tenant takes the place of theirs. Where nobody is known, the tenant of whoever answered bounds what follows. */
function tenantFor(id: string | undefined, { tenant }: AskAudience, who: Participant | undefined): string | undefined {
  return tenant ?? (mayBe(id, who) ? who?.tenant : undefined);
}

/** Whether somebody is the asker, as far as anybody knows. */
function mayBe(id: string | undefined, who: Participant | undefined): boolean {
  return id === undefined || who?.id === id;
}
