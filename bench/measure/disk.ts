/** How often the disk under a folder syncs: what no store that keeps its word can outrun without sharing syncs. */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Writes of 4 KiB with an fsync each, one after another: how many a second. */
export function syncRate(dir: string, ms: number): number {
  const path = join(dir, 'syncs');
  const page = Buffer.alloc(4_096, 'x');
  const file = openSync(path, 'w');
  try {
    const start = performance.now();
    let syncs = 0;
    while (performance.now() - start < ms) {
      writeSync(file, page);
      fsyncSync(file);
      syncs += 1;
    }
    return (syncs / (performance.now() - start)) * 1_000;
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}
