/** Where Chromium is: by CHROMIUM or on PATH. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const found = ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((program) => folders.map((each) => join(each, program)))
    .find((path) => existsSync(path));
  const path = process.env.CHROMIUM ?? found;
  if (path) return path;
  throw new Error('Chromium is missing. Install it (apt-get install chromium), or set CHROMIUM to its path.');
}
