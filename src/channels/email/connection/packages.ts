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
    const message = `EmailChannel needs the package ${name} ${purposes[name]}, which could not be loaded. Install it:\n  npm install ${name}`;
    throw new AgentError('missing-package', message, { cause, details: { packages: [name] } });
  }
}

/** Resolves once all packages are imported, and rejects with one error for all that are missing. */
export async function allImported(importing: readonly unknown[]): Promise<void> {
  const settled = await Promise.allSettled(importing);
  const failures = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as AgentError] : [])); // of `imported`
  const [first, ...more] = failures;
  if (more.length === 0) {
    if (first !== undefined) throw first;
    return;
  }
  const packages = failures.flatMap(({ details }) => details['packages'] as readonly MailPackage[]);
  const needed = packages.map((name) => `${name} ${purposes[name]}`).join(', ');
  const message = `EmailChannel needs packages that could not be loaded: ${needed}. Install them:\n  npm install ${packages.join(' ')}`;
  throw new AgentError('missing-package', message, { cause: first, details: { packages } });
}
