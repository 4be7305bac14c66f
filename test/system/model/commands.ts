/**
 * What can happen in a history: plain data, so that a history can be shrunk, printed, kept and played again.
 */
import fc from 'fast-check';
import type { CrashPoint } from '../../../src/testing/index.js';
import type { Breaking } from './agent.js';
import type { Plan, Who } from './reference.js';

export type Step = 'take' | 'save' | 'remember' | 'renew' | 'due' | 'unsent' | 'sent' | 'find' | 'outcome';

/** Which of two conversations it is about, which of two replicas it reaches, and whether we wait for what it brings about. */
interface Common {
  readonly in: number;
  readonly on: number;
  readonly quick: boolean;
}

export interface Say extends Common {
  readonly do: 'say';
  readonly by: Who;
  readonly what: 'good' | 'yes' | 'no' | 'bad' | 'decline' | '/help' | readonly Plan[];
  /** Names an ask: 0 is the last one asked, 1 the one before, and so on. */
  readonly names?: number;
  /** Names it in the conversation given, which may be the wrong one; else where it was asked. */
  readonly astray?: boolean;
}

export type Command =
  | Say
  /** Two people write at the same moment, each to another replica. */
  | { readonly do: 'both'; readonly first: Say; readonly second: Say }
  /** The platform delivers a message again: 0 is the last one. */
  | (Common & { readonly do: 'repeat'; readonly which: number })
  | (Common & { readonly do: 'answer'; readonly by: Who; readonly right: boolean; readonly which: number })
  | (Common & { readonly do: 'decline'; readonly by: Who; readonly which: number })
  | (Common & { readonly do: 'cancel'; readonly which: number | 'all' })
  /** Forgets a conversation, or every one that this person wrote in. */
  | (Common & { readonly do: 'erase'; readonly whom: Who | 'conversation' })
  /** Something outside fails so many times, wherever it is reached from. */
  | { readonly do: 'break'; readonly how: Breaking; readonly times: number }
  | { readonly do: 'mend' }
  /** Work that was set aside is tried again, whether or not it still is: 0 is what was set aside last. `twice`: on both replicas at the same moment. */
  | (Common & { readonly do: 'retry'; readonly which: number; readonly twice: boolean })
  /**
   * A program asks and waits: in one call, or `apart`, where it asks on one replica and waits on the other. `aborts`: it gives up by
   * its signal, before its time is over.
   */
  | (Common & { readonly do: 'ask'; readonly plan: Plan; readonly apart: boolean; readonly aborts?: boolean })
  | { readonly do: 'wait'; readonly how: 'a moment' | 'a lease' | 'past deadlines' }
  | { readonly do: 'crash'; readonly on: number; readonly after: CrashPoint | 'nothing' }
  /** A step happens, and its caller is told that the store cannot be reached. */
  | { readonly do: 'lose'; readonly on: number; readonly step: Step }
  /** Stands still like a process under SIGSTOP: whatever it wants of the store waits until it is thawed. */
  | { readonly do: 'freeze'; readonly on: number; readonly before: Step | 'nothing' }
  | { readonly do: 'thaw' | 'restart'; readonly on: number }
  | { readonly do: 'flush' };

export type History = readonly Command[];

const two = fc.nat(1);
const who = fc.constantFrom<Who>('ann', 'ann', 'ann', 'ann', 'ann2', 'bob', 'bob', 'cat', 'dan');
const recent = fc.constantFrom(0, 0, 1, 2, 3);
const common = { in: fc.constantFrom(0, 0, 0, 1), on: two, quick: fc.boolean() };
const often = <T>(usual: T, other: T) => fc.constantFrom(usual, usual, usual, other);
const waits = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Plan['waits']>('no') },
  { weight: 1, arbitrary: fc.constantFrom<Plan['waits']>('long', 'long', 'short', 'keep') },
);
/** For one person, or for everybody of a kind; only the latter may vote, and leave out whoever wants it. */
const anyPlan: fc.Arbitrary<Plan> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('text', 'text', 'form'),
    retries: fc.nat(2),
    by: often<Plan['by']>('asker', 'bob'),
    others: fc.constant(false),
    soon: fc.boolean(),
    secret: often(false, true),
    careful: often(false, true),
    reminds: fc.constant(false),
    via: fc.constant(false),
    waits,
  }),
  fc.record({
    kind: fc.constantFrom('text', 'vote', 'vote'),
    retries: fc.nat(2),
    by: fc.constantFrom('anyone', 'anyone', 'clerks', 'owners'),
    others: often(false, true),
    soon: fc.boolean(),
    secret: fc.constant(false),
    careful: often(false, true),
    reminds: often(false, true),
    via: often(false, true),
    waits,
  }),
);

/** A turn that waits runs again after a crash, whatever follows. What it waits for elsewhere has a deadline, unless it is kept. */
const plan = anyPlan.map((each): Plan => {
  if (each.waits === 'no') return each;
  return { ...each, careful: false, soon: each.soon || (each.via && each.waits !== 'keep') };
});

/** What a turn waits for. */
const waitedFor = fc
  .tuple(plan, fc.constantFrom<Plan['waits']>('long', 'short', 'keep', 'keep'))
  .map(
    ([each, how]): Plan => ({ ...each, careful: false, waits: how, soon: each.soon || (each.via && how !== 'keep') }),
  );

/** What a program asks: nobody has started it, so it names who may answer, or it is whoever writes where it is asked. */
const programs = fc.record({
  do: fc.constant('ask' as const),
  plan: fc
    .tuple(plan, fc.constantFrom<Plan['by']>('bob', 'asker', 'anyone', 'clerks', 'owners'), waits)
    .map(([each, by, how]): Plan => {
      const kind = (by === 'bob' || by === 'asker') && each.kind === 'vote' ? 'text' : each.kind;
      const waiting = how === 'no' ? 'long' : how;
      const common = { others: false, via: false, careful: false, waits: waiting } as const;
      return { ...each, ...common, kind, by, soon: each.soon || waiting !== 'keep' };
    }),
  apart: often(false, true),
  aborts: often(false, true),
  ...common,
});

const askingFor = { do: fc.constant('say' as const), by: who, ...common };
const asking = fc.record({ ...askingFor, what: fc.array(plan, { minLength: 1, maxLength: 3 }) });
const replying = fc.record({
  do: fc.constant('say' as const),
  by: who,
  what: fc.constantFrom('good', 'good', 'good', 'yes', 'yes', 'yes', 'no', 'bad', 'bad', 'decline', '/help'),
  ...common,
});
const naming = fc
  .tuple(replying, recent, fc.constantFrom(false, false, false, false, true))
  .map(([say, names, astray]): Say => ({ ...say, what: say.what === '/help' ? 'good' : say.what, names, astray }));

const waiting = fc.record({
  do: fc.constant('wait' as const),
  how: fc.constantFrom('a moment' as const, 'a lease' as const, 'past deadlines' as const),
});
const fault: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    do: fc.constant('crash' as const),
    on: two,
    after: fc.constantFrom('nothing' as const, 'take', 'decision', 'effect', 'save', 'sent'),
  }),
  fc.record({
    do: fc.constant('lose' as const),
    on: two,
    step: fc.constantFrom<Step>(
      'take',
      'save',
      'save',
      'remember',
      'sent',
      'renew',
      'due',
      'unsent',
      'find',
      'outcome',
    ),
  }),
  fc.record({
    do: fc.constant('freeze' as const),
    on: two,
    before: fc.constantFrom<Step | 'nothing'>('nothing', 'take', 'save', 'save', 'remember', 'sent'),
  }),
);

const breaking = fc.record({
  do: fc.constant('break' as const),
  how: fc.constantFrom<Breaking>('before', 'before', 'after', 'after', 'check', 'for now'),
  times: fc.constantFrom(1, 1, 2, 6),
});
const retrying = fc.record({ do: fc.constant('retry' as const), which: recent, twice: often(false, true), ...common });

const answering = fc.record({
  do: fc.constant('answer' as const),
  by: who,
  right: fc.boolean(),
  which: recent,
  ...common,
});
const cancelling = fc.record({
  do: fc.constant('cancel' as const),
  which: fc.constantFrom(0, 1, 2, 'all' as const),
  ...common,
});
const erasing = fc.record({
  do: fc.constant('erase' as const),
  whom: fc.constantFrom<Who | 'conversation'>('conversation', 'conversation', 'ann2', 'cat'),
  ...common,
});

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 9, arbitrary: asking },
  { weight: 9, arbitrary: replying },
  { weight: 3, arbitrary: programs },
  { weight: 5, arbitrary: naming },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('both'), first: fc.oneof(replying, asking), second: replying }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat'), which: recent, ...common }) },
  { weight: 5, arbitrary: answering },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('decline'), by: who, which: recent, ...common }) },
  { weight: 2, arbitrary: cancelling },
  { weight: 1, arbitrary: erasing },
  { weight: 2, arbitrary: breaking },
  { weight: 1, arbitrary: fc.constant({ do: 'mend' } as const) },
  { weight: 3, arbitrary: retrying },
  { weight: 4, arbitrary: waiting },
  { weight: 6, arbitrary: fault },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('thaw', 'restart'), on: two }) },
  { weight: 1, arbitrary: fc.constant({ do: 'flush' } as const) },
);

/** Somebody asks, a reply comes to a replica that fails at it, and time passes. */
const interrupted = fc
  .tuple(asking, fault, fc.oneof(replying, naming), waiting)
  .map(([ask, fails, reply, wait]): History => {
    const on = 'on' in fails ? fails.on : 0;
    return [{ ...ask, on, quick: false }, fails, { ...reply, by: ask.by, in: ask.in, on }, wait];
  });
/** Somebody asks, time passes, and the answer names the question. */
const overdue = fc
  .tuple(asking, waiting, naming)
  .map(([ask, wait, reply]): History => [ask, wait, { ...reply, by: ask.by, names: 0 }]);
/** Somebody asks, the answer fails, something else happens, and it is tried again. */
const setAside = fc
  .tuple(asking, breaking, fc.oneof(replying, naming), fc.oneof(replying, asking, waiting, fault), retrying)
  .map(([ask, breaks, reply, meanwhile, retry]): History => {
    return [ask, breaks, { ...reply, by: ask.by, in: ask.in }, meanwhile, { ...retry, which: 0 }];
  });

/** A turn that waits fails in its own code, something becomes of its ask, and it is tried again. */
const failedWait = fc
  .tuple(
    fc.record({ ...askingFor, what: fc.array(waitedFor, { minLength: 1, maxLength: 2 }) }),
    breaking,
    fc.oneof(replying, waiting),
    fc.oneof(
      { weight: 3, arbitrary: answering },
      { weight: 4, arbitrary: fc.oneof(cancelling, waiting, replying, fault) },
      { weight: 1, arbitrary: erasing },
    ),
    retrying,
  )
  .map(([ask, breaks, ends, meanwhile, retry]): History => {
    const reply = 'by' in ends ? { ...ends, by: ask.by, in: ask.in } : ends;
    const settles = 'right' in meanwhile ? { ...meanwhile, by: ask.by, in: ask.in } : meanwhile;
    return [ask, breaks, reply, settles, { ...retry, which: 0 }];
  });

const part: fc.Arbitrary<History> = fc.oneof(
  { weight: 12, arbitrary: command.map((each) => [each]) },
  { weight: 2, arbitrary: interrupted },
  { weight: 1, arbitrary: overdue },
  { weight: 1, arbitrary: setAside },
  { weight: 1, arbitrary: failedWait },
);

/** Histories of at most so many parts. */
export const histories = (parts: number): fc.Arbitrary<History> =>
  fc.array(part, { maxLength: parts, size: 'max' }).map((all) => all.flat());

const faults = new Set(['crash', 'lose', 'freeze', 'restart']);
/** Nothing goes wrong in it, so that everything happens once and at once. */
export const isCalm = (history: History): boolean =>
  !history.some((each) => faults.has(each.do) || (each.do === 'break' && each.how === 'for now'));

const nth = (n: number): string => (n === 0 ? 'the last ask' : `the last ask but ${n}`);
const planned = ({ kind, by, others, retries, soon, secret, careful, reminds, via, waits: how }: Plan): string =>
  `[${secret ? 'secret ' : ''}${careful ? 'careful ' : ''}${kind} for ${by}${others ? ' but the asker' : ''}, ${retries} retries${soon ? ', expires' : ''}${reminds ? ', reminds' : ''}${via ? ', elsewhere' : ''}${how === 'no' ? '' : `, waits ${how}`}]`;
const saying = (say: Say): string => {
  const what = typeof say.what === 'string' ? say.what : `asks for ${say.what.map(planned).join(' ')}`;
  const named = say.names === undefined ? '' : `, naming ${nth(say.names)}${say.astray ? '' : ' where it was asked'}`;
  return `${say.by} says ${what}${named}${where(say)}`;
};
const where = (common: Common): string =>
  ` (conversation ${common.in}, replica ${common.on}${common.quick ? ', at once' : ''})`;

export function sentence(command: Command): string {
  switch (command.do) {
    case 'say':
      return saying(command);
    case 'both':
      return `at the same moment: ${saying(command.first)} | ${saying(command.second)}`;
    case 'repeat':
      return `the last message${command.which === 0 ? '' : ` but ${command.which}`} comes again${where(command)}`;
    case 'answer':
      return `${command.by} answers ${nth(command.which)} over the API, ${command.right ? 'right' : 'wrong'}${where(command)}`;
    case 'decline':
      return `${command.by} declines ${nth(command.which)} over the API${where(command)}`;
    case 'cancel':
      return `${command.which === 'all' ? 'everything' : nth(command.which)} is cancelled${where(command)}`;
    case 'erase':
      return `${command.whom === 'conversation' ? 'the conversation' : `everything of ${command.whom}`} is erased${where(command)}`;
    case 'break':
      return `something outside breaks (${command.how}), ${command.times} times`;
    case 'mend':
      return 'it is mended';
    case 'retry':
      return `what was set aside last${command.which === 0 ? '' : ` but ${command.which}`} is tried again${command.twice ? ' twice' : ''}${where(command)}`;
    case 'ask':
      return `a program asks for ${planned(command.plan)}${command.apart ? ' and waits on the other replica' : ''}${command.aborts ? ' and calls it off' : ''}${where(command)}`;
    case 'wait':
      return `${command.how} passes`;
    case 'crash':
      return `replica ${command.on} dies${command.after === 'nothing' ? '' : ` after its next ${command.after}`}`;
    case 'lose':
      return `replica ${command.on} does not hear of its next ${command.step}`;
    case 'freeze':
      return `replica ${command.on} stands still${command.before === 'nothing' ? '' : ` before its next ${command.before}`}`;
    case 'flush':
      return 'SCRIPT FLUSH';
    default:
      return `${command.do} replica ${command.on}`;
  }
}
