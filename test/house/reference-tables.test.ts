/** The reference pages list what there is, all of it and nothing else: codes, settings, options, events, dispositions, fields, spans, metrics. */
import type { Meter, Tracer } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../src/core/errors.js';
import { eventNames } from '../../src/core/events.js';
import { defaultSettings } from '../../src/core/settings.js';
import { registryRules } from '../../src/registry/options.js';
import { checkedRedisOptions } from '../../src/stores/redis/transport/connections.js';
import { observe } from '../../src/telemetry/index.js';
import { read } from './repository.js';
import { namesIn, rowsOf, SourceTypes, tablesOf } from './tables.js';

const types = new SourceTypes(
  'src/index.ts',
  'src/telemetry/index.ts',
  'src/stores/redis/transport/connections.ts',
  'src/stores/sqlite/options.ts',
  'src/stores/memory/store.ts',
);

const sorted = (names: Iterable<string>): string[] => [...names].sort();
const sortedFields = (all: Record<string, readonly string[]>): Record<string, string[]> =>
  Object.fromEntries(sorted(Object.keys(all)).map((name) => [name, sorted(all[name] ?? [])]));

/** The names of the first column, each without a repeat of it. */
function firstColumn(page: string, header: string, section?: string): string[] {
  return sorted(rowsOf(page, header, section).map(([name]) => namesIn(name)[0] ?? `no name: ${name}`));
}

/** By the name in the first column: the names in the last. */
function lastColumn(page: string, header: string, section?: string): Record<string, string[]> {
  const rows = rowsOf(page, header, section);
  const all = Object.fromEntries(rows.map((row) => [namesIn(row[0])[0] ?? '', namesIn(row.at(-1))]));
  expect(Object.keys(all)).toHaveLength(rows.length);
  return sortedFields(all);
}

const withoutMark = (field: string): string => field.replace('?', '');
const optionsOf = (type: string): string[] => sorted(types.fields(type).map(withoutMark));

/** A default as the tables write it: thousands apart, words for what is no value. */
function defaultIn(cell = ''): unknown {
  return JSON.parse(cell.replace(/(\d) (?=\d)/g, '$1'));
}

describe('docs/errors.md', () => {
  const page = 'docs/errors.md';

  test('explains every code once, and no other', () => {
    expect(firstColumn(page, 'code')).toEqual(sorted(Object.keys(errorCodes)));
  });

  test('names the codes that park a turn at once', () => {
    const paragraph = /is parked at once:([\s\S]*?)\.\n\n/.exec(read(page))?.[1];
    const misuses = Object.entries(errorCodes).filter(([, { misuse }]) => misuse);
    expect(sorted(namesIn(paragraph))).toEqual(sorted(misuses.map(([code]) => code)));
  });
});

describe('docs/settings.md', () => {
  const page = 'docs/settings.md';

  test('has every setting once, with its default', () => {
    const rows = rowsOf(page, 'setting').map(([name, value]) => [namesIn(name)[0], defaultIn(value)]);
    expect(Object.fromEntries(rows)).toEqual(defaultSettings);
    expect(rows).toHaveLength(Object.keys(defaultSettings).length);
  });

  test('has every option of a registry', () => {
    expect(firstColumn(page, 'option', 'Options of a registry')).toEqual(sorted(Object.keys(registryRules)));
  });

  test.each(['RedisStore', 'SqliteStore', 'MemoryStore'])('has every option of a %s', (store) => {
    expect(firstColumn(page, 'option', store)).toEqual(optionsOf(`${store}Options`));
  });

  test('has the defaults of a RedisStore', () => {
    const { prefix, commandTimeout } = checkedRedisOptions({ url: 'redis://localhost:6379' });
    const defaults = Object.fromEntries(rowsOf(page, 'option', 'RedisStore').map(([name, value]) => [name, value]));
    expect(defaultIn(defaults['`prefix`'])).toBe(prefix);
    expect(defaultIn(defaults['`commandTimeout`'])).toBe(commandTimeout);
  });
});

describe('docs/events.md', () => {
  const page = 'docs/events.md';
  const eventFields = sortedFields(types.fieldsByName('RegistryEvents'));

  test('has every event with its fields', () => {
    const listed = tablesOf(read(page))
      .filter(({ headers }) => headers[0] === 'event')
      .flatMap(({ before, rows }) => {
        const common = before.startsWith('Each has') ? namesIn(before) : [];
        return rows.map((row) => [namesIn(row[0])[0] ?? '', [...common, ...namesIn(row[2])]] as const);
      });
    expect(listed).toHaveLength(eventNames.length);
    expect(sortedFields(Object.fromEntries(listed))).toEqual(eventFields);
  });

  test('explains every field of an event', () => {
    const fields = new Set(Object.values(eventFields).flatMap((all) => all.map(withoutMark)));
    expect(firstColumn(page, 'field', 'Fields of events')).toEqual(sorted(fields));
  });

  test('has every disposition with its fields', () => {
    const listed = lastColumn(page, 'disposition');
    expect(listed).toEqual(sortedFields({ ...types.members('Disposition'), received: [] }));
  });

  test('has everything that answer() may give', () => {
    const listed = lastColumn(page, 'type', 'What answer(), decline() and cancel() give');
    expect(listed).toEqual(sortedFields(types.members('Settled')));
  });

  test('has every item of a history with its fields', () => {
    expect(lastColumn(page, 'type', 'Items of a history')).toEqual(sortedFields(types.members('HistoryItem')));
  });

  test.each([
    ['What handle() and outputs() give', 'Handled'],
    ['Fields of an output', 'FetchedOutput'],
    ['Fields of an ask', 'PendingAsk'],
    ['Parked work', 'ParkedWork'],
    ['A sweep', 'SweepReport'],
  ])('%s: every field of %s', (section, type) => {
    expect(firstColumn(page, 'field', section)).toEqual(sorted(types.fields(type)));
  });

  test('outputs() gives all that handle() gives but what the page names', () => {
    const more = new Set(types.fields('Outputs'));
    const missing = types.fields('Handled').filter((field) => !more.has(field));
    expect(missing.map(withoutMark)).toEqual(['disposition', 'metadata']);
    expect(read(page)).toContain('gives all of these but `disposition` and `metadata`');
  });
});

describe('docs/telemetry.md', () => {
  const page = 'docs/telemetry.md';
  const recorded = allTelemetry();

  /** The page leaves out the beginning that all attributes but error.type have. */
  const withPrefix = (all: Record<string, readonly string[]>): Record<string, string[]> => {
    const whole = (name: string): string => (name === 'error.type' ? name : `askback.${name}`);
    return sortedFields(Object.fromEntries(Object.entries(all).map(([of, names]) => [of, names.map(whole)])));
  };

  test('has every span with its attributes', () => {
    expect(withPrefix(lastColumn(page, 'span'))).toEqual(sortedFields(recorded.spans));
  });

  test('has every metric with its kind, its unit and its attributes', () => {
    expect(withPrefix(lastColumn(page, 'metric'))).toEqual(sortedFields(recorded.metrics));
    const kinds = Object.fromEntries(
      rowsOf(page, 'metric').map(([name, kind]) => [namesIn(name)[0], kind?.split(':')[0]]),
    );
    expect(kinds).toEqual(recorded.kinds);
  });

  test('has every option of observe()', () => {
    expect(firstColumn(page, 'option')).toEqual(optionsOf('ObserveOptions'));
  });
});

test('docs/performance.md: the ratios are those of the bench', () => {
  const measured = new Map(rowsOf('docs/bench.md', '', 'Ratios').map(([what = '', ratio = '']) => [what, ratio]));
  const quoted = rowsOf('docs/performance.md', 'ratio, at 1 / 64 / 512 conversations');
  expect(quoted.length).toBeGreaterThan(5);
  const limit = [1, 64, 512].map((n) => measured.get(`Redis over corked, at ${n} conversation${n === 1 ? '' : 's'}`));
  for (const [what = '', ratio] of quoted) {
    const isLimit = what.startsWith('Redis over a bare loop');
    const found = isLimit
      ? limit.map((each) => each?.split(' ')[0]).join(' / ')
      : measured.get(`${what}, at 1 / 64 / 512`);
    expect(`${what}: ${ratio}`).toBe(`${what}: ${found}`);
  }
});

/** What observe() makes of each event: names, and every attribute that is ever set. */
function allTelemetry() {
  const spans: Record<string, string[]> = {};
  const metrics: Record<string, string[]> = {};
  const kinds: Record<string, string> = {};
  const note = (all: Record<string, string[]>, name: string, attributes: object = {}): void => {
    all[name] = [...new Set([...(all[name] ?? []), ...Object.keys(attributes)])];
  };
  const instrument = (kind: string) => (name: string, options: { unit: string }) => {
    note(metrics, name);
    kinds[name] = `${kind}, ${options.unit}`;
    const record = (_value: number, attributes?: object): void => note(metrics, name, attributes);
    return { add: record, record };
  };
  const span = { setStatus: () => span, end: () => {} };
  const tracer = {
    startSpan: (name: string, { attributes }: { attributes: object }) => {
      note(spans, name, attributes);
      return span;
    },
  };
  const meter = { createCounter: instrument('counter'), createHistogram: instrument('histogram') };
  const failure = { code: 'crashed', message: 'It died.' };
  const on = (_event: string, listener: (about: never) => void) => {
    for (const disposition of [{ type: 'insufficient' }, { type: 'failed', failure }]) {
      const about = { askId: 'a', agentName: 'support', channel: 'phone', askedAt: 0, decidedAt: 1, at: 2, retries: 0 };
      listener({ ...about, disposition, failure, attempt: 1, waited: 1, took: 1, queued: 1 } as never); // more than any event has
    }
    return () => {};
  };
  observe({ on } as never, { tracer: tracer as unknown as Tracer, meter: meter as unknown as Meter }); // as far as observe() uses them
  return { spans, metrics, kinds };
}

test('the tables of a page are found with their section and the line before', () => {
  const page =
    '# Top\n\n## One\n\nEach has `x`.\n\n| a | b |\n|---|:-:|\n| `c` | d |\n| `e?` | f `g` |\n\ntext\n\n| h |\n|---|\n| i |\n';
  expect(tablesOf(page)).toEqual([
    {
      section: 'One',
      before: 'Each has `x`.',
      headers: ['a', 'b'],
      rows: [
        ['`c`', 'd'],
        ['`e?`', 'f `g`'],
      ],
    },
    { section: 'One', before: 'text', headers: ['h'], rows: [['i']] },
  ]);
});
