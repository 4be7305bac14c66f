/** What must hold for the prose of a page: links that lead somewhere, nothing hidden, one name for TypeScript. */
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { read } from '../repository.js';
import { anchorsIn, fencesIn, linksIn, prose } from './pages.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What is in the package, by `files` of package.json: a page of it may link to nothing else. */
function isPacked(file: string): boolean {
  const { files }: { files: readonly string[] } = JSON.parse(read('package.json'));
  const names = (pattern: string) => file === pattern || file.startsWith(`${pattern}/`);
  const isLeftOut = files.some((pattern) => pattern.startsWith('!') && names(pattern.slice(1)));
  return ['README.md', 'LICENSE'].includes(file) || (!isLeftOut && files.some(names));
}

/** Links to files that are not there (or not packed, where the page is), and to headings that are not there. */
export function deadLinks(page: string, text: string): string[] {
  return linksIn(page, text).flatMap(({ line, file, anchor }) => {
    const where = `${page}:${line}`;
    const isPage = file === page;
    if (!isPage && !existsSync(root + file)) return `${where} links to ${file}, which does not exist`;
    if (isPacked(page) && !isPacked(file)) return `${where} links to ${file}, which is not packed`;
    if (anchor === undefined) return [];
    if (!file.endsWith('.md') || (!isPage && statSync(root + file).isDirectory())) return [];
    const anchors = anchorsIn(isPage ? text : read(file));
    return anchors.includes(anchor) ? [] : `${where} links to #${anchor}, which is no heading of ${file}`;
  });
}

/** Comments that give a block lines, or a meaning, that the reader does not see. */
export function hiddenComments(page: string, text: string): string[] {
  const fences = new Set(fencesIn(text).map(({ line }) => line));
  return [...prose(text).matchAll(/<!--\s*(\S*)[\s\S]*?-->(\s*)/g)].flatMap((match) => {
    const line = text.slice(0, match.index).split('\n').length;
    const next = text.slice(0, match.index + match[0].length).split('\n').length;
    const isAboutCode = ['given', 'from', 'plays'].includes(match[1] ?? '') || fences.has(next);
    return isAboutCode ? `${page}:${line} has a comment about code that the reader does not see` : [];
  });
}

export function wrongLanguages(page: string, text: string): string[] {
  return fencesIn(text).flatMap(({ language, line }) =>
    /^(?:typescript|tsx|mts|cts|js|jsx|javascript|mjs|TS)$/.test(language)
      ? `${page}:${line} is a block of "${language}"; write ts, text, sh, json …`
      : [],
  );
}

/** The pages of a folder that its index does not link to. A folder inside is represented by its own index. */
export function unlisted(index: string, text: string, pages: readonly string[]): string[] {
  const folder = index.slice(0, index.lastIndexOf('/') + 1);
  const linked = new Set(linksIn(index, text).map(({ file }) => file));
  return pages.filter((page) => {
    const inside = page.slice(folder.length);
    const isOwn = page.startsWith(folder) && (!inside.includes('/') || /^[^/]+\/README\.md$/.test(inside));
    return isOwn && page !== index && !linked.has(page);
  });
}
