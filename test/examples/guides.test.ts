/** The guides to flows, to waiting, to tools and to testing: what stands below a snippet is what it prints, and the script in them runs. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, type Channel, type Desk, MemoryStore, number } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { requireApproval } from '../../src/tools/index.js';
import { read } from '../house/repository.js';
import { patience } from '../support/processes.js';
import { blocksIn } from './pages.js';

/** ASKBACK_EXAMPLES names another folder with built examples. */
const script = resolve(process.env['ASKBACK_EXAMPLES'] ?? 'dist-examples', 'ask-in-the-terminal.js');
const root = fileURLToPath(new URL('../../', import.meta.url)); // where the package's own name is known

describe('ask-in-the-terminal', () => {
  const where = 'Deploy to where?\n1. staging\n2. production\nReply with a number or a label.\n';
  const tests = 'Run the tests before?\n1. Yes\n2. No\nReply with a number or a label.\n';

  function piped(input: string): string {
    if (!existsSync(script)) throw new Error(`${script} is not built. Run: npm run build && npm run build:examples`);
    const { stdout, stderr, status } = spawnSync(process.execPath, [script], {
      input,
      encoding: 'utf8',
      timeout: patience,
    });
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  }

  test('the line in its header answers both questions, and it ends by itself', () => {
    const lines =
      /printf '(.*)' \| npx tsx ask-in-the-terminal\.ts/.exec(read('examples/ask-in-the-terminal.ts'))?.[1] ?? '';
    expect(piped(lines.replaceAll('\\n', '\n'))).toBe(`${where}${tests}Deploys to production, after the tests.\n`);
  });

  test('a no is an answer', () => {
    expect(piped('staging\nno\n')).toContain('Deploys to staging, without the tests.\n');
  });

  test.each([
    ['', 'cancelled, cancelled'],
    ['2\n', 'answered, cancelled'],
    ['never mind\nyes\n', 'declined, answered'],
  ])('with the input %j nothing is deployed, and it ends all the same', (input, said) => {
    expect(piped(input)).toContain(`Nothing is deployed: ${said}.\n`);
  });
});

/** What conversations are played with: lines of several people in one room. */
const stage = `
import { rehearse as rehearsed } from 'askback/testing';
async function conversation(options, lines, people) {
  const play = await rehearsed(options);
  const seats = new Map(Object.entries(people).map(([name, participant]) => [name, play.human(name, { conversationId: 'room', participant })]));
  for (const line of lines) {
    const [, who, words] = /^(\\w+): (.*)$/s.exec(line);
    for (const seat of seats.values()) seat.sees();
    console.log(who + '> ' + words);
    for (const text of await seats.get(who).says(words)) console.log(text);
  }
  await play.stop();
}
`;

/** What a snippet prints, with what the page plays after it. */
function printed(code: string): string {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', outputText], {
    cwd: root,
    encoding: 'utf8',
    timeout: patience,
  });
  expect(stderr).toBe('');
  return stdout;
}

describe.each([
  ['docs/flows.md', 4],
  ['docs/waiting.md', 5],
])('%s', (page, atLeast) => {
  const guide = read(page);
  /** The snippets that are followed by what they print. */
  const played = blocksIn(page, guide).flatMap(({ line, given, code }) => {
    const lines = guide.split('\n').slice(line + code.split('\n').length - 1);
    const after = /^```\n(?:<!-- plays\n([\s\S]*?)-->\n)?```text\n([\s\S]*?)^```$/m.exec(lines.join('\n'));
    const [, plays = '', said = ''] = after?.index === 0 ? after : [];
    return after?.index === 0 ? [{ line, code: `${stage}${given}${code}${plays}`, said }] : [];
  });

  test('shows what many of its snippets do', () => {
    expect(played.length).toBeGreaterThanOrEqual(atLeast);
  });

  test.each(played)('what stands below the snippet at line $line is what it prints', ({ code, said }) => {
    expect(printed(code)).toBe(said);
  });

  test('every heading that a link of the page names is there', () => {
    const headings = [...guide.matchAll(/^#+ (.+)$/gm)].map((match) =>
      (match[1] ?? '')
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    const named = [...guide.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1] ?? '');
    expect(named.filter((name) => !headings.includes(name))).toEqual([]);
  });
});

describe('what the guides promise', () => {
  const breath = () => new Promise<void>((resolve) => setImmediate(resolve));
  async function settle(): Promise<void> {
    for (let i = 0; i < 30; i += 1) await breath();
  }

  /** Processes without agents on one store, each with a chat of its own. */
  function processes() {
    const clock = new FakeClock();
    const store = new MemoryStore({ clock });
    let messages = 0;
    const begin = async () => {
      let desk: Desk | undefined;
      const chat: Channel = {
        name: 'chat',
        start: (given) => {
          desk = given;
        },
        send: async () => {},
        conversationFor: String,
      };
      const registry = new AgentRegistry({ channels: [chat], store, clock });
      onTestFinished(() => registry.stop());
      await registry.start();
      const types = async (conversationId: string, text: string) => {
        messages += 1;
        const participant = { id: `chat:${conversationId}` };
        await desk?.receive({ id: `m${messages}`, conversationId, text, participant, address: conversationId });
        await settle();
      };
      return { registry, types };
    };
    return { begin, clock };
  }

  test('without agents, a message where nobody waits stays in line; where somebody does it is handled by nobody', async () => {
    const { registry, types } = await processes().begin();
    const { askId: id } = await registry.ask(number('How many?'), { channel: 'chat', to: 'anna' });
    await types('ben', 'hello');
    await types('anna', '/help');
    expect((await registry.history('ben')).items).toEqual([]);
    expect((await registry.history('anna')).items.at(-1)).toMatchObject({ disposition: { type: 'ordinary' } });
    await types('anna', '4');
    expect(await registry.wait(id)).toMatchObject({ status: 'answered', value: 4 });
  });

  test('without agents, after a restart a deadline is kept, and whoever waits then is told', async () => {
    const { begin, clock } = processes();
    const { registry: before } = await begin();
    const { askId: id } = await before.ask(number('How many?'), { channel: 'chat', to: 'anna', expiresIn: 60_000 });
    await before.stop();
    const { registry: after } = await begin();
    await clock.advance(120_000, settle);
    expect(await after.getAsk(id)).toMatchObject({ status: 'expired' });
    expect(await after.wait(id)).toMatchObject({ status: 'expired' });
  });

  test('an approval is used once, whichever process resumes it', async () => {
    const { begin } = processes();
    const keys: (string | undefined)[] = [];
    const made = async () => {
      const { registry } = await begin();
      const tool = {
        name: 'refund',
        inputSchema: { type: 'object' },
        execute: (_: unknown, { effectKey }: { effectKey?: string }) => {
          keys.push(effectKey);
          return 'Refunded.';
        },
      };
      const where = { channel: 'chat', to: 'max' };
      return { registry, refund: requireApproval(tool, { registry, where, answerableBy: ['web:max'] }) };
    };
    const [here, there] = [await made(), await made()];
    const interrupt = await here.refund.open({ order: '1' }, { callId: 'a' });
    if (interrupt === undefined || interrupt.kind === 'closed') throw new Error('nothing was asked');
    await here.registry.answer(interrupt.id, { value: 'once' }, { by: { id: 'web:max' } });
    expect(await here.refund.resume(interrupt)).toBe('Refunded.');
    expect(await here.refund.resume(interrupt)).toMatch(/has been used already/);
    expect(await there.refund.resume(interrupt)).toMatch(/has been used already/);
    expect(keys).toEqual([interrupt.id]);
  });
});
