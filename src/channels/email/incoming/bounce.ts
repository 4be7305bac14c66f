/**
 * What a delivery report says (RFC 3464): which recipients a mail did not reach, and whether it ever will. A report proves nothing about
 * who sent it. Which mail it is about is known by the address that the report was sent to, never by what it quotes.
 */
import { definedFields } from '../../../core/defined-fields.js';
import { headerText, parseAddress } from '../addresses.js';
import { headerBlock, valuesOf } from './header-fields.js';

/** What became of a mail for one recipient. */
export interface DeliveryStatus {
  /** In lower case: `failed`, `delayed`, `delivered`, `relayed`, `expanded`. */
  readonly action: string;
  /** Such as `5.1.1`; empty if the report has none. */
  readonly status: string;
  /** The address that could not be reached, as far as the report names one that is an address. */
  readonly recipient?: string;
  /** The address that the mail was first sent to, if it was forwarded. */
  readonly originalRecipient?: string;
  /** What the other server said, on one line. */
  readonly diagnostic?: string;
  /** Never to be reached: the delivery failed, and for good. */
  readonly isPermanent: boolean;
}

export interface DeliveryReport {
  readonly recipients: readonly DeliveryStatus[];
}

const mostRecipients = 100;
const longestReport = 64 * 1024;
const longestDiagnostic = 300;
const statusTypes = new Set(['message/delivery-status', 'message/global-delivery-status']);

/** The report among the parts of a mail; undefined if there is none, or one without a recipient. */
export function deliveryReport(
  parts: readonly { readonly mimeType: string; readonly content: ArrayBuffer | Uint8Array | string }[],
): DeliveryReport | undefined {
  const { content } = parts.find(({ mimeType }) => statusTypes.has(mimeType)) ?? {};
  if (content === undefined || typeof content === 'string') return undefined;
  const recipients: DeliveryStatus[] = [];
  let rest = new Uint8Array(content).subarray(0, longestReport);
  while (rest.length > 0 && recipients.length < mostRecipients) {
    const { fields, bodyAt } = headerBlock(rest, longestReport) ?? { fields: [], bodyAt: rest.length };
    rest = rest.subarray(bodyAt);
    const value = (name: string) => valuesOf(fields, name)[0];
    const action = value('action');
    if (action !== undefined) recipients.push(statusOf(action, value));
  }
  return recipients.length === 0 ? undefined : { recipients };
}

function statusOf(written: string, value: (name: string) => string | undefined): DeliveryStatus {
  const action = /^[a-z]*/.exec(written.toLowerCase())?.[0] ?? '';
  const status = /^[245]\.\d{1,3}\.\d{1,3}(?!\d)/.exec(value('status') ?? '')?.[0] ?? '';
  const diagnostic = value('diagnostic-code');
  return definedFields({
    action,
    status,
    recipient: addressIn(value('final-recipient')),
    originalRecipient: addressIn(value('original-recipient')),
    diagnostic: diagnostic === undefined ? undefined : headerText(diagnostic, longestDiagnostic),
    isPermanent: action === 'failed' && status.startsWith('5.'),
  });
}

/** `rfc822; anna@example.com`. Some servers put the address in angle brackets. */
function addressIn(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  return parseAddress(value.slice(value.indexOf(';') + 1).trim())?.address;
}
