/**
 * Makes an ask of its fields: the one place where its groups are made, for a new ask and for one that is read. Each group has all of its
 * fields, in one order, so that the groups of all asks have one hidden class each (docs/performance.md).
 */
import type { Ask, AskAudience, AskedPart, AskedQuestion, AskOwn, AskPlaces, AskProgress, AskTiming } from './ask.js';

/** What is said of every ask. */
export type AskColumns = Pick<Ask, 'id' | 'agentName'> &
  Pick<AskedQuestion, 'text' | 'name'> &
  Pick<AskOwn, 'context'> &
  Pick<AskAudience, 'asker'> &
  Pick<AskTiming, 'askedAt' | 'expiresAt'> &
  Pick<AskProgress, 'shown' | 'shownIn'> & { readonly place: AskPlaces['own'] };

/** What is usual, or absent, unless it is said. */
export interface OtherFields {
  readonly question: Partial<AskedQuestion & AskedPart>;
  readonly own: Partial<AskOwn>;
  readonly audience: Partial<AskAudience>;
  readonly places: Partial<AskPlaces> & { readonly places?: AskPlaces['further'] };
  readonly timing: Partial<AskTiming>;
  readonly progress: Partial<AskProgress & Pick<Ask, 'status' | 'decision'>>;
}

/** What an ask has unless its other fields say otherwise. */
export const usual = {
  kind: 'text',
  data: {},
  shape: { type: 'text' },
  status: 'pending',
  retries: 0,
  maxRetries: 2,
  answerableBy: 'asker',
} as const;

export function groupedAsk(columns: AskColumns, others: OtherFields, more?: Ask['more']): Ask {
  const { id, agentName, text, name, context, asker, askedAt, expiresAt, shown, shownIn, place: own } = columns;
  const { kind = usual.kind, data = usual.data, shape = usual.shape, maxRetries = usual.maxRetries } = others.question;
  const { prompt, partial, kindVersion, details, sensitive, retryText, locale } = others.question;
  const { run, then, effectKey, onCrash, awaited, unowned, cause, listed } = others.own;
  const { answerableBy = usual.answerableBy, origin, tenant, quorum, excluded, links, mail } = others.audience;
  const { places: further, copies, lost, escalate, inbox } = others.places;
  const { shownAt, remindAfter, remindNotBefore } = others.timing;
  const { status = usual.status, decision, answer, value, retries = usual.retries, refused } = others.progress;
  const { shows, returns, votes, steps, reminded, waitsIn, waitsFrom } = others.progress;
  const part = prompt === undefined && partial === undefined ? undefined : { partial, prompt, shape };
  return {
    id,
    agentName,
    status,
    question: { name, text, kind, kindVersion, data, shape, details, sensitive, maxRetries, retryText, locale },
    own: { context, run, then, effectKey, onCrash, awaited, unowned, cause, listed },
    audience: { answerableBy, asker, origin, tenant, quorum, excluded, links, mail },
    places: { own, further, copies, lost, escalate, inbox },
    timing: { askedAt, expiresAt, shownAt, remindAfter, remindNotBefore },
    progress: {
      answer,
      value,
      part,
      retries,
      refused,
      shows,
      returns,
      votes,
      steps,
      reminded,
      waitsIn,
      waitsFrom,
      shown,
      shownIn,
    },
    decision,
    more,
  };
}
