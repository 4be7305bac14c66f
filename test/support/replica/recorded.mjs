/**
 * A store that writes down what its steps did, one JSON line each, before anybody here learns of it; and a store as a
 * newer release would use it. Neither changes what a step does.
 */
import { openSync, writeSync } from 'node:fs';

/** Writes lines that survive the death of this process and keep the order in which all processes wrote. */
export function scribe(path, by) {
  const file = path === undefined ? undefined : openSync(path, 'a');
  return (what, more) => {
    if (file !== undefined) writeSync(file, `${JSON.stringify({ what, by, ...more })}\n`);
  };
}

/** Stands between a store and its caller. `seen` gets the name of a step, its arguments and what came of it. */
export function between(store, seen) {
  return new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args) => {
        const result = Reflect.apply(method, target, args);
        return result instanceof Promise ? result.then((value) => seen(name, args, value) ?? value) : result;
      };
    },
  });
}

/** What a claim showed; the decisions in it may have been written by somebody who never learned that they were. */
const claimOf = (claim) =>
  claim && {
    ...{ token: claim.token, revision: claim.revision, incarnation: claim.incarnation, attempt: claim.attempt },
    decisions: decisionsIn(claim),
  };

/** What the checks look at in a stored ask: two columns of its list, and the fields at the end of it. */
const askOf = ([id, , , , , , , asker, , , others]) => ({
  answerableBy: 'asker',
  ...others,
  id,
  ...(asker === null ? {} : { asker }),
});

function decisionsIn({ document, asks }) {
  const written = (document && JSON.parse(document.text).asks?.map(askOf)) || []; // also of the next release
  const settled = asks?.settled.map(({ record }) => askOf(JSON.parse(record.text).ask)) ?? [];
  return [...written, ...settled]
    .filter((ask) => ask.decision !== undefined)
    .map(({ id, status, answer, asker, answerableBy, decision }) => {
      return { askId: id, status, answer, asker, answerableBy, decision };
    });
}

export function recorded(store, log) {
  return between(store, (name, [call], result) => {
    const { conversationId } = call ?? {};
    if (name === 'take') {
      const { entry, now, claim } = result;
      log('take', { conversationId, entryId: call.entry?.id, entry, now, claim: claimOf(claim) });
    } else if (name === 'save') {
      const { token, call: id, revision, closes, then } = call;
      const saved = result.type === 'saved';
      const more = saved && { decisions: decisionsIn(call), next: claimOf(result.next) };
      log('save', {
        conversationId,
        token,
        call: id,
        revision,
        then: then.type,
        closes: closes?.entryId,
        saved,
        ...more,
      });
    }
  });
}

/**
 * The next release: it writes records of its own format (`v`), or fields that this one does not know (`future`), and
 * understands both.
 */
export function newer(store, how) {
  const future = { future: { since: 2, list: [] } };
  const written = ({ text }) => {
    const document = JSON.parse(text);
    if (how === 'v') return { text: JSON.stringify({ ...document, v: 2 }) };
    const asks = document.asks?.map((row) => [...row.slice(0, 10), { ...row[10], ...future }]);
    return { text: JSON.stringify({ ...document, ...future, asks }) };
  };
  const read = (document) => document && { text: JSON.stringify({ ...JSON.parse(document.text), v: 1 }) };
  const readIn = (holder) => holder && { ...holder, document: read(holder.document) };
  const reads = between(store, (name, _, result) => {
    if (name === 'take') return { ...result, ...(result.claim && { claim: readIn(result.claim) }) };
    if (name === 'save') return { ...result, ...(result.next && { next: readIn(result.next) }) };
    if (name === 'conversation') return readIn(result);
    return undefined;
  });
  return new Proxy(reads, {
    get(target, name) {
      if (name !== 'save') return Reflect.get(target, name);
      return (call) => target.save({ ...call, ...(call.document && { document: written(call.document) }) });
    },
  });
}
