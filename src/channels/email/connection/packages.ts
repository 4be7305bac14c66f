/**
 * The optional packages of the mail channel, as data. If several are missing, one error names all of them.
 */
import type { AgentError } from '../../../core/errors.js';
import { missingPackages, type OptionalPackage } from '../../../core/optional-package.js';

const users = ['EmailChannel'] as const;

export const nodemailer: OptionalPackage = { name: 'nodemailer', users, purpose: 'to send mail' };
export const postalMime: OptionalPackage = { name: 'postal-mime', users, purpose: 'to read mails' };
export const htmlToText: OptionalPackage = { name: 'html-to-text', users, purpose: 'to read mails in HTML' };
export const imapflow: OptionalPackage = { name: 'imapflow', users, purpose: 'to read a mailbox' };

const all = [nodemailer, postalMime, htmlToText, imapflow];

/** Resolves once all packages are imported, and rejects with one error for all that are missing. */
export async function allImported(importing: readonly unknown[]): Promise<void> {
  const settled = await Promise.allSettled(importing);
  const failures = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as AgentError] : [])); // of `imported`
  const names = failures.flatMap(({ details }) => details['packages'] as readonly string[]);
  const [first, ...others] = all.filter(({ name }) => names.includes(name));
  if (first !== undefined) throw missingPackages([first, ...others], failures[0]?.cause);
}
