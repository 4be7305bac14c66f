/** The page: one Markdown text made from what a run measured. Pure; it knows no file and no machine. */
import { fine, kib, whole } from './numbers.js';
import { ratiosOf } from './ratios.js';
import { loaded, type NotMeasured, type Point, type Result, type Row } from './result.js';

export const charts = { durable: 'bench-durable.svg', memory: 'bench-memory.svg', growth: 'bench-growth.svg' } as const;

const detailLanes = 64;

/** `drawn`: the charts that lie beside the page. */
export function page(result: Result, drawn: readonly string[] = []): string {
  const parts = [
    head(result),
    picture(drawn, charts.durable, 'Pairs per second of what keeps its state, beside the limit'),
    picture(drawn, charts.memory, 'Pairs per second in memory'),
    throughput(result),
    ratios(result),
    growth(result, drawn),
    replicas(result),
    details(result),
    missing(result.missing),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function head(result: Result): string {
  const { machine, command, day, rounds, ms } = result;
  const rough = loaded(result);
  const redis = machine.redis === undefined ? 'no Redis' : `Redis ${machine.redis} on loopback`;
  const lines = [
    '# The benchmark',
    '<!-- written by npm run bench; do not edit -->',
    '**A pair** is the unit: a message arrives, the agent asks, the state is stored and the question goes to a channel that sends',
    'nowhere; then the reply arrives, the state is loaded by its conversation, the reply is checked by a pattern, the decision is',
    'stored and the handler has run. Every pair is a fresh conversation with a context of 300 bytes. No model is called. Each',
    'contender is a process of its own, and those on Redis have a server of their own. Redis doubles its table of keys when it is',
    'full; that takes seconds and would fall on one contender only, so it is brought about before a measurement, not in it.',
    '',
    `Made by \`${command}\` on ${day}: Node ${machine.node}, ${redis}, ${machine.platform}, ${machine.cpus} CPUs.`,
    `${rounds === 1 ? 'One round' : `Medians of ${rounds} rounds`} of ${whole(ms)} ms, each after twice as long that does not count, all contenders in turn in each. Absolute numbers move with the machine;`,
    'ratios inside one run are what counts.',
  ];
  if (ms < 1_000)
    lines.push('', 'Rounds as short as these measure programs that Node is still compiling: a longer run says more.');
  if (rough !== undefined) lines.push('', `**The machine was loaded** (${rough}): the ratios are rough.`);
  return lines.join('\n');
}

const picture = (drawn: readonly string[], file: string, alt: string): string =>
  drawn.includes(file) ? `![${alt}](${file})` : '';

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), `|${header.map((_, i) => (i === 0 ? '---' : '--:')).join('|')}|`, ...rows.map(line)].join('\n');
}

const pointAt = (row: Row, lanes: number): Point | undefined => row.points.find((point) => point.lanes === lanes);
const cell = (value: number | undefined, shown: (value: number) => string): string =>
  value === undefined ? '–' : shown(value);

function throughput({ rows, lanes, syncs }: Result): string {
  if (rows.length === 0) return '';
  const header = ['pairs per second at … conversations', ...lanes.map(String), `p50 / p99 ms at ${detailLanes}`];
  const body = rows.map((row) => {
    const point = pointAt(row, detailLanes);
    const latency = point === undefined ? '–' : `${fine(point.p50)} / ${fine(point.p99)}`;
    const name = row.entry.side === 'askback' ? `**${row.entry.label}**` : row.entry.label;
    return [name, ...lanes.map((n) => cell(pointAt(row, n)?.perSecond, whole)), latency, row.entry.keeps, row.version];
  });
  const text = `## Pairs per second\n\n${table([...header, 'it keeps', 'version'], body)}`;
  if (syncs === undefined) return text;
  const swift = syncs > 20_000 ? ' So many mean that the folder is in memory, or that its disk does not wait.' : '';
  return `${text}\n\nThe disk under the SQLite file syncs ${whole(syncs)} times a second (4 KiB and an fsync, one after another).${swift}`;
}

function ratios(result: Result): string {
  const measured = ratiosOf(result).filter(({ value }) => value !== undefined);
  if (measured.length === 0) return '';
  const body = measured.map(({ what, value }) => [what, value as string]);
  const [duel] = result.duels;
  const turns =
    duel === undefined
      ? ''
      : ` Beside the bare loops: the median of ${duel.blocks} blocks, in each of which all run twice for ${whole(duel.ms)} ms, and between which two values half of them are.`;
  return `## Ratios\n\nRounded so that none looks better than it is.${turns}\n\n${table(['', 'ratio'], body)}`;
}

function growth(result: Result, drawn: readonly string[]): string {
  const points = result.growth;
  const fewest = points[0];
  if (fewest === undefined) return '';
  const header = [
    'asks held',
    'Redis memory for each',
    'of which history',
    'pairs/s at 64',
    `over ${whole(fewest.held)} held`,
    'one sweep, ms',
    'its Redis CPU, µs',
  ];
  const body = points.map((each) => [
    whole(each.held),
    kib(each.bytes),
    cell(each.historyBytes, kib),
    whole(each.perSecond),
    each.relative.toFixed(2),
    fine(each.sweep),
    cell(each.sweepCpu, whole),
  ]);
  const chart = picture(drawn, charts.growth, 'Throughput and memory with many asks held');
  return [
    '## Asks held',
    'askback on Redis without persistence, a server for each number. Every ask has a context of 300 bytes, a person of its own and a',
    'deadline in a month; one ask of each server was answered to see that it can be. The servers take turns in each round;',
    'the ratio is the median of the ratios of the rounds. A sweep looks for what is due, and nothing is. Redis doubles its table of',
    'keys when it is full, and with a million asks answers about a fifth less for the ten seconds that this takes: where it was near,',
    'it was done before.',
    '',
    ...(chart === '' ? [] : [chart, '']),
    table(header, body),
  ].join('\n');
}

function replicas({ replicas: points, machine }: Result): string {
  const one = points[0];
  if (one === undefined) return '';
  const body = points.map((each) => [
    String(each.processes),
    whole(each.perSecond),
    (each.perSecond / one.perSecond).toFixed(2),
    cell(each.redisBusy, (busy) => `${Math.round(busy * 100)} %`),
  ]);
  return [
    '## Processes on one Redis',
    `askback, 64 conversations in each process, ${machine.cpus} CPUs for all of them and Redis.`,
    '',
    table(['processes', 'pairs/s together', 'over one', 'of a CPU used by Redis'], body),
  ].join('\n');
}

function details({ rows, lanes }: Result): string {
  if (rows.length === 0) return '';
  const header = ['', 'pairs/s', 'p50 ms', 'p99 ms', 'Node CPU, µs a pair', 'Redis CPU, µs a pair'];
  const tables = lanes.map((n) => {
    const body = rows.map((row) => {
      const point = pointAt(row, n);
      const cells: [number | undefined, (value: number) => string][] = [
        [point?.perSecond, whole],
        [point?.p50, fine],
        [point?.p99, fine],
        [point?.cpu, whole],
        [point?.redisCpu, whole],
      ];
      return [row.entry.label, ...cells.map(([value, shown]) => cell(value, shown))];
    });
    return `${n === 1 ? 'One conversation' : `${n} conversations`} at a time:\n\n${table(header, body)}`;
  });
  return `## Latency and CPU\n\n${tables.join('\n\n')}`;
}

/** Peers that are only not installed are named once, with what brings them. */
export function missing(all: readonly NotMeasured[]): string {
  if (all.length === 0) return '';
  const uninstalled = all.filter((each) => each.peer && each.why === 'not installed');
  const others = all.filter((each) => !uninstalled.includes(each));
  const lines = others.map(({ name, why }) => `- not measured: ${name}: ${why}`);
  if (uninstalled.length > 0) {
    const names = uninstalled.map((each) => each.name).join('; ');
    lines.push(`- not measured: not installed, \`npm install --prefix bench\` brings them: ${names}`);
  }
  return `## Not measured\n\n${lines.join('\n')}`;
}
