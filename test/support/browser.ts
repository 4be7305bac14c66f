/**
 * A real Chromium for tests, headless, and a fetch handler on loopback for it to visit. Chromium comes from CHROMIUM or from PATH;
 * on Debian and Ubuntu root installs it with apt; anywhere else the tests fail with the line to install it. It is never skipped.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { serve } from '@hono/node-server';
import { type Browser, type BrowserContext, chromium, devices, type Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { patience } from './processes.js';

const run = promisify(execFile);

/** How a visitor's browser is set up. */
export interface VisitOptions {
  readonly dark?: boolean;
  /** A phone: 390 × 664, touch, a mobile user agent. */
  readonly phone?: boolean;
  /** False for a browser that runs no script. */
  readonly javaScript?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A visitor: a page in a context of its own (cookies, storage), and what went wrong in it. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Uncaught errors and `console.error` of every page in this context, refusals by a content security policy included. */
  readonly problems: readonly string[];
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** One browser for all tests of a file: awaited at the top of the file, closed after its last test. */
export async function browserForFile() {
  const browser = await chromium.launch({ executablePath: await findChromium(), args: flags, timeout: patience });
  afterAll(() => browser.close());
  return { browser, visit: (options: VisitOptions = {}) => visit(browser, options) };
}

async function visit(browser: Browser, options: VisitOptions): Promise<Visit> {
  const { defaultBrowserType: _, ...phone } = devices['iPhone 13'] ?? {};
  const context = await browser.newContext({
    ...(options.phone ? phone : { viewport: { width: 1280, height: 800 } }),
    colorScheme: options.dark ? 'dark' : 'light',
    javaScriptEnabled: options.javaScript ?? true,
    reducedMotion: 'reduce', // nothing moves while a test looks
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...(options.headers ? { extraHTTPHeaders: { ...options.headers } } : {}),
  });
  context.setDefaultTimeout(patience);
  const problems: string[] = [];
  context.on('weberror', (error) => problems.push(error.error().message));
  context.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return { page: await context.newPage(), context, problems };
}

/** What axe finds on the page as it is now: one line each, empty when it is clean. `rules` are all of them unless told. */
export async function accessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  // as an expression of the debugger, because a content security policy refuses a script tag
  if (!(await page.evaluate('"axe" in globalThis')))
    await page.evaluate(await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'));
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  const violations = (await page.evaluate(`axe.run(${options}).then(({ violations }) => violations)`)) as {
    id: string;
    help: string;
    nodes: { html: string }[];
  }[];
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Writes a picture of the page into SCREENSHOTS, else into a folder of the system's temporary one; gives its path. */
export async function screenshot(page: Page, name: string): Promise<string> {
  const folder = process.env.SCREENSHOTS ?? join(tmpdir(), 'askback-screenshots');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  return path;
}

/** A fetch handler on a port of loopback. `close` also ends the connections that are open, streams included. */
export async function serveForBrowser(
  fetch: (request: Request) => Response | Promise<Response>,
  port = 0,
): Promise<{ readonly url: string; readonly port: number; readonly close: () => Promise<void> }> {
  const server = serve({ fetch, port, hostname: '127.0.0.1', overrideGlobalObjects: false });
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  const { port: bound } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${bound}`, port: bound, close };
}

// --- where the program comes from ---

let found: Promise<string> | undefined;

/** The path of a Chromium or Chrome. */
export function findChromium(): Promise<string> {
  found ??= find();
  return found;
}

async function find(): Promise<string> {
  const named = process.env.CHROMIUM;
  if (named && !existsSync(named)) throw new Error(`CHROMIUM names ${named}, and there is no such file.`);
  const there = named || onPath();
  if (there) return there;
  let problem = 'no chromium, chromium-browser or google-chrome is on PATH, and only root may install one';
  if (process.getuid?.() === 0) {
    problem = await installed().then(
      () => 'apt-get installed it, and it is not on PATH',
      (error: Error) => error.message,
    );
    const now = onPath();
    if (now) return now;
  }
  throw new Error(
    'The browser tests need Chromium. Install it (`apt-get install chromium`, `brew install --cask chromium`) ' +
      `or set CHROMIUM to its path. What went wrong here: ${problem}`,
  );
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((program) => folders.map((folder) => join(folder, program)))
    .find((path) => existsSync(path));
}

async function installed(): Promise<void> {
  const install = () => run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium']);
  await install().catch(async () => {
    await run('apt-get', ['update']);
    await install();
  });
}
