/**
 * What a delivery report says (RFC 3464): which recipients a mail did not reach, and whether it ever will. A report proves nothing about
 * who sent it. Which mail it is about is known by the address that the report was sent to, never by what it quotes.
 */
import { definedFields } from '../../../core/defined-fields.js';
import { headerText, parseAddress } from '../addresses.js';
import { headerBlock, valuesOf } from './header-fields.js';

/** What became of a mail for one recipient. */
export interface DeliveryStatus {
  /** Such as `5.1.1`; empty if the report has none. */
  readonly status: string;
  /** The address that could not be reached, as far as the report names one that is an address. */
  readonly recipient?: string;
  /** What the other server said, on one line. */
  readonly diagnostic?: string;
  /** Never to be reached: the delivery failed, and for good. */
  readonly isPermanent: boolean;
}

const mostRecipients = 100;
const longestReport = 64 * 1024;
const longestDiagnostic = 300;
const statusTypes = new Set(['message/delivery-status', 'message/global-delivery-status']);
const statusFields = ['action', 'status', 'final-recipient', 'diagnostic-code'];

/** What the report among the parts of a mail says of each recipient; nothing if there is none. */
export function deliveryReport(
  parts: readonly { readonly mimeType: string; readonly content: ArrayBuffer | Uint8Array | string }[],
): readonly DeliveryStatus[] {
  const { content } = parts.find(({ mimeType }) => statusTypes.has(mimeType)) ?? {};
  if (content === undefined || typeof content === 'string') return [];
  const recipients: DeliveryStatus[] = [];
  let rest = new Uint8Array(content).subarray(0, longestReport);
  while (rest.length > 0 && recipients.length < mostRecipients) {
    const { fields, bodyAt } = headerBlock(rest, longestReport) ?? { fields: [], bodyAt: rest.length };
    rest = rest.subarray(bodyAt);
    const [action, status = '', recipient = '', diagnostic] = statusFields.map((name) => valuesOf(fields, name)[0]);
    if (action === undefined) continue;
    const [code = ''] = /^[245]\.\d{1,3}\.\d{1,3}(?!\d)/.exec(status) ?? [];
    recipients.push({
      status: code,
      isPermanent: /^failed(?![a-z])/i.test(action) && code.startsWith('5.'),
      ...definedFields({
        // `rfc822; anna@example.com`: some servers put the address in angle brackets
        recipient: parseAddress(recipient.slice(recipient.indexOf(';') + 1).trim())?.address,
        diagnostic: diagnostic === undefined ? undefined : headerText(diagnostic, longestDiagnostic),
      }),
    });
  }
  return recipients;
}
