/**
 * Optional packages: each is a record in the folder that needs it, and this file makes its error, which ends with the line that installs
 * it. Loads nothing itself. docs/errors.md lists all records, and package.json names each as an optional peer dependency.
 */
import { AgentError, failureOf } from './errors.js';

/** A package that may be missing where askback is installed. */
export interface OptionalPackage {
  readonly name: string;
  /** What needs it, as authors write it. */
  readonly users: readonly [string, ...string[]];
  /** What it is for, where a user needs several. */
  readonly purpose?: string;
  /** What is installed with it, if that is more than the package itself. */
  readonly install?: readonly string[];
}

const installed = ({ name, install = [name] }: OptionalPackage): readonly string[] => install;

/** Returns the line that installs a package. */
export const installLine = (needed: OptionalPackage): string => `npm install ${installed(needed).join(' ')}`;

/** Imports an optional package. Rejects with the line that installs it. */
export async function imported<T>(
  needed: OptionalPackage,
  importing: () => Promise<T>,
  user = needed.users[0],
): Promise<T> {
  try {
    return await importing();
  } catch (cause) {
    throw missingPackages([needed], cause, user);
  }
}

/** Loads an optional package as its importer is loaded. Throws the line that installs it. */
export function required<T>(needed: OptionalPackage, requiring: () => unknown): T {
  try {
    return requiring() as T; // the types of that package
  } catch (cause) {
    throw missingPackages([needed], cause);
  }
}

/** The error for packages that could not be loaded. `details.packages` has their names. */
export function missingPackages(
  packages: readonly [OptionalPackage, ...OptionalPackage[]],
  cause: unknown,
  user = packages[0].users[0],
): AgentError {
  const names = packages.map(({ name }) => name);
  const install = packages.flatMap(installed);
  const absent = packages.length === 1 ? absentIn(cause) : undefined;
  const named = packages.map(({ name, purpose }) => `${absent ?? name}${purpose === undefined ? '' : ` (${purpose})`}`);
  const needed = `${names.length === 1 ? 'the package' : 'the packages'} ${named.join(', ')}`;
  const installing = install.length === 1 ? 'Install it' : 'Install what it needs';
  const message = `${user} needs ${needed}, which could not be loaded. ${installing}:\n  npm install ${install.join(' ')}`;
  return new AgentError('missing-package', message, { cause, details: { packages: names } });
}

/** The package that Node has not found: the optional one may be there without a package that it needs itself. */
function absentIn(cause: unknown): string | undefined {
  return /Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w.-]+)'/.exec(failureOf(cause).message)?.[1];
}
