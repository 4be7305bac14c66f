/** The example channel, talked to over its own protocol. */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Running, runExample } from './running.js';

let program: Running;
let port: number;
const sockets: Socket[] = [];

beforeEach(async () => {
  program = runExample('own-channel', { PORT: '0' });
  port = Number(/:(\d+)\n/.exec(await program.shows('Listening on 127.0.0.1:'))?.[1]);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  program.kill('SIGTERM');
  expect(await program.finished()).toMatchObject({ code: 0 });
});

type Line = { key?: string; text?: string; askId?: string; options?: unknown; ok?: string; error?: string };

function client() {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    writes: (line: object | string) => socket.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`),
    /** The next lines, that many, in order of arrival. */
    hears: async (count: number): Promise<Line[]> => {
      const heard: Line[] = [];
      while (heard.length < count) heard.push(JSON.parse((await lines.next()).value as string) as Line);
      return heard;
    },
  };
}

test('a button answers the question, once, and a line sent again changes nothing', async () => {
  const anna = client();
  anna.writes({ id: '1', from: 'anna', text: 'deploy' });
  const first = await anna.hears(2);
  expect(first).toContainEqual({ ok: '1' });
  const question = first.find((line) => line.text !== undefined);
  expect(question).toMatchObject({
    text: 'Deploy to production?',
    options: [
      { id: 'yes', label: 'Deploy' },
      { id: 'no', label: 'Wait' },
    ],
  });

  const press = { id: '2', from: 'anna', askId: question?.askId, choice: 'yes' };
  anna.writes(press);
  const second = await anna.hears(2);
  expect(second.map((line) => line.text ?? line.ok).sort()).toEqual(['2', 'Deployed.']);

  anna.writes(press);
  anna.writes({ id: '3', from: 'anna', text: 'thanks' });
  const third = await anna.hears(3);
  expect(third.map((line) => line.text ?? line.ok).sort()).toEqual(['2', '3', 'I can deploy.']);
});

test("somebody else's button decides nothing, and the question waits for the one who was asked", async () => {
  const [anna, eve] = [client(), client()];
  anna.writes({ id: '1', from: 'anna', text: 'deploy' });
  const askId = (await anna.hears(2)).find((line) => line.askId !== undefined)?.askId;

  eve.writes({ id: '1', from: 'eve', askId, choice: 'yes' });
  expect((await eve.hears(2)).map((line) => line.text)).toContain("I can't find this question here.");

  anna.writes({ id: '2', from: 'anna', text: 'Wait' });
  expect((await anna.hears(2)).map((line) => line.text)).toContain('Not deployed.');
});

test('a line that is no JSON is told so', async () => {
  const anna = client();
  anna.writes('deploy');
  expect((await anna.hears(1))[0]?.error).toContain('Expected a line such as');
});

test('it ends while somebody is connected, whether they have spoken or not', async () => {
  connect(port, '127.0.0.1').on('error', () => {}); // is never closed by this side
  const silent = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  const ben = client();
  ben.writes({ id: '1', from: 'ben', text: 'hi' });
  await ben.hears(2);
  program.kill('SIGTERM');
  expect(await program.finished()).toMatchObject({ code: 0 });
  silent.destroy();
});
