/** A registry with a person on the phone, and MCP clients of every age in front of it. */
import type { ClientCapabilities, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach } from 'vitest';
import { AgentRegistry } from '../../../src/index.js';
import type { McpServerOptions } from '../../../src/tools/mcp/index.js';
import { McpChannel, mcpServer } from '../../../src/tools/mcp/index.js';
import { type Answers, Phone } from '../kit.js';

export const anna = { id: 'mcp:anna', name: 'Anna' } as const;
export const modern = { mode: { pin: '2026-07-28' } } as const;
export const legacy = { mode: 'legacy' } as const;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

export interface World {
  readonly registry: AgentRegistry;
  readonly phone: Phone;
  readonly options: McpServerOptions;
}

export function world(more: Partial<McpServerOptions> = {}, replies?: Answers, house: object = {}): World {
  const phone = new Phone(replies);
  const forms = new McpChannel();
  const registry = new AgentRegistry({ channels: [phone, forms], ...house });
  closing.push(() => registry.stop());
  return { registry, phone, options: { participant: anna, forms, channel: 'phone', to: 'bob', ...more } };
}

export type Person = (params: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>;

export const writes = (answer: string | string[]): ElicitResult => ({ action: 'accept', content: { answer } });

export interface Connecting {
  /** Answers the forms that the client shows. Without one the client shows none. */
  readonly person?: Person | undefined;
  readonly era?: typeof modern | typeof legacy;
  /** What it says that it can show. */
  readonly shows?: NonNullable<ClientCapabilities['elicitation']>;
  readonly autoFulfill?: boolean;
  /** The only revisions it knows. */
  readonly revisions?: string[];
}

/** A client of the official package, connected to a server of its own. */
export async function client({ registry, options }: World, connecting: Connecting = {}): Promise<Client> {
  const { person, era = modern, shows = { form: {} }, autoFulfill = true, revisions } = connecting;
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = serveStdio(() => mcpServer(registry, options), { transport: far as Transport });
  const made = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: person === undefined ? {} : { elicitation: shows },
      versionNegotiation: era,
      inputRequired: { autoFulfill },
      ...(revisions === undefined ? {} : { supportedProtocolVersions: revisions }),
    },
  );
  if (person !== undefined) made.setRequestHandler('elicitation/create', async ({ params }) => person(params));
  await made.connect(near);
  closing.push(
    () => serving.close(),
    () => made.close(),
  );
  return made;
}

/** What a call gave: its words, and whether it counts as an error. */
export async function call(on: Client, name: string, args: Record<string, unknown>) {
  const { content, isError = false, structuredContent } = await on.callTool({ name, arguments: args });
  const [first] = content as readonly { text?: string }[];
  return { text: first?.text ?? '', isError, data: structuredContent as Record<string, unknown> | undefined };
}

export const openAsks = async ({ registry }: World) => (await registry.listAsks()).asks;
