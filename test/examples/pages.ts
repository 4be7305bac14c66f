/** The code blocks of the pages people read, with where they stand. */
import { read } from '../house/repository.js';

export const pages = [
  'README.md',
  'src/README.md',
  'docs/questions.md',
  'docs/flows.md',
  'docs/waiting.md',
  'docs/tools.md',
  'docs/your-own-transport.md',
  'docs/testing.md',
  'docs/coming-from-toolpack-agents.md',
  'CHANGELOG.md',
];

export interface Block {
  readonly page: string;
  readonly line: number;
  /** After the language: `no-check` and the like. */
  readonly marks: string;
  readonly code: string;
  /** The file that `<!-- from … -->` above the block names. */
  readonly from?: string;
  /** Lines that the reader need not see, from `<!-- given … -->` above the block. */
  readonly given: string;
}

/** Every block of TypeScript in a page. A block may have a comment right above it. */
export function blocksIn(page: string, text: string): Block[] {
  const found = text.matchAll(/(?:^<!--\s*(from|given)\s+([\s\S]*?)-->\n)?^```ts[ \t]*([^\n]*)\n([\s\S]*?)^```$/gm);
  return [...found].map((match) => {
    const [whole, kind, comment = '', marks = '', code = ''] = match;
    const start = match.index + whole.indexOf('```ts');
    return {
      page,
      line: text.slice(0, start).split('\n').length,
      marks: marks.trim(),
      code,
      ...(kind === 'from' ? { from: comment.trim() } : {}),
      given: kind === 'given' ? comment : '',
    };
  });
}

export function allBlocks(): Block[] {
  return pages.flatMap((page) => blocksIn(page, read(page)));
}
