/** The command line of the bench. */
import { expect, test } from 'vitest';
import { entries, named } from '../../../bench/contenders.js';
import { readOptions, usage } from '../../../bench/options.js';

const read = (...args: string[]) => readOptions(args, entries);
const options = (...args: string[]) => {
  const given = read(...args);
  if (given.type !== 'options') throw new Error(JSON.stringify(given));
  return given.options;
};

test('without options everything is measured in several rounds, and written', () => {
  expect(options()).toMatchObject({ only: undefined, growth: true, replicas: true, write: true, quick: false });
  expect(options().rounds).toBeGreaterThanOrEqual(3);
});

test('a quick or partial run overwrites nothing unless it is asked to', () => {
  expect(options('--quick')).toMatchObject({ rounds: 1, growth: true, write: false });
  expect(options('--quick', '--write').write).toBe(true);
  expect(options('--only', 'askback').write).toBe(false);
  expect(options('--only', 'askback', '--write').write).toBe(true);
  expect(options('--no-write').write).toBe(false);
});

test('--only measures what it names and nothing else', () => {
  expect(options('--only', 'askback-memory,growth')).toMatchObject({ growth: true, replicas: false });
  expect(options('--only', 'askback,growth', '--no-growth').growth).toBe(false);
  expect(named(entries, ['askback']).map((each) => each.name)).toContain('askback-redis-always');
  expect(named(entries, ['bare-corked']).map((each) => each.name)).toEqual(['bare-corked']);
});

test('with --against all that two builds can be compared in has a name, and nothing else', () => {
  expect(options('--against', 'main', '--only', 'askback-memory-class').only).toEqual(['askback-memory-class']);
  for (const name of ['bare-corked', 'growth'])
    expect(read('--against', 'main', '--only', name)).toMatchObject({ type: 'problem' });
  expect(read('--only', 'askback-memory-class')).toMatchObject({ type: 'problem' });
});

test('values come after a space or after an equals sign', () => {
  expect(options('--rounds', '7', '--ms=250')).toMatchObject({ rounds: 7, ms: 250 });
});

test('the command is repeated as it was given, without the folder of this machine', () => {
  expect(options().command).toBe('npm run bench');
  expect(options('--quick', '--rounds=2', '--out', '/home/somebody').command).toBe(
    'npm run bench -- --quick --rounds 2',
  );
});

test.each([
  [['--qiuck'], 'Unknown option: --qiuck'],
  [['quick'], 'Unknown option: quick'],
  [['--constructor'], 'Unknown option: --constructor'],
  [['--only'], '--only needs a <names>.'],
  [['--only', '--quick'], '--only needs a <names>.'],
  [['--only', 'askback,'], '--only: nothing is named "".'],
  [['--only', 'grammer'], '--only: nothing is named "grammer".'],
  [['--rounds', '0'], '--rounds must be a whole number from 1 up, got "0".'],
  [['--rounds', '-1'], '--rounds must be a whole number from 1 up, got "-1".'],
  [['--ms', '2s'], '--ms must be a whole number from 1 up, got "2s".'],
  [['--quick=yes'], '--quick takes no value.'],
  [['--write', '--no-write'], '--write and --no-write: give one of them.'],
])('%j is refused by name, with the list of what there is', (args, says) => {
  const given = read(...args);
  expect(given).toMatchObject({ type: 'problem', problem: expect.stringContaining(says) });
  expect(given).toMatchObject({ problem: expect.stringContaining(usage(entries)) });
});

test('every option and every name is in the list', () => {
  expect(read('--help')).toEqual({ type: 'help' });
  for (const name of ['quick', 'only', 'rounds', 'ms', 'no-growth', 'write', 'no-write', 'out'])
    expect(usage(entries)).toContain(`--${name}`);
  for (const { name } of entries) expect(usage(entries)).toContain(name);
});

test('a comparison with another revision overwrites no page, and a release of Node is a number', () => {
  expect(options('--against', '5c1ae3f')).toMatchObject({ against: '5c1ae3f', write: false });
  expect(options().against).toBeUndefined();
  expect(read('--node', 'latest')).toMatchObject({ type: 'problem' });
  expect(options('--node', '24').command).toBe('npm run bench -- --node 24');
});
