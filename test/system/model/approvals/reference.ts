/**
 * The reference model of approvals: who is asked for what, who may approve it, what is carried out, and what a grant for
 * a session covers. Plain data; no store, no clock, no agent. One command is over before the next begins.
 */
import { people, type Who } from '../reference.js';

export const requesters = ['r0', 'r1'] as const;
/** Where approvers are asked, unless it is in the requester's own conversation. */
export const boss = 'boss';
export type Place = 'boss' | 'here';
export type Words = 'deny' | 'once' | 'for this session' | 'what?';

/** One message of somebody who wants an action carried out, in one or two calls. */
export interface Request {
  readonly id: string;
  readonly by: Who;
  readonly in: string;
  readonly order: number;
  readonly place: Place;
  readonly calls: readonly string[];
}

interface Run {
  readonly request: Request;
  /** Of each call so far: it was carried out, or not. */
  readonly results: ('paid' | 'denied')[];
  readonly isRetry: boolean;
}

interface ApprovalAsk {
  readonly run: Run;
  readonly call: string;
  /** The conversation it is asked in. */
  readonly at: string;
}

interface ModelGrant {
  readonly request: Request;
  readonly by: string;
  readonly at: string;
  readonly calls: Set<string>;
}

interface Line {
  readonly queue: (() => void)[];
  running: Run | undefined;
}

export class Approving {
  /** The call of each key under which something is carried out. */
  readonly paid: string[] = [];
  /** What is said in each conversation, and what is asked there, in order. */
  readonly said = new Map<string, string[]>();
  readonly asked = new Map<string, string[]>();
  /** How many decisions were typed in each conversation. */
  readonly decided = new Map<string, number>();
  readonly pending: ApprovalAsk[] = [];
  grants: ModelGrant[] = [];
  readonly parked: Run[] = [];
  /** Retries that wait behind another turn. */
  retrying = 0;
  readonly #lines = new Map<string, Line>();
  #failures = 0;

  constructor(private readonly sorry: string) {}

  /** The next turns that have carried something out, or not, fail for good so many times. */
  breaks(times: number): void {
    this.#failures = times;
  }

  wants(request: Request): void {
    if (this.#headFor(request.in, request.by) !== undefined) return; // it is read as a reply that does not fit
    this.#comes(request.in, () => this.#runs({ request, results: [], isRetry: false }));
  }

  /** Somebody writes where it is asked. */
  replies(at: string, by: Who, words: Words): void {
    const head = this.#headFor(at, by);
    if (head === undefined) this.#comes(at, () => this.#say(at, 'hello'));
    if (head === undefined || words === 'what?') return;
    this.pending.splice(this.pending.indexOf(head), 1);
    this.decided.set(at, (this.decided.get(at) ?? 0) + 1);
    const { run, call } = head;
    run.results.push(words === 'deny' ? 'denied' : 'paid');
    if (words !== 'deny') this.paid.push(call);
    if (words === 'for this session')
      this.grants.push({ request: run.request, by: people[by].id, at, calls: new Set([call]) });
    this.#goesOn(run);
  }

  retries(run: Run): void {
    this.parked.splice(this.parked.indexOf(run), 1);
    this.retrying += 1;
    this.#comes(run.request.in, () => {
      this.retrying -= 1;
      this.#runs({ ...run, isRetry: true });
    });
  }

  revokes(grant: ModelGrant): void {
    this.grants = this.grants.filter((each) => each !== grant);
  }

  /** So much time passes that no grant is valid any more. */
  outlasts(): void {
    this.grants = [];
  }

  /** What is asked there now, if this person may answer it. */
  #headFor(at: string, by: Who): ApprovalAsk | undefined {
    const head = this.pending.find((ask) => ask.at === at);
    return head !== undefined && mayApprove(head.run.request, by) ? head : undefined;
  }

  #lineOf(conversation: string): Line {
    const line = this.#lines.get(conversation) ?? { queue: [], running: undefined };
    this.#lines.set(conversation, line);
    return line;
  }

  #comes(conversation: string, work: () => void): void {
    this.#lineOf(conversation).queue.push(work);
    this.#next(conversation);
  }

  #next(conversation: string): void {
    const line = this.#lineOf(conversation);
    while (line.running === undefined) {
      const work = line.queue.shift();
      if (work === undefined) return;
      work();
    }
  }

  #runs(run: Run): void {
    this.#lineOf(run.request.in).running = run;
    this.#goesOn(run);
  }

  /** Until it has to wait for a person, or is over. */
  #goesOn(run: Run): void {
    const { request, results } = run;
    const at = request.place === 'here' ? request.in : boss;
    for (const call of request.calls.slice(results.length)) {
      const grant = this.grants.find((each) => covers(each, request, at));
      if (grant === undefined) {
        this.pending.push({ run, call, at });
        this.asked.set(at, [...(this.asked.get(at) ?? []), `Refund order ${request.order}?`]);
        return;
      }
      if (!grant.calls.has(call)) this.paid.push(call); // the same call again has the key it had
      grant.calls.add(call);
      results.push('paid');
    }
    this.#lineOf(request.in).running = undefined;
    if (this.#failures > 0) {
      this.#failures -= 1;
      this.parked.push(run);
      if (!run.isRetry) this.#say(request.in, this.sorry);
    } else this.#say(request.in, `${request.id}: ${results.join()}`);
    this.#next(request.in);
  }

  #say(conversation: string, text: string): void {
    this.said.set(conversation, [...(this.said.get(conversation) ?? []), text]);
  }
}

/** Clerks of the requester's tenant, and never the requester. */
function mayApprove(request: Request, by: Who): boolean {
  const [asker, other] = [people[request.by], people[by]];
  const roles: readonly string[] = other.roles;
  return roles.includes('clerk') && other.tenant === asker.tenant && other.id !== asker.id;
}

/** The same action, asked at the same place, for the same conversation and tenant; not what somebody has granted to themselves. */
function covers(grant: ModelGrant, request: Request, at: string): boolean {
  return (
    grant.at === at &&
    grant.request.in === request.in &&
    grant.request.order === request.order &&
    people[grant.request.by].tenant === people[request.by].tenant &&
    grant.by !== people[request.by].id
  );
}
