/**
 * The optional packages of the mail channel. Whoever lacks several is told of all of them at once, with one line that installs them.
 */
import { AgentError } from '../../../core/errors.js';

const purposes = {
  nodemailer: 'to send mail',
  'postal-mime': 'to read mails',
  'html-to-text': 'to read mails in HTML',
  imapflow: 'to read a mailbox',
};

type MailPackage = keyof typeof purposes;

/** The error for a package that could not be loaded. */
export function missingPackage(name: MailPackage, cause: unknown): AgentError {
  const message = `EmailChannel needs the package ${name} ${purposes[name]}, which could not be loaded. Install it:\n  npm install ${name}`;
  return new AgentError('missing-package', message, { cause, details: { packages: [name] } });
}

/** Resolves once all packages are loaded, and rejects with one error for all that are missing. */
export async function allLoaded(loading: readonly Promise<unknown>[]): Promise<void> {
  const failures = (await Promise.allSettled(loading)).flatMap((each) =>
    each.status === 'rejected' ? [each.reason] : [],
  );
  const [first, ...more] = failures;
  if (failures.length === 0) return;
  const names = failures.flatMap((failure) => packagesIn(failure));
  if (more.length === 0 || names.length < failures.length) throw first;
  const needed = names.map((name) => `${name} ${purposes[name]}`);
  const message = `EmailChannel needs packages that could not be loaded: ${needed.join(', ')}. Install them:\n  npm install ${names.join(' ')}`;
  throw new AgentError('missing-package', message, { cause: first, details: { packages: names } });
}

function packagesIn(failure: unknown): readonly MailPackage[] {
  const named = failure instanceof AgentError ? failure.details['packages'] : undefined;
  return Array.isArray(named) ? (named as readonly MailPackage[]) : []; // made by `missingPackage`
}
