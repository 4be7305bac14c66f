/**
 * What the browser keeps from page to page, as JSON in its storage. Without storage nothing is kept, and nothing fails.
 */

/** Returns what was kept under this name, whatever it is, or undefined. */
export function kept(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(`askback:${name}`) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(`askback:${name}`, JSON.stringify(value));
  } catch {
    // storage is switched off or full
  }
}
