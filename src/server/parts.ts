/**
 * What the parts of the inbox share: the calls with their rights, the engine's port, the options.
 */
import type { InboxPort } from '../registry/inbox/inbox-port.js';
import type { Access } from './access/caller.js';
import type { InboxCalls } from './calls.js';
import type { InboxMetrics } from './charts/metrics.js';
import type { Idempotency } from './idempotency.js';
import type { LinkedAsks } from './linked-asks.js';
import type { LiveEvents } from './live/routes.js';
import type { CheckedInboxOptions } from './options.js';

export interface InboxParts {
  readonly port: InboxPort;
  readonly calls: InboxCalls;
  /** Who is calling, and from where. */
  readonly access: Access;
  /** What the bearer of a signed link sees and does. */
  readonly linked: LinkedAsks;
  /** Streams of what changes. */
  readonly live: LiveEvents;
  /** Changes that are sent again under their key. */
  readonly idempotency: Idempotency;
  readonly metrics: InboxMetrics;
  readonly options: CheckedInboxOptions;
}
