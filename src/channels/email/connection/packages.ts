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

/** Imports one of them. Rejects with how to install it. */
export async function imported<T>(name: MailPackage, importing: () => Promise<T>): Promise<T> {
  try {
    return await importing();
  } catch (cause) {
    throw missing([name], cause);
  }
}

/** Resolves once all packages are imported, and rejects with one error for all that are missing. */
export async function allImported(importing: readonly unknown[]): Promise<void> {
  const settled = await Promise.allSettled(importing);
  const failures = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as AgentError] : [])); // of `imported`
  const packages = failures.flatMap(({ details }) => details['packages'] as readonly MailPackage[]);
  if (packages.length > 0) throw missing(packages, failures[0]?.cause);
}

function missing(packages: readonly MailPackage[], cause: unknown): AgentError {
  const needed = packages.map((name) => `${name} ${purposes[name]}`).join(', ');
  const message = `EmailChannel needs what could not be loaded: ${needed}. Install it:\n  npm install ${packages.join(' ')}`;
  return new AgentError('missing-package', message, { cause, details: { packages } });
}
