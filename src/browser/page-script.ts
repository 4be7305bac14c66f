/**
 * The script of the inbox page (page/main.ts) as text, for the server that sends it. It knows nothing of the page.
 */

/** Whatever builds or runs the sources puts the text in place of this name: scripts/browser.mjs. */
declare const PAGE_SCRIPT: string;

export const pageScript = PAGE_SCRIPT;
