/**
 * SQLite's errors as AgentErrors. An error that is not known here keeps its message.
 */
import { AgentError } from '../../core/errors.js';

const busy = 5;
const full = 13;
/** Damaged, or no database at all. */
const broken = new Set([11, 26]);
/** Permission, locked by ourselves, no memory, read-only, interrupted, I/O, cannot open, locking protocol: may pass. */
const passing = new Set([3, 4, 6, 7, 8, 9, 10, 14, 15, 23]);

/** The primary result code, which `node:sqlite` and libsql carry under different names. */
function codeOf(error: unknown): number | undefined {
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown };
  const code = errcode ?? rawCode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

export function isBusy(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === busy;
}

/** True for SQLite's error of a full disk, and for the file system's. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && (codeOf(error) === full || (error as { code?: unknown }).code === 'ENOSPC');
}

/** The error to throw for a failed step. On a full disk new entries are refused; every other step is retried. */
export function storeError(cause: unknown, path: string, taking = false): unknown {
  if (cause instanceof AgentError || !(cause instanceof Error)) return cause;
  const code = codeOf(cause);
  const said = cause.message;
  if (code === busy) {
    return new AgentError(
      'store-unavailable',
      `The file ${path} is locked by another process (${said}); nothing was written. Try again; if it stays so, look which process keeps a transaction open on it.`,
      { cause },
    );
  }
  if (isFull(cause)) {
    return new AgentError(
      taking ? 'store-full' : 'store-unavailable',
      `The disk of ${path} is full (${said}); nothing was written. Make room on it, or wait until old conversations are forgotten.`,
      { cause },
    );
  }
  if (code !== undefined && broken.has(code)) return damaged(path, said, cause);
  if (code === undefined || !passing.has(code)) return cause;
  return unusable(path, cause);
}

export function unusable(path: string, cause: unknown): AgentError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new AgentError(
    'store-unavailable',
    `The file ${path} could not be used: ${said}. Nothing was written. Check that the file and its folder are there and may be written by this user.`,
    { cause },
  );
}

export function damaged(path: string, said: string, cause?: unknown): AgentError {
  return new AgentError(
    'bad-record',
    `The file ${path} is damaged or no SQLite database (${said}), expected a file of SqliteStore. It was left as it is: put back a copy, or give the store another path.`,
    { cause },
  );
}
