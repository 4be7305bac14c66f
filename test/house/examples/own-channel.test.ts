/** The example channel, talked to over its own protocol. */
import { once } from 'node:events';
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
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {}); // the other side may close before it has read everything
  const reader = createInterface({ input: socket }).on('error', () => {}); // it repeats the errors of its input
  const lines = reader[Symbol.asyncIterator]();
  return {
    writes: (line: object | string) => socket.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`),
    writesRaw: (text: string) => socket.write(text),
    resets: () => socket.resetAndDestroy(),
    isConnected: () => once(socket, 'connect'),
    isClosed: () => closed,
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

test('a line that is no message is told so, and the connection is closed', async () => {
  for (const line of ['deploy', '', 'null', '[]', '{"id":"1"}', '{"id":"1","from":"anna","text":{}}']) {
    const anna = client();
    anna.writes(line);
    expect((await anna.hears(1))[0]?.error).toContain('Expected a line such as');
    await anna.isClosed();
  }
});

test("a browser's HTTP request says nothing, whatever is in its body", async () => {
  const anna = client();
  anna.writes({ id: '1', from: 'anna', text: 'deploy' });
  await anna.hears(2);
  const body = `\n${JSON.stringify({ id: '2', from: 'anna', text: 'yes' })}\n`;
  const request = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', mode: 'no-cors', body });
  await expect(request).rejects.toThrow();
  anna.writes({ id: '3', from: 'anna', text: 'no' });
  expect((await anna.hears(2)).map((line) => line.text)).toContain('Not deployed.');
});

test('a connection that is reset ends alone: while idle, while it is replied to, after garbage', async () => {
  const deploy = { id: '1', from: 'eve', text: 'deploy' };
  const many = Array.from({ length: 200 }, (_, n) => JSON.stringify({ ...deploy, id: `${n}` })).join('\n');
  for (const said of [undefined, deploy, many, '\u0000 garbage', '{"half":']) {
    const eve = client();
    await eve.isConnected();
    if (said !== undefined) eve.writes(said);
    if (said === deploy || said === many) await eve.hears(1);
    eve.resets();
  }
  const anna = client();
  anna.writes({ id: '1', from: 'anna', text: 'hi' });
  expect(await anna.hears(2)).toContainEqual({ ok: '1' });
});

test('a line longer than 64 KiB closes the connection, before or after its end has come', async () => {
  const text = 'x'.repeat(64 * 1024);
  const whole = client();
  whole.writes({ id: '1', from: 'eve', text });
  await whole.isClosed();
  const endless = client();
  const feeding = setInterval(() => endless.writesRaw(text), 1);
  await endless.isClosed().finally(() => clearInterval(feeding));
  const anna = client();
  anna.writes({ id: '1', from: 'anna', text: 'x'.repeat(60 * 1024) });
  expect(await anna.hears(1)).toHaveLength(1);
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
