/**
 * The reference model: what must become of one conversation, told from the entries in the order the store recorded them.
 * Plain data and one loop. No store, no clock, no agent; when an ask was opened is given, because no rule decides it.
 */
import { english } from '../../src/core/wording/english.js';

/** How an ask is put: how often again, by whom it may be answered, whether it has a deadline. */
export interface Plan {
  readonly retries: number;
  readonly by: 'asker' | 'anyone' | 'bob';
  readonly soon: boolean;
}

export interface Event {
  readonly id: string;
  readonly at: number;
  readonly type: 'message' | 'answer' | 'decline' | 'cancel';
  readonly who?: string;
  readonly text: string;
  /** The ask it names, by its key; an ask of another conversation or none is 'elsewhere'. */
  readonly names?: string;
}

export interface ModelAsk extends Plan {
  readonly key: string;
  readonly asker: string | undefined;
  readonly deadline: number;
  status: 'pending' | 'answered' | 'declined' | 'exhausted' | 'expired' | 'cancelled';
  again: number;
  shown: boolean;
  decidedBy?: string;
  answer?: string;
}

export interface Story {
  readonly asks: readonly ModelAsk[];
  /** The history, line by line. */
  readonly lines: readonly string[];
  /** Lines that depend on how soon the work was done, so they may be missing. */
  readonly optional: ReadonlySet<string>;
  /** What became of each entry. */
  readonly fates: ReadonlyMap<string, string>;
}

export const isGood = (text: string): boolean => /^\d{5}$/.test(text);
export const plans = (text: string): readonly Plan[] =>
  [...text.matchAll(/(\d) (asker|anyone|bob) (soon|never)/g)].map(([, retries, by, end]) => {
    return { retries: Number(retries), by: by as Plan['by'], soon: end === 'soon' };
  });
/** An ask's name in model and agent alike: the message that wanted it, and which of that message it is. */
export const keyOf = (text: string, i: number): string => `${text.split(' ')[0]}.${i}`;

const declines = ['cancel', 'never mind', '/stop'];

/** `prompt`: everything was worked on the moment it was recorded, so nothing depends on how soon. */
export function told(events: readonly Event[], askedAt: ReadonlyMap<string, number>, soon: number, prompt: boolean) {
  const asks: ModelAsk[] = [];
  const lines: string[] = [];
  const optional = new Set<string>();
  const fates = new Map<string, string>();
  let late: ModelAsk | undefined;

  const open = () => asks.filter((ask) => ask.status === 'pending');
  const may = (ask: ModelAsk, who?: string) => ask.by === 'anyone' || who === (ask.by === 'asker' ? ask.asker : 'bob');
  const say = (text: string) => lines.push(`out ${text}`);
  const fate = (event: Event, what: string) => {
    fates.set(event.id, what);
    lines.push(`in ${event.id}: ${what}`);
  };
  const decide = (ask: ModelAsk, status: ModelAsk['status'], who?: string) => {
    ask.status = status;
    if (who !== undefined) ask.decidedBy = who;
    if (status === 'expired') late = ask;
    lines.push(`decision ${ask.key} ${status} by ${who ?? 'nobody'}`);
  };
  /** The head is put to the human, unless its time is over. */
  const present = (now: number, exact: boolean) => {
    const [head] = open();
    if (head === undefined || head.shown || head.deadline <= now) return;
    head.shown = true;
    if (head.deadline < Number.POSITIVE_INFINITY && !exact) optional.add(`out question ${head.key}#0`);
    say(`question ${head.key}#0`);
  };
  const expire = (now: number) => {
    for (let ask = first(now); ask !== undefined; ask = first(now)) {
      decide(ask, 'expired');
      present(ask.deadline, false);
    }
  };
  const first = (now: number) => open().find((ask) => ask.deadline <= now);

  const reply = (event: Event, ask: ModelAsk) => {
    if (declines.includes(event.text) || event.type === 'decline') {
      decide(ask, 'declined', event.who);
      fate(event, `declined ${ask.key}`);
      say(english.wording.declined());
    } else if (isGood(event.text)) {
      decide(ask, 'answered', event.who);
      ask.answer = event.text;
      fate(event, `accepted ${ask.key}`);
      say(`Paid ${event.text}`);
    } else if (event.type === 'answer') {
      fate(event, `invalid ${ask.key}`);
    } else if (ask.again < ask.retries) {
      ask.again += 1;
      ask.shown = true;
      fate(event, `insufficient ${ask.key} ${ask.again}`);
      say(`question ${ask.key}#${ask.again}`);
    } else {
      decide(ask, 'exhausted', event.who);
      fate(event, `insufficient ${ask.key} ${ask.again}`);
      say(english.wording.skipped());
    }
  };

  const named = (event: Event, ask: ModelAsk | undefined) => {
    const tell = (what: string, text: string) => {
      fate(event, what);
      if (event.type === 'message') say(text);
    };
    if (ask === undefined) tell('ignored unknown ask', english.wording.unknownAsk());
    else if (event.type !== 'cancel' && !may(ask, event.who))
      tell(`not-authorised ${ask.key}`, english.wording.refused());
    else if (ask.status === 'expired') tell(`late ${ask.key}`, english.wording.late());
    else if (ask.status !== 'pending') tell(`superseded ${ask.key}`, english.wording.already(undefined));
    else if (event.type === 'cancel') {
      decide(ask, 'cancelled');
      fate(event, `control ${ask.key}`);
    } else reply(event, ask);
  };

  const ordinary = (event: Event) => {
    const missed = late !== undefined && may(late, event.who) ? late : undefined;
    if (missed !== undefined) late = undefined;
    fate(event, 'ordinary');
    const wanted = plans(event.text);
    for (const [i, plan] of wanted.entries()) {
      const key = keyOf(event.text, i);
      const deadline = plan.soon ? (askedAt.get(key) ?? event.at) + soon : Number.POSITIVE_INFINITY;
      asks.push({ ...plan, key, deadline, asker: event.who, status: 'pending', again: 0, shown: false });
    }
    if (wanted.length === 0) say(missed === undefined ? 'hello' : `too late for ${missed.key}`);
  };

  for (const event of events) {
    expire(event.at);
    const [head] = open();
    if (event.names !== undefined)
      named(
        event,
        asks.find((ask) => ask.key === event.names),
      );
    else if (event.type === 'cancel') {
      for (const ask of open()) decide(ask, 'cancelled'); // none of them is put to the human on the way
      fate(event, 'control');
    } else if (head !== undefined && may(head, event.who) && event.text !== '/help') reply(event, head);
    else ordinary(event);
    present(event.at, prompt);
  }
  expire(Number.MAX_SAFE_INTEGER); // every deadline has passed when the story is compared
  return { asks, lines, optional, fates } satisfies Story;
}
