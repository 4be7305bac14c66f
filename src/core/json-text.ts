/** JSON that comes from outside, read so that it has one meaning: JSON.parse() takes the last of two values under one key. */
import { AgentError } from './errors.js';
import { describe } from './ids.js';

/** The value of a JSON text. Throws a SyntaxError for other text, and an `AgentError` that names a key which an object has twice. */
export function parsedJsonText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const key = doubledKey(text);
  if (key === undefined) return value;
  throw new AgentError('bad-message', `The body has the key ${describe(key)} twice. Give it once.`, {
    details: { status: 400, field: key },
  });
}

/** The first key that an object of valid JSON has twice. */
function doubledKey(text: string): string | undefined {
  const keys: (Set<string> | undefined)[] = []; // of each object around the token, and undefined for each list
  let last = '""';
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g)) {
    if (token === '{') keys.push(new Set());
    else if (token === '[') keys.push(undefined);
    else if (token === '}' || token === ']') keys.pop();
    else if (token !== ':') last = token;
    else {
      const key = JSON.parse(last) as string; // a string token
      const seen = keys.at(-1);
      if (seen?.has(key)) return key;
      seen?.add(key);
    }
  }
  return undefined;
}
