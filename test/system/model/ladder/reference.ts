/**
 * The reference model of questions in several places: who may answer, how many copies are shown where, which steps are taken, and the
 * one decision. Plain data; no store, no clock, no channel. One command is over before the next begins.
 */
export interface Colleague {
  readonly id: string;
  readonly tenant: string;
  readonly roles: readonly string[];
}
const ann: Colleague = { id: 'p:ann', tenant: 'north', roles: [] };
/** As `identify` knows them. Ann has two accounts. No channel knows where Ike can be reached. */
export const colleagues = {
  ann,
  ann2: ann,
  bob: { id: 'p:bob', tenant: 'north', roles: ['clerk'] },
  dan: { id: 'p:dan', tenant: 'north', roles: ['clerk'] },
  fay: { id: 'p:fay', tenant: 'north', roles: [] },
  gus: { id: 'p:gus', tenant: 'north', roles: ['chief'] },
  ike: { id: 'desk:ike', tenant: 'north', roles: [] },
  cat: { id: 'p:cat', tenant: 'south', roles: ['clerk', 'chief'] },
} as const satisfies Record<string, Colleague>;
export type Name = keyof typeof colleagues;

/** How a question is put. Clerks may answer it. */
export interface Ladder {
  /** It is shown to all clerks and to Dan, beside its own place. */
  readonly notify: boolean;
  /** So many of its two steps are due soon after it is asked, the others much later. */
  readonly due: 0 | 1 | 2;
  /** Not by whoever wanted it. */
  readonly others: boolean;
}

/** What `notify` and the steps say, as the agent writes it. */
export const notified = [
  { channel: 'board', to: 'clerks' },
  { channel: 'mail', to: 'dan' },
] as const;
export const steps = [
  { channel: 'mail', to: 'fay', answerableBy: [colleagues.fay.id] },
  { channel: 'board', to: 'chiefs', answerableBy: { roles: ['chief'] } },
] as const;

/** So often a question is handed over at most. */
const mostTimes = 5;
/** The number of long waits after which each step is due. */
const longWaits = [1, 3] as const;

/** Where a question is shown. `phone` stands for the place where it was asked. */
export interface Spot {
  readonly at: string;
  /** Whom it was chosen for; undefined where they are not named one by one. */
  readonly for: readonly string[] | undefined;
  /** A hand-over has brought it there. */
  readonly handed: boolean;
  copies: number;
  isLost: boolean;
}

export interface LadderAsk extends Ladder {
  readonly key: string;
  readonly asker: Colleague;
  readonly spots: Spot[];
  /** 1 and 2 are steps of the escalation; a hand-over is named by both people. */
  readonly steps: string[];
  readonly handed: { readonly by: string; readonly to: string }[];
  status: 'pending' | 'answered' | 'cancelled' | 'undeliverable';
  answer?: boolean;
  decidedBy?: string;
  /** Where the decision came from, unless from the API. */
  from?: string;
  waits: number;
}

export type Told = 'accepted' | 'refused' | 'already' | 'invalid' | 'handed-over' | 'late';

/** Where a person is reached by their id. */
export const addressOf = (id: string): string | undefined => (id.startsWith('p:') ? id.slice(2) : undefined);

/** The id of their account, which the channel of that account is asked about. */
export const accountOf = (name: Name): string => (name === 'ann2' ? 'p:ann2' : colleagues[name].id);

export class Ladders {
  readonly asks: LadderAsk[] = [];
  /** Where no question can be delivered any more. */
  readonly dead = new Set<string>();

  asked(by: Name, ladder: Ladder): LadderAsk {
    const ask: LadderAsk = {
      ...ladder,
      key: `k${this.asks.length + 1}`,
      asker: colleagues[by],
      spots: [],
      steps: [],
      handed: [],
      status: 'pending',
      waits: 0,
    };
    this.asks.push(ask);
    const places = ['phone', ...(ladder.notify ? notified.map(({ channel, to }) => `${channel}:${to}`) : [])];
    for (const at of places) ask.spots.push({ at, for: undefined, handed: false, copies: 0, isLost: false });
    for (const spot of ask.spots) this.#isShown(spot);
    this.#looks(ask);
    while (ask.status === 'pending' && stepsOf(ask) < ladder.due) this.#escalates(ask);
    return ask;
  }

  /** A long time passes. */
  waits(): void {
    for (const ask of this.asks) {
      ask.waits += 1;
      while (ask.status === 'pending' && ask.waits >= (longWaits[stepsOf(ask)] ?? Number.POSITIVE_INFINITY))
        this.#escalates(ask);
    }
  }

  dies(at: string): void {
    this.dead.add(at);
  }

  /** Somebody answers, by a control at a place of the question or over the API. */
  answers(ask: LadderAsk, by: Name, answer: boolean | 'unclear', spot?: Spot): Told {
    if (!mayAnswerLadder(ask, colleagues[by])) return 'refused';
    if (ask.status !== 'pending') return 'already';
    if (answer !== 'unclear') {
      ask.status = 'answered';
      ask.answer = answer;
      ask.decidedBy = colleagues[by].id;
      if (spot !== undefined) ask.from = spot.at;
      return 'accepted';
    }
    if (spot !== undefined) this.#isShown(spot);
    this.#looks(ask);
    return 'invalid';
  }

  cancels(ask: LadderAsk): Told {
    if (ask.status !== 'pending') return 'already';
    ask.status = 'cancelled';
    return 'accepted';
  }

  handsOver(ask: LadderAsk, from: Name, other: Name): Told {
    const [by, to] = [colleagues[from], colleagues[other]];
    if (!mayAnswerLadder(ask, by)) return 'refused';
    if (ask.status !== 'pending') return 'already';
    const hasLeft = ask.handed.some((each) => each.by === to.id);
    if (to.id === by.id || to.id === ask.asker.id || to.tenant !== ask.asker.tenant || hasLeft) return 'invalid';
    if (ask.handed.length >= mostTimes) return 'invalid';
    ask.handed.push({ by: by.id, to: to.id });
    ask.steps.push(`${by.id} to ${to.id}`);
    const address = addressOf(accountOf(other));
    if (address !== undefined) this.#shows(ask, { at: `mail:${address}`, for: [to.id], handed: true });
    return 'handed-over';
  }

  #escalates(ask: LadderAsk): void {
    const number = stepsOf(ask);
    const step = steps[number];
    if (step === undefined) return;
    ask.steps.push(String(number + 1));
    const people = 'roles' in step.answerableBy ? undefined : step.answerableBy;
    this.#shows(ask, { at: `${step.channel}:${step.to}`, for: people, handed: false });
  }

  /** A place that it has already is the same place, for other people now. */
  #shows(ask: LadderAsk, chosen: Pick<Spot, 'at' | 'for' | 'handed'>): void {
    const found = ask.spots.findIndex(({ at }) => at === chosen.at);
    const spot: Spot = { ...chosen, copies: ask.spots[found]?.copies ?? 0, isLost: false };
    if (found < 0) ask.spots.push(spot);
    else ask.spots[found] = spot;
    this.#isShown(spot);
    this.#looks(ask);
  }

  #isShown(spot: Spot): void {
    if (this.dead.has(spot.at)) spot.isLost = true;
    else spot.copies += 1;
  }

  /** A question that nobody has who may answer goes to the next step at once, or is over. */
  #looks(ask: LadderAsk): void {
    const hasLeft = (id: string) => ask.handed.some(({ by }) => by === id);
    const isInInbox = ask.handed.some(({ to }) => addressOf(to) === undefined && !hasLeft(to));
    const isSomewhere = ask.spots.some((spot) => !spot.isLost && !spot.for?.every(hasLeft));
    const isNewLoss = ask.spots.some(({ isLost }) => isLost);
    if (isInInbox || isSomewhere || !isNewLoss) return;
    if (stepsOf(ask) < steps.length) this.#escalates(ask);
    else ask.status = 'undeliverable';
  }
}

/** How many steps of its escalation are taken. */
export const stepsOf = (ask: Pick<LadderAsk, 'steps'>): number =>
  ask.steps.filter((each) => !each.includes(' ')).length;

export function mayAnswerLadder(ask: LadderAsk, who: Colleague): boolean {
  if (ask.others && who.id === ask.asker.id) return false;
  if (ask.handed.some(({ by }) => by === who.id)) return false;
  if (who.tenant !== ask.asker.tenant) return false;
  if (ask.handed.some(({ to }) => to === who.id)) return true;
  if (who.roles.includes('clerk')) return true;
  if (stepsOf(ask) >= 1 && who.id === colleagues.fay.id) return true;
  return stepsOf(ask) >= 2 && who.roles.includes('chief');
}

/** The places where whoever has the question is told that it is over: not where it was decided, and not where the asker is. */
export function toldOver(ask: LadderAsk): readonly string[] {
  if (ask.status === 'pending' || ask.spots.length < 2) return [];
  return ask.spots
    .filter(({ at, copies, isLost }) => at !== 'phone' && at !== ask.from && copies > 0 && !isLost)
    .filter((spot) => !(spot.handed && spot.for?.includes(ask.decidedBy ?? '')))
    .map(({ at }) => at);
}
