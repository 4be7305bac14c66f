/** What TypeScript files import of browser.mjs. */
export function browserScripts(): Promise<Record<string, string>>;
export function bundled(path: string, globalName?: string): Promise<string>;
