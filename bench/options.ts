/** The command line of the bench: read, checked, and explained. Pure. */
import { compared, type Entry, named, parts } from './contenders.js';

export interface Options {
  readonly quick: boolean;
  /** What to measure, by name; undefined: everything. */
  readonly only: readonly string[] | undefined;
  readonly rounds: number;
  /** How long each contender runs in each round. */
  readonly ms: number;
  readonly warmUp: number;
  readonly growth: boolean;
  readonly replicas: boolean;
  readonly write: boolean;
  /** The folder for the page and the charts; undefined: docs/. */
  readonly out: string | undefined;
  /** A revision whose build is measured beside this one's, instead of everything else. */
  readonly against: string | undefined;
  /** The command that says all this again. */
  readonly command: string;
}

export type Read = { type: 'options'; options: Options } | { type: 'help' } | { type: 'problem'; problem: string };

const known = {
  quick: { takes: undefined, says: 'everything in two minutes: one short round, up to 100 000 asks held' },
  only: { takes: 'names', says: 'only these, with commas: contenders (askback, bare-corked, …), growth, replicas' },
  rounds: { takes: 'n', says: 'how many rounds; the median counts (5; quick 1)' },
  ms: { takes: 'n', says: 'how long each contender runs in each round (2000; quick 150)' },
  against: { takes: 'revision', says: 'only this build of askback beside the build of another git revision' },
  node: { takes: 'release', says: 'run on this release of Node, from the npm package node (24)' },
  'no-growth': { takes: undefined, says: 'without the many asks held' },
  write: { takes: undefined, says: 'write the page and the charts also after --quick or --only' },
  'no-write': { takes: undefined, says: 'only show the page' },
  out: { takes: 'folder', says: 'where the page and the charts go (docs)' },
  help: { takes: undefined, says: 'this' },
} as const;
type Name = keyof typeof known;

export function usage(entries: readonly Entry[]): string {
  const lines = Object.entries(known).map(([name, { takes, says }]) => {
    const option = `--${name}${takes === undefined ? '' : ` <${takes}>`}`;
    return `  ${option.padEnd(16)} ${says}`;
  });
  const names = [...entries.map((each) => each.name), ...parts].join(', ');
  const builds = compared.map((each) => each.name).join(', ');
  return `npm run bench -- [options]\n${lines.join('\n')}\nNames for --only: ${names};\nwith --against: ${builds};\nthe first word alone means all of that kind.`;
}

export function readOptions(args: readonly string[], entries: readonly Entry[]): Read {
  const given = new Map<Name, string>();
  const problem = (text: string): Read => ({ type: 'problem', problem: `${text}\n\n${usage(entries)}` });
  for (let i = 0; i < args.length; i++) {
    const [, name, joined] = /^--([^=]+)(?:=(.*))?$/.exec(args[i] as string) ?? [];
    if (name === undefined || !Object.hasOwn(known, name)) return problem(`Unknown option: ${args[i]}`);
    const { takes } = known[name as Name];
    if (takes === undefined && joined !== undefined) return problem(`--${name} takes no value.`);
    let value = joined ?? '';
    if (takes !== undefined && joined === undefined) {
      i += 1;
      value = args[i] ?? '';
    }
    if (takes !== undefined && (value === '' || value.startsWith('--')))
      return problem(`--${name} needs a <${takes}>.`);
    given.set(name as Name, value);
  }
  if (given.has('help')) return { type: 'help' };

  for (const name of ['rounds', 'ms'] as const) {
    const value = given.get(name);
    if (value !== undefined && !/^[1-9]\d{0,6}$/.test(value))
      return problem(`--${name} must be a whole number from 1 up, got ${JSON.stringify(value)}.`);
  }
  if (given.has('write') && given.has('no-write')) return problem('--write and --no-write: give one of them.');
  const node = given.get('node');
  if (node !== undefined && !/^\d+(\.\d+){0,2}$/.test(node))
    return problem(`--node must be a release such as 24, got ${JSON.stringify(node)}.`);
  const only = given.get('only')?.split(',');
  const measured = given.has('against') ? compared : entries;
  for (const name of only ?? []) {
    const isPart = !given.has('against') && (parts as readonly string[]).includes(name);
    if (!isPart && named(measured, [name]).length === 0)
      return problem(`--only: nothing is named ${JSON.stringify(name)}.`);
  }

  const quick = given.has('quick');
  const partial = quick || only !== undefined || given.has('against');
  const wanted = (part: (typeof parts)[number]) => only === undefined || only.includes(part);
  // a folder is the machine's own business, and no part of what others repeat
  const shown = [...given]
    .filter(([name]) => name !== 'out')
    .map(([name, value]) => `--${name}${value && ` ${value}`}`);
  const ms = Number(given.get('ms') ?? (quick ? 150 : 2_000));
  return {
    type: 'options',
    options: {
      quick,
      only,
      rounds: Number(given.get('rounds') ?? (quick ? 1 : 5)),
      ms,
      warmUp: Math.min(quick ? 1_000 : 8_000, 10 * ms),
      growth: wanted('growth') && !given.has('no-growth'),
      replicas: wanted('replicas'),
      write: given.has('write') || (!partial && !given.has('no-write')),
      out: given.get('out'),
      against: given.get('against'),
      command: ['npm run bench', ...(shown.length > 0 ? ['--', ...shown] : [])].join(' '),
    },
  };
}
