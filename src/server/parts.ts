/**
 * What the parts of the inbox share: the calls with their rights, the engine's port, the options.
 */
import type { InboxPort } from '../registry/inbox/inbox-port.js';
import type { AgentRegistry } from '../registry/registry.js';
import type { InboxCalls } from './calls.js';
import type { CheckedInboxOptions } from './options.js';

export interface InboxParts {
  readonly registry: AgentRegistry;
  readonly port: InboxPort;
  readonly calls: InboxCalls;
  readonly options: CheckedInboxOptions;
}
