/**
 * askback/tools/mcp: a server through which any MCP client can ask people, and people can answer. It only translates;
 * the registry decides what is asked, answered and refused.
 */
import type {
  ClientCapabilities,
  McpServer,
  RequestId,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
  ToolCallback,
} from '@modelcontextprotocol/server';
import { AgentError } from '../../core/errors.js';
import { imported } from '../../core/optional-package.js';
import { uses } from '../../registry/calls/single-use.js';
import type { AgentRegistry } from '../../registry/registry.js';
import { humanDescription } from '../ask/schema.js';
import { checkedRegistry } from '../options.js';
import type { Abilities, AskState, CallOrigin, McpSdk } from './asking.js';
import { McpAsking, ownerOf } from './asking.js';
import type { McpServerOptions, McpToolName } from './options.js';
import { checkedMcpOptions } from './options.js';
import { mcpPackage } from './packages.js';
import { approvalOf, approveArguments, askArguments, askedBy } from './question.js';
import { answerArguments, listArguments, McpSettling, showArguments } from './settling.js';

export { McpChannel } from './channel.js';
export type { McpServerOptions, McpToolName } from './options.js';

/** Lists of options exist since this revision; an older client would refuse the form. */
const listsSince = '2025-11-25';

/**
 * An MCP server with the tools `ask_human`, `approve_action`, `list_asks`, `show_ask` and `answer_ask`. With `forms`,
 * a client that can show questions shows them itself; otherwise the question goes to `channel` and the call waits.
 * One server serves one connection, so pass this function to what makes connections.
 *
 * @example
 * import { serveStdio } from '@modelcontextprotocol/server/stdio';
 * import { AgentRegistry } from 'askback';
 * import { McpChannel, mcpServer } from 'askback/tools/mcp';
 *
 * const forms = new McpChannel();
 * const registry = new AgentRegistry({ channels: [forms] });
 * serveStdio(() => mcpServer(registry, { participant: { id: 'mcp:me' }, forms }), { onerror: console.error });
 */
export async function mcpServer(registry: AgentRegistry, options: McpServerOptions): Promise<McpServer> {
  checkedRegistry(registry, 'mcpServer()');
  const checked = checkedMcpOptions(options);
  const sdk: McpSdk = await imported(mcpPackage, () => import('@modelcontextprotocol/server'));
  await registry.start();
  if (checked.forms?.started === false)
    throw new AgentError(
      'unknown-channel',
      `mcpServer(): forms is not one of the registry's channels. Make the registry with channels: [forms].`,
    );
  const codec = sdk.createRequestStateCodec<AskState>({
    key: checked.secret,
    ttlSeconds: Math.ceil(checked.timeout / 1000) + 60, // the ask itself expires first
    bind: () => ownerOf(checked.participant),
  });
  const server = new sdk.McpServer(checked.info, {
    requestState: { verify: (state, ctx) => codec.verify(state, ctx) },
    inputRequired: { roundTimeoutMs: checked.timeout },
    instructions: 'Asks people. A question may take minutes; ask only what you cannot find out yourself.',
  });
  const asking = new McpAsking(registry, checked, sdk, (state, ctx) => codec.mint(state, ctx));
  onGivenUp(server, (call, by) =>
    asking.givenUp(call, by).catch((error: unknown) => server.server.onerror?.(toError(error))),
  );
  const settling = new McpSettling(registry, checked);
  const able = (ctx: ServerContext) => abilities(server, sdk, ctx);
  const { names, participant } = checked;
  const wording = () => registry[uses].wordingFor(participant.locale);
  const asks = { destructiveHint: false, openWorldHint: true };
  const reads = { readOnlyHint: true, openWorldHint: false };
  const answers = { destructiveHint: true, idempotentHint: true, openWorldHint: false };
  const tool = <A extends StandardSchemaWithJSON>(
    name: McpToolName,
    described: { readonly description: string; readonly inputSchema: A; readonly annotations: ToolAnnotations },
    run: ToolCallback<A>,
  ): void => {
    const given = names[name];
    if (given !== false) server.registerTool(given, described, run);
  };
  tool('ask_human', { description: humanDescription, inputSchema: askArguments, annotations: asks }, (args, ctx) =>
    asking.ask(askedBy(args, wording()), able(ctx), ctx),
  );
  const approves = 'Asks a person to approve what you are about to do. Do it only if the result says approved.';
  tool('approve_action', { description: approves, inputSchema: approveArguments, annotations: asks }, (args, ctx) =>
    asking.ask(approvalOf(args, wording()), able(ctx), ctx),
  );
  const lists = 'Lists the open questions that the person at this client may answer.';
  tool('list_asks', { description: lists, inputSchema: listArguments, annotations: reads }, (args) =>
    settling.list(args),
  );
  const shows = 'Shows one question and what became of it.';
  tool('show_ask', { description: shows, inputSchema: showArguments, annotations: reads }, (args) =>
    settling.show(args),
  );
  const settles = 'Answers a question for the person at this client, in their words. Never make up an answer.';
  tool('answer_ask', { description: settles, inputSchema: answerArguments, annotations: answers }, (args) =>
    settling.answer(args),
  );
  return server;
}

/** Calls `cancelled` for a call that the client has given up. The package notifies only the server that runs the call. */
function onGivenUp(server: McpServer, cancelled: (call: RequestId, by: CallOrigin) => unknown): void {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const before = transport.onmessage;
    transport.onmessage = (message, extra) => {
      before?.(message, extra);
      if (!('method' in message) || message.method !== 'notifications/cancelled') return;
      const call: unknown = message.params?.['requestId'];
      if (typeof call !== 'string' && typeof call !== 'number') return;
      cancelled(call, { sessionId: transport.sessionId, request: extra?.request, authInfo: extra?.authInfo });
    };
    return connect(transport);
  };
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** What the client can show, from this request or from when it connected. */
function abilities({ server }: McpServer, sdk: McpSdk, { mcpReq }: ServerContext): Abilities {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined; // the package types it {}
  const declared = envelope?.[sdk.CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const shows = declared?.elicitation;
  const page = shows?.url !== undefined;
  return {
    form: shows !== undefined && (shows.form !== undefined || !page), // an empty capability means forms
    lists: (server.getNegotiatedProtocolVersion() ?? '') >= listsSince,
    page,
    holds: envelope === undefined, // since 2026-07-28 the client calls again, and every call states its capabilities
  };
}
