/** Jobs at planned times, with a clock that stands until it is moved. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ScheduledChannel, type ScheduledJob } from '../../src/channels/scheduled.js';
import { AgentError } from '../../src/core/errors.js';
import { FakeClock, RecordingDesk, saying, settled } from './fakes.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const channels: ScheduledChannel[] = [];

async function started(clock: FakeClock, desk: RecordingDesk, ...jobs: ScheduledJob[]): Promise<ScheduledChannel> {
  const channel = new ScheduledChannel({ jobs, clock });
  channels.push(channel);
  await channel.start(desk);
  return channel;
}

const ids = (desk: RecordingDesk) => desk.received.map(({ id }) => id);

afterEach(async () => {
  await Promise.all(channels.splice(0).map((channel) => channel.stop()));
  vi.restoreAllMocks();
  vi.doUnmock('croner');
  vi.resetModules();
});

describe('a run', () => {
  test('is a message that no human wrote, known by its job and its planned time', async () => {
    const clock = new FakeClock('2026-01-01T08:58:30Z');
    const desk = new RecordingDesk();
    await started(clock, desk, {
      name: 'report',
      cron: '0 9 * * *',
      message: 'Send the report.',
      intent: 'report',
      data: { to: 'team' },
    });
    await clock.advance(90_000 - 1);
    expect(desk.received).toEqual([]);
    await clock.advance(1);
    expect(desk.received).toEqual([
      {
        id: 'report@2026-01-01T09:00:00.000Z',
        conversationId: 'scheduled:report',
        text: 'Send the report.',
        intent: 'report',
        data: { to: 'team' },
        address: null,
        automated: true,
      },
    ]);
  });

  test('without a message has an empty text, and can go to a conversation of its own', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    await started(clock, desk, { name: 'tick', cron: '* * * * *', conversationId: 'house' });
    await clock.advance(minute);
    expect(desk.received).toEqual([
      { id: 'tick@2026-01-01T00:01:00.000Z', conversationId: 'house', text: '', address: null, automated: true },
    ]);
  });

  test('comes as often as planned, each job in its own time', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    await started(clock, desk, { name: 'a', cron: '*/20 * * * *' }, { name: 'b', cron: '30 * * * *' });
    await clock.advance(hour);
    expect(ids(desk)).toEqual([
      'a@2026-01-01T00:20:00.000Z',
      'b@2026-01-01T00:30:00.000Z',
      'a@2026-01-01T00:40:00.000Z',
      'a@2026-01-01T01:00:00.000Z',
    ]);
  });

  test('fired by three replicas with clocks that differ has one id', async () => {
    const desk = new RecordingDesk();
    for (const start of ['2026-01-01T08:59:00.000Z', '2026-01-01T08:59:00.123Z', '2026-01-01T08:58:59.001Z']) {
      const clock = new FakeClock(start);
      await started(clock, desk, { name: 'report', cron: '0 9 * * *' });
      await clock.advance(2 * minute);
    }
    expect(ids(desk)).toEqual(Array(3).fill('report@2026-01-01T09:00:00.000Z'));
  });

  test('months away is waited for in pieces that a timer can hold', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    await started(clock, desk, { name: 'yearly', cron: '0 0 1 3 *' });
    await clock.advance(59 * day);
    expect(ids(desk)).toEqual(['yearly@2026-03-01T00:00:00.000Z']);
    expect(Math.max(...clock.waits)).toBeLessThan(2 ** 31);
  });
});

describe('when the process was late', () => {
  test('a slow event loop moves nothing: the id is the planned time, and the next run is on time', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    await started(clock, desk, { name: 'tick', cron: '* * * * *' });
    await clock.jump(minute + 20_000);
    await clock.advance(40_000);
    expect(ids(desk)).toEqual(['tick@2026-01-01T00:01:00.000Z', 'tick@2026-01-01T00:02:00.000Z']);
  });

  test('of several missed runs only the latest is made up for', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    await started(clock, desk, { name: 'tick', cron: '* * * * *' }, { name: 'daily', cron: '0 9 * * *' });
    await clock.jump(10 * hour);
    await clock.advance(minute);
    expect(ids(desk)).toEqual([
      'tick@2026-01-01T10:00:00.000Z',
      'daily@2026-01-01T09:00:00.000Z',
      'tick@2026-01-01T10:01:00.000Z',
    ]);
  });

  test('a clock that is set back fires nothing twice', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    await started(clock, desk, { name: 'tick', cron: '* * * * *' });
    await clock.advance(2 * minute);
    await clock.jump(-90_000);
    await clock.advance(3 * minute);
    expect(new Set(ids(desk)).size).toBe(desk.received.length);
    expect(ids(desk).at(-1)).toBe('tick@2026-01-01T00:03:00.000Z');
  });
});

describe('time zones', () => {
  test('a daily 02:30 in Berlin runs once on the day that has no 02:30', async () => {
    const clock = new FakeClock('2026-03-27T12:00:00Z');
    const desk = new RecordingDesk();
    await started(clock, desk, { name: 'nightly', cron: '30 2 * * *', timeZone: 'Europe/Berlin' });
    await clock.advance(4 * day);
    expect(ids(desk)).toEqual([
      'nightly@2026-03-28T01:30:00.000Z',
      'nightly@2026-03-29T01:00:00.000Z', // 03:00, the first moment after the gap
      'nightly@2026-03-30T00:30:00.000Z',
      'nightly@2026-03-31T00:30:00.000Z',
    ]);
  });

  test('and once on the day that has it twice', async () => {
    const clock = new FakeClock('2026-10-23T12:00:00Z');
    const desk = new RecordingDesk();
    await started(clock, desk, { name: 'nightly', cron: '30 2 * * *', timeZone: 'Europe/Berlin' });
    await clock.advance(4 * day);
    expect(ids(desk)).toEqual([
      'nightly@2026-10-24T00:30:00.000Z',
      'nightly@2026-10-25T00:30:00.000Z',
      'nightly@2026-10-26T01:30:00.000Z',
      'nightly@2026-10-27T01:30:00.000Z',
    ]);
  });

  test('without one the plan is UTC, whatever the machine is set to', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    await started(clock, desk, { name: 'nine', cron: '0 9 * * *' });
    await clock.advance(day);
    expect(ids(desk)).toEqual(['nine@2026-01-01T09:00:00.000Z']);
    vi.unstubAllEnvs();
  });
});

describe('when the store is down', () => {
  const down = () => {
    throw new AgentError('store-unavailable', 'The store did not answer.');
  };

  test('a run is tried again under the same id until it is recorded', async () => {
    const clock = new FakeClock('2026-01-01T08:59:00Z');
    const desk = new RecordingDesk();
    let tries = 0;
    desk.before = () => {
      tries += 1;
      if (tries < 4) down();
    };
    await started(clock, desk, { name: 'report', cron: '0 9 * * *' });
    await clock.advance(minute + 40_000);
    expect(tries).toBe(4);
    expect(ids(desk)).toEqual(['report@2026-01-01T09:00:00.000Z']);
  });

  test('it is given up in a bounded number of tries, with a warning and no rejection', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const clock = new FakeClock('2026-01-01T08:59:00Z');
    const desk = new RecordingDesk();
    const tried = vi.fn(down);
    desk.before = tried;
    await started(clock, desk, { name: 'report', cron: '0 9 * * *' });
    await clock.advance(2 * hour);
    expect(tried).toHaveBeenCalledTimes(6);
    expect(warned.mock.calls).toEqual([
      ['The run report@2026-01-01T09:00:00.000Z was not recorded: The store did not answer.', 'AskbackWarning'],
    ]);
    desk.before = () => {};
    await clock.advance(day);
    expect(ids(desk)).toEqual(['report@2026-01-02T09:00:00.000Z']);
  });

  test('no try is left for after the next planned run', async () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    const tried: string[] = [];
    desk.before = ({ id }) => {
      tried.push(id);
      down();
    };
    await started(clock, desk, { name: 'tick', cron: '* * * * *' });
    await clock.advance(2 * minute);
    // at once, after 1, 5 and 30 s; the next would be after two minutes
    expect(tried).toEqual([...Array(4).fill('tick@2026-01-01T00:01:00.000Z'), 'tick@2026-01-01T00:02:00.000Z']);
  });

  test('a message that can never be stored is not tried again', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    const tried = vi.fn(() => {
      throw new AgentError('bad-data', 'Too large.');
    });
    desk.before = tried;
    await started(clock, desk, { name: 'big', cron: '0 * * * *' });
    await clock.advance(hour + 10 * minute);
    expect(tried).toHaveBeenCalledTimes(1);
    expect(warned).toHaveBeenCalledTimes(1);
  });
});

describe('stop', () => {
  test('leaves no timer behind, also not one of a run that is tried again', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    const tried = vi.fn(() => {
      throw new Error('down');
    });
    desk.before = tried;
    const channel = await started(clock, desk, { name: 'tick', cron: '* * * * *' });
    await clock.advance(minute);
    await channel.stop();
    expect(clock.pending).toBe(0);
    await clock.advance(hour);
    expect(tried).toHaveBeenCalledTimes(1);
  });

  test('waits for a run that is being recorded', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    let recorded = () => {};
    desk.before = () =>
      new Promise((resolve) => {
        recorded = resolve;
      });
    const channel = await started(clock, desk, { name: 'tick', cron: '* * * * *' });
    await clock.advance(minute);
    let isStopped = false;
    const stopping = channel.stop().then(() => {
      isStopped = true;
    });
    await settled();
    expect(isStopped).toBe(false);
    recorded();
    await stopping;
    expect(ids(desk)).toEqual(['tick@2026-01-01T00:01:00.000Z']);
  });

  test('and start again goes on with the plan', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const desk = new RecordingDesk();
    const channel = await started(clock, desk, { name: 'tick', cron: '* * * * *' });
    await channel.stop();
    await clock.advance(5 * minute);
    await channel.start(desk);
    await clock.advance(minute);
    expect(ids(desk)).toEqual(['tick@2026-01-01T00:06:00.000Z']);
  });
});

describe('refused', () => {
  test('sending: nobody reads there', async () => {
    const channel = new ScheduledChannel({ name: 'nightly', jobs: [] });
    expect(channel.isTriggerChannel).toBe(true);
    await expect(channel.send(saying('hi'))).rejects.toMatchObject({
      code: 'trigger-channel',
      message: expect.stringContaining('"nightly"'),
    });
  });

  const cron = '* * * * *';
  test.each<[string, unknown, RegExp]>([
    ['no list of jobs', undefined, /jobs must be a list, got nothing/],
    ['a blank name', [{ name: ' ', cron }], /jobs\[0\]\.name must be a string that is not blank/],
    ['a name too long for an id', [{ name: 'x'.repeat(600), cron }], /jobs\[0\]\.name is 600 bytes/],
    [
      'a name too long once the time is added',
      [{ name: 'x'.repeat(490), cron }],
      /the id of a run of jobs\[0\] is 515 bytes/,
    ],
    [
      'a name twice',
      [
        { name: 'a', cron },
        { name: 'a', cron },
      ],
      /two jobs are named "a"/,
    ],
    ['no pattern', [{ name: 'a' }], /jobs\[0\]\.cron must be/],
    ['an empty time zone', [{ name: 'a', cron, timeZone: '' }], /jobs\[0\]\.timeZone must be/],
    ['a misspelt option', [{ name: 'a', cron, timezone: 'Europe/Berlin' }], /jobs\[0\]\.timezone is unknown.*timeZone/],
  ])('at construction: %s', (_, jobs, message) => {
    expect(() => new ScheduledChannel({ jobs: jobs as ScheduledJob[] })).toThrow(
      expect.objectContaining({ code: 'bad-option', message: expect.stringMatching(message) }),
    );
  });

  test.each([
    ['a bad pattern', { cron: '61 * * * *' }, /the job "a" cannot be planned: .*minute: 61\. Expected/],
    ['an unknown time zone', { cron, timeZone: 'Mars/Olympus' }, /Mars\/Olympus/],
    ['a single date', { cron: '2030-01-01T00:00:00' }, /single date/],
    ['a day that never comes', { cron: '0 0 30 2 *' }, /never comes/],
  ])('at start: %s, and no other job is armed', async (_, job, message) => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    await expect(
      started(clock, new RecordingDesk(), { name: 'good', cron }, { name: 'a', ...job }),
    ).rejects.toMatchObject({
      code: 'bad-option',
      message: expect.stringMatching(message),
    });
    expect(clock.pending).toBe(0);
  });

  test('a plan whose last year is over is no mistake', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    await started(clock, new RecordingDesk(), { name: 'old', cron: '0 0 0 1 1 * 2025' });
    expect(clock.pending).toBe(0);
  });

  test('without croner, with the line that installs it', async () => {
    vi.resetModules();
    vi.doMock('croner', () => {
      throw new Error("Cannot find package 'croner'");
    });
    const { ScheduledChannel: Fresh } = await import('../../src/channels/scheduled.js');
    const channel = new Fresh({ jobs: [{ name: 'a', cron }] });
    await expect(channel.start(new RecordingDesk())).rejects.toMatchObject({
      code: 'missing-package',
      message: expect.stringContaining('npm install croner'),
    });
  });
});
