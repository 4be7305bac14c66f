/**
 * What contract suites share: each promise is a test, and what cannot be kept is skipped by its name, with a reason. Never in silence.
 */
import { list, nearest, nonBlank, object, optional, string } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';

/** Registers a test: `test` of Vitest, Jest, Bun or `node:test`. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown;

/** Tests that are not run, and why. */
export interface ContractSkip {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** For the option `skip` of a suite; `what` is proved by it: "this store". */
export function skipOption(what: string) {
  const reason = nonBlank(`a string that says why ${what} cannot do it`);
  return optional(list(object({ reason, tests: list(string()) }, "{ reason: 'It has no file', tests: ['…'] }")), []);
}

/** Registers the stories that are not skipped. A skipped name that is no story is an error. */
export function registerStories<S>(
  call: string,
  stories: readonly (readonly [name: string, story: S])[],
  { test, skip }: { readonly test: RegisterTest; readonly skip: readonly ContractSkip[] },
  tell: (story: S) => Promise<void>,
): void {
  const names = stories.map(([name]) => name);
  const skipped = new Map<string, string>();
  for (const { reason, tests } of skip) {
    for (const name of tests) {
      if (!names.includes(name)) throw unknownTest(call, name, names);
      skipped.set(name, reason);
    }
  }
  for (const [name, story] of stories) {
    const run = () => tell(story);
    const reason = skipped.get(name);
    if (reason === undefined) test(name, run);
    else skipOf(test)?.(`${name} (skipped: ${reason})`, run);
  }
}

/** Without the list of all names: they are many. */
function unknownTest(call: string, name: string, names: readonly string[]): AgentError {
  const near = nearest(name, names);
  const advice = near === undefined ? 'Take it off the list.' : `Did you mean ${JSON.stringify(near)}?`;
  return new AgentError('bad-option', `${call}: there is no test ${JSON.stringify(name)} to skip. ${advice}`);
}

function skipOf(test: RegisterTest): RegisterTest | undefined {
  const { skip } = test as { skip?: unknown };
  return typeof skip === 'function' ? (skip as RegisterTest) : undefined;
}
