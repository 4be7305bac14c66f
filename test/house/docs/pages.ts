/**
 * The pages people read, taken apart: code blocks, links and headings, with where they stand.
 * Nothing is judged here; snippets.ts does that.
 */
import { existsSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { read } from '../repository.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Every page of docs/, found by listing, and those beside it. */
export const pages: readonly string[] = [
  'README.md',
  'src/README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
    .sort(),
].filter((page) => existsSync(root + page));

/** The pages that a newcomer runs first: their programs are run by `npm test`, those of the others by the long rounds. */
export const readFirst: readonly string[] = ['README.md', 'docs/getting-started.md', 'docs/agents.md'];

/** A fenced block of any language. */
export interface Fence {
  readonly language: string;
  /** What stands after the language: `no-run: needs a Redis server` and the like. */
  readonly marks: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly code: string;
  /** The line after the closing fence. */
  readonly after: number;
}

export interface Block extends Fence {
  readonly page: string;
  /** The ```text block that follows directly: what the program prints. */
  readonly output?: string;
}

export function fencesIn(text: string): Fence[] {
  const lines = text.split('\n');
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = '', ticks = '', language = '', marks = ''] = /^( *)(`{3,})(\S*)(.*)$/.exec(lines[at] ?? '') ?? [];
    if (ticks === '') continue;
    const begin = at;
    const code: string[] = [];
    for (at += 1; at < lines.length && (lines[at] ?? '').trim() !== ticks; at += 1) {
      code.push((lines[at] ?? '').startsWith(indent) ? (lines[at] ?? '').slice(indent.length) : (lines[at] ?? ''));
    }
    fences.push({
      language,
      marks: marks.trim(),
      line: begin + 1,
      code: code.map((line) => `${line}\n`).join(''),
      after: at + 2,
    });
  }
  return fences;
}

/** Every block of TypeScript in a page. */
export function blocksIn(page: string, text: string): Block[] {
  const lines = text.split('\n');
  const fences = fencesIn(text);
  return fences.flatMap((fence, i) => {
    if (fence.language !== 'ts') return [];
    const next = fences[i + 1];
    const between = lines.slice(fence.after - 1, (next?.line ?? 0) - 1);
    const printed = next?.language === 'text' && between.every((line) => line.trim() === '') ? next.code : undefined;
    return { ...fence, page, ...(printed === undefined ? {} : { output: printed }) };
  });
}

/** The page with its code taken out; lines keep their numbers. */
export function prose(text: string): string {
  const lines = text.split('\n');
  for (const { line, after } of fencesIn(text)) {
    for (let at = line - 1; at < after - 1 && at < lines.length; at += 1) lines[at] = '';
  }
  return lines.join('\n').replace(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, '');
}

export interface Link {
  readonly line: number;
  /** The file it leads to, from the root of the repository. */
  readonly file: string;
  readonly anchor?: string;
}

/** The links of a page to files of the repository. */
export function linksIn(page: string, text: string): Link[] {
  const plain = prose(text);
  const found = plain.matchAll(/\]\(<?([^)\s>]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)|(?:src|srcset|href)="([^"]+)"/gm);
  return [...found].flatMap((match) => {
    const target = match[1] ?? match[2] ?? match[3] ?? '';
    if (/^[a-z][a-z+.-]*:/i.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : posix.join(posix.dirname(page), path);
    const line = plain.slice(0, match.index).split('\n').length;
    return { line, file, ...(anchor === undefined ? {} : { anchor }) };
  });
}

/** The anchors that the headings of a page have on GitHub, and those set by hand. */
export function anchorsIn(text: string): string[] {
  const lines = text.split('\n');
  for (const { line, after } of fencesIn(text)) {
    for (let at = line - 1; at < after - 1 && at < lines.length; at += 1) lines[at] = '';
  }
  const seen = new Map<string, number>();
  return lines.flatMap((line) => {
    const byHand = [...line.matchAll(/<a (?:id|name)="([^"]+)"/g)].map((match) => match[1] ?? '');
    const heading = /^#{1,6} +(.+?)(?: +#+)? *$/.exec(line)?.[1];
    if (heading === undefined) return byHand;
    const slug = heading
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return [...byHand, times === 0 ? slug : `${slug}-${times}`];
  });
}

export function blocksOf(page: string): Block[] {
  return blocksIn(page, read(page));
}
