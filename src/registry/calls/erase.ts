/**
 * Forgetting a conversation for good, all of it or nothing, and never while a decided effect is unfinished.
 */
import type { Ask } from '../../core/ask/ask.js';
import { assertObject, boolean, checkOptions, optional } from '../../core/check-options.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import { askOpenedBy } from '../../core/conversation/entry.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError, badOption, isUnreadable } from '../../core/errors.js';
import { readConversation, readSettled, type Tombstone, writeTombstone } from '../../core/format/document.js';
import { askedForKey, checkedId, describe } from '../../core/ids.js';
import { inBatches } from '../../core/promise.js';
import type { Store, Stored } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import type { Waiters } from '../waiters.js';
import { readAtOnce } from './lookup.js';

const tries = 5;
const rules = { force: optional(boolean(), false) };

/**
 * What `erase()` has done.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { erased, elsewhere } = await registry.erase({ participantId: 'web:4711' });
 * console.log(`${erased} conversations erased; more about this person is in: ${elsewhere.join(', ')}`);
 */
export interface EraseResult {
  /** How many conversations were erased. */
  readonly erased: number;
  /**
   * Conversations of others that were not erased, in which something was asked for this participant (`via`, `registry.ask()`
   * with `asker`) or said in a turn of theirs (`sendTo()` with `conversationId`): those asks and texts are still there.
   */
  readonly elsewhere: readonly string[];
  /**
   * Conversations of this participant that were not erased, because their records cannot be read: nobody can tell whether an effect there is
   * finished. `erase({ conversationId }, { force: true })` erases one all the same. Absent if there is none.
   */
  readonly unreadable?: readonly string[];
}

export async function erase(
  context: RegistryContext,
  what: { readonly conversationId: string } | { readonly participantId: string },
  options: { readonly force?: boolean },
  waiters: Waiters,
): Promise<EraseResult> {
  const { force } = checkOptions('erase()', options, rules, '{ force: true }');
  const whom = assertObject(what, 'erase(): what is erased', 'an object with a conversationId or a participantId');
  if ('conversationId' in whom && 'participantId' in whom)
    throw badOption(
      'erase(): both conversationId and participantId are given, and nothing was erased. Erase one, then the other.',
    );
  if (!('conversationId' in whom) && !('participantId' in whom))
    throw badOption(
      `erase(): neither conversationId nor participantId is given, got ${describe(what)}. Say what is to be erased, such as { participantId: 'web:4711' }.`,
    );
  const { ids, elsewhere } =
    'conversationId' in whom
      ? { ids: [checkedId(whom.conversationId, 'erase(): conversationId')], elsewhere: [] }
      : await conversationsOf(context, checkedId(whom.participantId, 'erase(): participantId'));
  const unreadable: string[] = [];
  for (const id of ids) {
    if (force) break;
    try {
      await assertFinished(context, id); // all of them first: refused means nothing was erased
    } catch (error) {
      if ('conversationId' in whom || !isUnreadable(error)) throw error;
      unreadable.push(id);
    }
  }
  let count = 0;
  for (const id of ids) if (!unreadable.includes(id)) count += (await eraseOne(context, id, force, waiters)) ? 1 : 0;
  return { erased: count, elsewhere, ...(unreadable.length > 0 && { unreadable }) };
}

/** Returns where the participant takes part, and the conversations of others in which something was asked or said for them. */
async function conversationsOf(
  { store }: RegistryContext,
  participantId: string,
): Promise<{ readonly ids: readonly string[]; readonly elsewhere: readonly string[] }> {
  const ids = await store.conversationsOf(participantId);
  const asked = await store.conversationsOf(askedForKey(participantId));
  return { ids, elsewhere: asked.filter((id) => !ids.includes(id)) };
}

/** The decided asks whose continuation is not finished: its turn runs, or is parked and may be tried again. */
function unfinishedOf(document: Conversation): readonly Ask[] {
  const decided = document.asks.filter((ask) => ask.decision !== undefined);
  return [
    ...decided,
    ...document.parked.flatMap(({ ask, awaited = [] }) => [...(ask === undefined ? [] : [ask]), ...awaited]),
  ];
}

function refuseIf(unfinished: readonly Ask[], conversationId: string): void {
  if (unfinished.length === 0) return;
  throw new AgentError(
    'unfinished-effect',
    `Conversation ${JSON.stringify(conversationId)} has a decided ask (${unfinished[0]?.id}) whose continuation is not finished; it was not erased. Let it finish, retry it, or erase with { force: true }.`,
  );
}

async function assertFinished(context: RegistryContext, conversationId: string): Promise<void> {
  const state = await context.store.conversation(conversationId);
  refuseIf(unfinishedOf(readConversation(state?.document ?? null, conversationId)), conversationId);
}

async function eraseOne(
  context: RegistryContext,
  conversationId: string,
  force: boolean,
  waiters: Waiters,
): Promise<boolean> {
  const { store, settings } = context;
  context.askedHere.saved(conversationId, false);
  let life: string | undefined;
  for (let i = 0; i < tries; i += 1) {
    const state = await store.conversation(conversationId);
    if (state === null || (life !== undefined && state.incarnation !== life)) return life !== undefined; // our own repeat erased it
    life = state.incarnation;
    const { open, parked } = await contentOf(context, conversationId, state.document, force);
    const settled = await settledAsks(context, conversationId);
    const asks = new Map<string, ErasedAsk>();
    for (const each of settled) asks.set(each.id, each);
    for (const each of [...open, ...parked.flatMap(({ ask }) => ask ?? [])]) asks.set(each.id, each); // what a turn waited for is settled, here or elsewhere
    const done = await store.erase({
      conversationId,
      incarnation: state.incarnation,
      revision: state.revision,
      asks: [...asks.values()].map(({ id, status, tenant }) => ({
        id,
        tombstone: writeTombstone({ id, status, tenant, at: state.now }),
      })),
      parked: parked.map(({ id }) => id),
      retention: settings.retention,
    });
    if (!done) continue;
    const unopened = state.queue.flatMap(({ id }) => askOpenedBy(id) ?? []);
    waiters.erased(
      conversationId,
      [...open.map(({ id }) => id), ...unopened],
      state.queue.map(({ id }) => id),
    );
    return true;
  }
  throw new AgentError(
    'store-unavailable',
    `Conversation ${JSON.stringify(conversationId)} changed each time it was about to be erased. Try again.`,
  );
}

/** The open asks and the parked work of a document. Of one that cannot be read, and is erased all the same, the lists have the ids. */
async function contentOf(
  { store }: RegistryContext,
  conversationId: string,
  stored: Stored | null,
  force: boolean,
): Promise<{
  readonly open: readonly ErasedAsk[];
  readonly parked: readonly { readonly id: string; readonly ask?: ErasedAsk | undefined }[];
}> {
  try {
    const document = readConversation(stored, conversationId);
    if (!force) refuseIf(unfinishedOf(document), conversationId); // decided since we looked
    return { open: document.asks, parked: document.parked };
  } catch (error) {
    if (!force || !isUnreadable(error)) throw error;
    return {
      open: await listedIn(store, 'open', conversationId),
      parked: await listedIn(store, 'parked', conversationId),
    };
  }
}

async function listedIn(store: Store, what: 'open' | 'parked', conversationId: string): Promise<readonly ErasedAsk[]> {
  const found: ErasedAsk[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list(what, { limit: readAtOnce, ...definedFields({ cursor }) });
    found.push(
      ...page.items.flatMap((item) =>
        item.conversationId === conversationId ? { id: item.id, status: undefined } : [],
      ),
    );
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

/** An ask that leaves a tombstone, even if its record cannot be read. */
type ErasedAsk = Omit<Tombstone, 'erased' | 'at'>;

/** The asks that are settled and still kept. What becomes of them after this look is noticed by the revision. */
async function settledAsks({ store }: RegistryContext, conversationId: string): Promise<readonly ErasedAsk[]> {
  const ids = await store.settledAsks(conversationId);
  const found = await inBatches(ids, readAtOnce, async (id) => {
    const kept = await store.find(id);
    return kept !== null && 'record' in kept ? [erasedAsk(id, kept.record)] : [];
  });
  return found.flat();
}

function erasedAsk(id: string, record: Stored): ErasedAsk {
  try {
    const ask = readSettled(record)?.ask;
    return { id, status: ask?.status, tenant: ask?.audience.tenant };
  } catch {
    return { id, status: undefined };
  }
}
