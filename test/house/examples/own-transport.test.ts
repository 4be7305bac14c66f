/** The example transport: a chat over plain HTTP whose page loses responses, sends again, has two tabs, and whose server is killed between any two calls. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dice } from '../../../src/testing/store-contract/kit.js';
import { redisForFile } from '../../support/for-file.js';
import { runExample } from './running.js';

const { server: redis } = await redisForFile();

interface Given {
  readonly outputs: readonly { readonly key: string; readonly text: string; readonly askId?: string }[];
  readonly cursor: string;
  readonly gap?: true;
  readonly received?: string;
}

/** The program, which can be killed and started again on what it has stored. */
async function chat(env: Record<string, string>) {
  const start = async () => {
    const program = runExample('own-transport', { PORT: '0', ...env });
    const port = Number(/:(\d+)\n/.exec(await program.shows('Listening on 127.0.0.1:'))?.[1]);
    return { program, port };
  };
  let running = await start();
  onTestFinished(async () => {
    running.program.kill('SIGKILL');
    await running.program.finished();
  });
  const call = async (path: string, init: RequestInit = {}): Promise<Given> => {
    const headers = { authorization: 'Bearer anna-1' };
    const response = await fetch(`http://127.0.0.1:${running.port}${path}`, { headers, ...init });
    const body = (await response.json()) as Given & { error?: string };
    if (!response.ok) throw new Error(`${response.status} ${body.error}`);
    return body;
  };
  return {
    call,
    restart: async () => {
      running.program.kill('SIGKILL');
      await running.program.finished();
      running = await start();
    },
  };
}

/** One page: its cursor, and what it has drawn. */
class Tab {
  readonly seen: { readonly key: string; readonly text: string; readonly askId?: string }[] = [];
  #cursor: string | undefined;

  constructor(private readonly call: (path: string, init?: RequestInit) => Promise<Given>) {}

  get #after(): string {
    return this.#cursor === undefined ? '' : `after=${this.#cursor}`;
  }

  /** `isLost`: the response never reaches the page. */
  async says(id: string, text: string, isLost = false): Promise<string | undefined> {
    const given = await this.call(`/messages?${this.#after}`, { method: 'POST', body: JSON.stringify({ id, text }) });
    if (!isLost) this.#draws(given);
    return given.received;
  }

  async fetches(isLost = false): Promise<void> {
    const given = await this.call(`/outputs?${this.#after}`);
    if (!isLost) this.#draws(given);
  }

  get said(): readonly string[] {
    return this.seen.filter((each) => each.askId === undefined).map((each) => each.text);
  }

  #draws({ outputs, cursor, gap }: Given): void {
    expect(gap).toBeUndefined();
    this.seen.push(...outputs);
    this.#cursor = cursor;
  }
}

const stores: readonly (readonly [string, () => Record<string, string>])[] = [
  [
    'SQLite',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'askback-transport-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      return { DB: join(folder, 'chat.db') };
    },
  ],
  ['Redis', () => ({ REDIS_URL: redis.url })],
];

test.each(stores)(
  'on %s: everything said is seen by both tabs, in order, and nothing twice by its key',
  async (_, env) => {
    const { call, restart } = await chat(env());
    const roll = dice();
    const tabs = [new Tab(call), new Tab(call)] as const;
    for (const tab of tabs) await tab.fetches();
    const expected: string[] = [];
    let isAsked = false;
    for (let n = 0; n < 24; n += 1) {
      const tab = tabs[roll(2)] as Tab;
      const text: string = isAsked ? `${10_000 + n}` : roll(3) === 0 ? 'refund' : `n${n}`;
      const isLost = roll(3) === 0;
      await tab.says(`m${n}`, text, isLost);
      if (roll(4) === 0) await restart();
      if (isLost) await tab.says(`m${n}`, text); // the page sends it again
      if (isAsked) expected.push(`Refunded order ${text}.`);
      else if (text !== 'refund') expected.push(`You said ${text}.`);
      isAsked = text === 'refund';
      if (roll(3) === 0) await (tabs[roll(2)] as Tab).fetches(roll(2) === 0);
    }
    for (const tab of tabs) await tab.fetches();
    for (const tab of tabs) {
      expect(tab.said).toEqual(expected);
      expect(new Set(tab.seen.map(({ key }) => key)).size).toBe(tab.seen.length);
      if (isAsked) expect(tab.seen.at(-1)?.text).toBe('Which order?');
    }
  },
);

test('without a session nothing is read, and bad input is refused with what to do', async () => {
  const { call } = await chat({});
  await expect(call('/outputs', { headers: {} })).rejects.toThrow('401 Sign in first.');
  await expect(call('/outputs?after=nonsense')).rejects.toThrow(
    '400 outputs(): after must be the cursor of an earlier call',
  );
  await expect(call('/outputs?wait=99999')).rejects.toThrow(
    '400 outputs(): wait must be a whole number of ms from 0 to 60000',
  );
  const post = (body: string) => call('/messages', { method: 'POST', body });
  await expect(post('{"id":"1","text":')).rejects.toThrow('400 The body is not JSON.');
  await expect(post('null')).rejects.toThrow("400 A message's text must be a string");
  await expect(call('/messages/', { method: 'POST', body: '{"id":"1","text":"x"}' })).rejects.toThrow(
    '400 No such call',
  );
  await expect(call('/messages', { method: 'PUT', body: '{"id":"1","text":"x"}' })).rejects.toThrow('400 No such call');
});

test('a question comes with its details, which are not in its text', async () => {
  const { call } = await chat({});
  const given = await call('/messages', { method: 'POST', body: JSON.stringify({ id: '1', text: 'refund' }) });
  expect(given.outputs).toMatchObject([{ text: 'Which order?', details: { Where: 'at the top of your invoice' } }]);
});
