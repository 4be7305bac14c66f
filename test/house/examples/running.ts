/**
 * A compiled example as a child process: lines in, text out. `npm test` builds them before any test runs.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { diesWithUs, patience } from '../../support/processes.js';

export interface Running {
  /** Writes lines to its input. */
  types(...lines: readonly string[]): void;
  /** Ends its input. */
  ends(): void;
  /** All of stdout, once it contains the text. */
  shows(text: string, timeoutMs?: number): Promise<string>;
  /** All of stdout, once it has ended. */
  finished(): Promise<{ stdout: string; code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
  stderr(): string;
}

export function runExample(name: string, env: NodeJS.ProcessEnv = {}, cwd = process.cwd()): Running {
  const file = fileURLToPath(new URL(`../../../dist-examples/${name}.js`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${file} is not built. Run: npm run build && npm run build:examples`);
  const child = spawn(process.execPath, [file], { env: { ...process.env, ...env }, cwd, stdio: 'pipe' });
  diesWithUs(child);
  let stdout = '';
  let stderr = '';
  let ended: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  const watchers = new Set<() => void>();
  child.stdin.on('error', () => {}); // it may have ended before it read everything
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const look of watchers) look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.on('close', (code, signal) => {
    ended = { code, signal };
    for (const look of watchers) look();
  });
  const until = <T>(what: string, timeoutMs: number, found: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        watchers.delete(look);
      };
      const fail = (why: string) => {
        done();
        reject(new Error(`${name} ${why}: ${what}\n--- stdout\n${stdout}\n--- stderr\n${stderr}`));
      };
      const look = () => {
        const value = found();
        if (value !== undefined) {
          done();
          resolve(value);
        } else if (ended !== undefined) fail('ended before');
      };
      const timer = setTimeout(() => fail(`took longer than ${timeoutMs} ms`), timeoutMs);
      watchers.add(look);
      look();
    });
  return {
    types: (...lines) => {
      for (const line of lines) child.stdin.write(`${line}\n`);
    },
    ends: () => child.stdin.end(),
    shows: (text, timeoutMs = patience) => until(text, timeoutMs, () => (stdout.includes(text) ? stdout : undefined)),
    finished: () => until('its end', patience, () => (ended === undefined ? undefined : { stdout, ...ended })),
    kill: (signal) => child.kill(signal),
    stderr: () => stderr,
  };
}
