/** The terminal channel, typed and piped, in front of a desk that only writes down. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import ts from 'typescript';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TerminalChannel, type TerminalOptions } from '../../src/channels/terminal.js';
import { AgentError } from '../../src/core/errors.js';
import { diesWithUs } from '../support/processes.js';
import { asking, FakeClock, RecordingDesk, saying, settled } from './fakes.js';

const held = vi.hoisted(() => ({ count: 0 }));
vi.mock('../../src/machine/clock.js', async (original) => ({
  ...(await original<typeof import('../../src/machine/clock.js')>()),
  keepAlive: () => {
    held.count += 1;
    return () => {
      held.count -= 1;
    };
  },
}));

let input: PassThrough;
let output: PassThrough;
let printed: string;
let desk: RecordingDesk;
let clock: FakeClock;
let channel: TerminalChannel;

async function start(options: TerminalOptions = {}): Promise<void> {
  channel = new TerminalChannel({ input, output, clock, ...options });
  await channel.start(desk);
}

function asTty(): { raw: boolean[] } {
  const raw: boolean[] = [];
  Object.assign(input, { isTTY: true, setRawMode: (on: boolean) => raw.push(on) });
  Object.assign(output, { isTTY: true, columns: 40 });
  vi.stubEnv('TERM', 'xterm');
  return { raw };
}

beforeEach(() => {
  input = new PassThrough();
  output = new PassThrough();
  printed = '';
  output.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  desk = new RecordingDesk();
  clock = new FakeClock('2026-01-01T00:00:00Z');
});

afterEach(async () => {
  await channel?.stop();
  expect(held.count).toBe(0);
  vi.unstubAllEnvs();
});

test('a terminal that two registries are given is refused to the second, until the first has stopped', async () => {
  await start();
  const second = new RecordingDesk();
  await expect(channel.start(second)).rejects.toThrow(
    'The TerminalChannel "terminal" is started already, by another registry. Give each registry a channel of its own',
  );
  input.write('still heard\n');
  await settled();
  expect(desk.received.map(({ text }) => text)).toEqual(['still heard']);
  await channel.stop();
  await channel.start(second);
});

test('a second terminal on the same input is refused until the first has stopped: each line would arrive twice', async () => {
  await start();
  const twin = new TerminalChannel({ name: 'twin', input, output, clock });
  await expect(twin.start(new RecordingDesk())).rejects.toThrow(
    'The TerminalChannel "twin" has the same input as the started TerminalChannel "terminal", so each line would arrive twice. Give each an input and a name of its own, or stop the other one first.',
  );
  const other = new TerminalChannel({ name: 'other', input: new PassThrough(), output, clock });
  await other.start(new RecordingDesk());
  await other.stop();
  await channel.stop();
  channel = twin;
  await channel.start(desk);
});

describe('reading', () => {
  test('piped lines arrive in order, each once the one before it is stored', async () => {
    let storing = 0;
    desk.before = async () => {
      storing += 1;
      expect(storing).toBe(1);
      await settled();
      storing -= 1;
    };
    await start();
    input.end('one\ntwo\r\nthree');
    await expect.poll(() => desk.texts).toEqual(['one', 'two', 'three']);
  });

  test('says who wrote, where, and where the reply goes', async () => {
    await start({ conversationId: 'c1', participant: { id: 'terminal:anna', name: 'Anna' }, newId: () => 'id-1' });
    input.write('hello\n');
    await settled();
    expect(desk.received).toEqual([
      {
        id: 'id-1',
        conversationId: 'c1',
        text: 'hello',
        participant: { id: 'terminal:anna', name: 'Anna' },
        address: null,
        prepared: true, // it is no terminal that a person types at
      },
    ]);
    expect(channel.conversationFor()).toBe('c1');
  });

  test('the same line twice is two messages, also after a restart', async () => {
    await start();
    input.write('yes\nyes\n');
    await settled();
    await channel.stop();
    input = new PassThrough();
    await start();
    input.write('yes\n');
    await settled();
    expect(new Set(desk.received.map(({ id }) => id)).size).toBe(3);
  });

  test('a blank line is not sent on: it can neither answer nor approve', async () => {
    await start();
    input.write('\n   \n\t\n\u200b\n\u001b[0m\nyes\n');
    await settled();
    expect(desk.texts).toEqual(['yes']);
  });

  test('a line beyond every limit is passed on whole, and a refusal is shown', async () => {
    const long = 'x'.repeat(200_000);
    desk.before = ({ text }) => {
      if (text.length > 65_536) throw new AgentError('bad-data', 'text is 200000 bytes.\u001b[2J');
    };
    await start();
    input.write(`${long}\nnext\n`);
    await expect.poll(() => desk.texts).toEqual(['next']);
    expect(printed).toBe('Not received: text is 200000 bytes.\n');
  });

  test('a pipe longer than the queue waits for room instead of losing lines', async () => {
    let full = 3;
    desk.before = () => {
      if (full-- > 0) throw new AgentError('queue-full', 'full');
    };
    await start();
    input.end('one\ntwo\n');
    await settled();
    expect(desk.texts).toEqual([]);
    await clock.advance(1_000);
    expect(desk.texts).toEqual(['one', 'two']);
    expect(printed).toBe('');
  });

  test('an input error ends the input, and nothing is thrown', async () => {
    await start();
    input.write('one\n');
    await settled();
    input.destroy(new Error('EIO'));
    await settled();
    await clock.advance(2_000);
    expect(desk.texts).toEqual(['one']);
    expect(held.count).toBe(0);
  });
});

describe('printing', () => {
  test('a piped run shows no prompt and no escapes', async () => {
    await start({ greeting: 'Hello!' });
    input.write('hi\n');
    await settled();
    await channel.send(saying('What is your order number?'));
    expect(printed).toBe('Hello!\nWhat is your order number?\n');
  });

  test('options are numbered, details stand beside the question, and a line says how to answer', async () => {
    await start();
    await channel.send(asking('Which plan?', ['Small', 'Large'], { Customer: 'Anna' }));
    expect(printed).toBe('Which plan?\nCustomer: Anna\n1. Small\n2. Large\nReply with a number or a label.\n');
  });

  test('hostile text cannot act: no escapes, no carriage returns, no forged option', async () => {
    await start({ greeting: '\u001b]0;owned\u0007Hi' });
    await channel.send(
      asking('Pay?\u001b[2J\u001b[1;1H\rDone', ['Yes\n2. No', '\u202eoN\u009b31m'], {
        To: 'Eve\r\nTo: Bob',
        '\u001b[8m': '\u0007',
      }),
    );
    expect(printed).not.toMatch(/[^\P{C}\n]/u);
    expect(printed.split('\n')).toEqual([
      'Hi',
      'Pay?',
      'Done',
      'To: Eve To: Bob',
      ': ',
      '1. Yes 2. No',
      '2. oN31m',
      'Reply with a number or a label.',
      '',
    ]);
  });

  test('a terminal that is gone makes send() fail, and nothing else', async () => {
    await start();
    output.destroy(new Error('EPIPE'));
    await expect(channel.send(saying('hello'))).rejects.toThrow();
  });
});

describe('a person types', () => {
  test('there is a prompt, and a question that comes meanwhile leaves the half-typed line intact', async () => {
    asTty();
    await start();
    expect(printed).toContain('> ');
    input.write('hel');
    await settled();
    printed = '';
    await channel.send(saying('First?'));
    await channel.send(saying('Second?'));
    expect(printed).toMatch(/First\?\n.*> hel.*Second\?\n.*> hel/s);
    input.write('lo\n');
    await settled();
    expect(desk.texts).toEqual(['hello']);
  });

  test('a half-typed line over several rows is cleared from its first row and drawn again below', async () => {
    asTty();
    await start();
    for (let i = 0; i < 100; i++) input.write('x'); // three rows of 40
    await settled();
    printed = '';
    await channel.send(saying('Sure?'));
    expect(printed).toBe(`\u001b[2A\r\u001b[0JSure?\n\u001b[1G\u001b[0J> ${'x'.repeat(100)}\u001b[23G`);
  });

  test('stop() gives the terminal back and reads no more', async () => {
    const { raw } = asTty();
    await start();
    await channel.stop();
    expect(raw).toEqual([true, false]);
    input.write('late\n');
    await settled();
    expect(desk.texts).toEqual([]);
    printed = '';
    await channel.send(saying('bye'));
    expect(printed).toBe('bye\n');
  });

  test('a dumb terminal gets plain text', async () => {
    asTty();
    vi.stubEnv('TERM', 'dumb');
    await start();
    await channel.send(saying('hi'));
    expect(printed).toBe('hi\n');
  });
});

describe('the end', () => {
  test('the process is held while the input is open, however long nothing happens', async () => {
    await start();
    await clock.advance(3_600_000);
    expect(held.count).toBe(1);
  });

  test('after the end of input it is held until every line has its reply', async () => {
    await start();
    input.end('one\ntwo\n');
    await settled();
    await channel.send(saying('to one'));
    await clock.advance(1_900);
    expect(held.count).toBe(1);
    await channel.send(saying('to two'));
    await clock.advance(249);
    expect(held.count).toBe(1);
    await clock.advance(1);
    expect(held.count).toBe(0);
  });

  test('a line that gets no reply holds the process for two quiet seconds', async () => {
    await start();
    input.end('one\n');
    await settled();
    await clock.advance(1_999);
    expect(held.count).toBe(1);
    await clock.advance(1);
    expect(held.count).toBe(0);
  });

  test('stop() lets go at once and drops what was not handed over', async () => {
    let go = () => {};
    desk.before = () =>
      new Promise((resolve) => {
        go = resolve;
      });
    await start();
    input.write('one\ntwo\nthree\n');
    await settled();
    await channel.stop();
    expect(held.count).toBe(0);
    go();
    await settled();
    expect(desk.texts).toEqual(['one']);
  });

  test('stop() without start() does nothing', async () => {
    channel = new TerminalChannel({ input, output });
    await expect(channel.stop()).resolves.toBeUndefined();
  });
});

test.each([
  [{ name: '' }, /name must be/],
  [{ conversationId: '  ' }, /conversationId must be/],
  [{ participant: { id: '' } }, /participant\.id must be/],
])('options that cannot work are refused: %j', (options, message) => {
  expect(() => new TerminalChannel(options)).toThrow(
    expect.objectContaining({ code: 'bad-option', message: expect.stringMatching(message) }),
  );
});

describe('a real process', () => {
  let dir: string | undefined;
  afterAll(() => dir && rm(dir, { recursive: true, force: true }));

  test('fed by a pipe, it prints the late replies and then ends by itself', async () => {
    dir = await transpiled();
    await writeFile(
      join(dir, 'main.mjs'),
      `import { TerminalChannel } from './channels/terminal.js';
       const channel = new TerminalChannel();
       const later = (work) => setTimeout(work, 100).unref(); // as the library's own timers
       await channel.start({ receive: async ({ text }) => {
         later(() => channel.send({ key: text, conversationId: 'c', address: null, text: 're: ' + text, shape: { type: 'text' } }));
         return 'recorded';
       } });`,
    );
    const child = spawn(process.execPath, [join(dir, 'main.mjs')], { stdio: ['pipe', 'pipe', 'pipe'] });
    diesWithUs(child);
    let written = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
    child.stdin.end('one\n\ntwo\n');
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, written }).toEqual({ code: 0, written: 're: one\nre: two\n' });
  });
});

/** The rooms up to the channels as plain JavaScript, where they find their packages. */
async function transpiled(): Promise<string> {
  const cache = 'node_modules/.cache';
  await mkdir(cache, { recursive: true });
  const dir = await mkdtemp(join(cache, 'terminal-'));
  await writeFile(join(dir, 'package.json'), '{ "type": "module" }');
  for (const room of ['core', 'machine', 'channels']) {
    for (const file of (await readdir(join('src', room), { recursive: true })).filter((name) => name.endsWith('.ts'))) {
      const { outputText } = ts.transpileModule(await readFile(join('src', room, file), 'utf8'), {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true },
      });
      const made = join(dir, room, file.replace(/\.ts$/, '.js'));
      await mkdir(dirname(made), { recursive: true });
      await writeFile(made, outputText);
    }
  }
  return dir;
}
