/** A shop whose model can refund, behind an approval, for the tests of approvals. */
import type { Settings } from '../../../src/core/settings.js';
import type { RequireApprovalOptions } from '../../../src/tools/index.js';
import { requireApproval } from '../../../src/tools/index.js';
import { anna, world } from '../kit.js';

export interface Refund {
  order: string;
  amount: number;
}

/** A refund tool that remembers what it did, behind an approval on the phone. */
export function shop(
  answers?: () => string | undefined,
  options: Partial<RequireApprovalOptions<Refund>> = {},
  settings: Partial<Settings> = {},
) {
  const made = world(answers, { settings });
  const paid: { order: string; amount: number; callId: string | undefined; effectKey: string | undefined }[] = [];
  const tool = {
    name: 'refund',
    description: 'Refunds an order.',
    inputSchema: { type: 'object' },
    execute: async ({ order, amount }: Refund, { callId, effectKey }: { callId?: string; effectKey?: string }) => {
      paid.push({ order, amount, callId, effectKey });
      return { refunded: order };
    },
  };
  const more = { registry: made.registry, where: anna, answerableBy: 'anyone', ...options } as const;
  const gated = () => requireApproval(tool, more);
  return { ...made, paid, gated, refund: gated() };
}

export const order = { order: '12345', amount: 80 };
