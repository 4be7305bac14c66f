/**
 * Points at which a replica dies or fails: right after a step of the store, before anybody in it learns that the step was
 * done, or at a point of the crash matrix. Nothing here changes what a step does.
 */

/** The same take, which notes what was predecided in it. */
function noted(call) {
  if (call.predecide === undefined) return call;
  const copy = {
    ...call,
    predecide: (...found) => {
      copy.decided = call.predecide(...found);
      return copy.decided;
    },
  };
  return copy;
}

const isDecided = ({ decided }, claim) => decided !== undefined && claim.document?.text === decided.document.text;

/** The step of the library that a step of the store belongs to. */
function stepOf(name, [call], result, wanted) {
  if (name === 'take' && result.claim === undefined) return undefined;
  // a reply and its decision may have been written together
  if (name === 'take') return wanted === 'decision' && isDecided(call, result.claim) ? 'decision' : 'take';
  if (name === 'remember') return 'effect';
  if (name === 'save') return call.then.type === 'hold' ? 'decision' : 'save';
  return name;
}

/** A reply, or a call by the ask's id. */
const isReply = (call) => /"(12345|lamp|yes|hand-over)"/.test(call.entry?.data.text);
const decided = 'decision written, continuation not started';

/** The points that are reached before and after a step of the store. */
const before = { take: (call) => (isReply(call) ? ['received, not recorded'] : []) };
const after = {
  take: (call, { claim }) => {
    if (!isReply(call)) return [];
    return ['recorded, not acknowledged', ...(claim !== undefined && isDecided(call, claim) ? [decided] : [])];
  },
  remember: () => ['effect remembered, not saved'],
  save: (call) => {
    if (call.then.type === 'hold') return [decided];
    if (call.asks.opened.length > 0) return ['save done, question not sent'];
    if (call.asks.settled.length > 0) return ['save done, output not sent'];
    return call.asks.changed.length > 0 ? ['step saved, copy not sent'] : [];
  },
};

/** `arm` is { point, time, how }: where the replica is struck, at which time it is there, and by a signal or an error. Once. */
export function crashPoints(arm) {
  /** The step that kills this process when it is done. */
  let deadly = '';
  let left = arm?.time ?? 1;

  /** Strikes if this is the point. A thrown error is an ordinary one: nothing in the library knows it. */
  async function at(point) {
    if (arm === undefined || arm.point !== point) return;
    left -= 1;
    if (left > 0) return;
    const { how } = arm;
    arm = undefined;
    process.send({ struck: point });
    if (how === 'throw') throw new Error(`struck at: ${point}`);
    process.kill(process.pid, how);
    if (how === 'SIGKILL') await new Promise(() => {});
  }

  return {
    at,
    dieAfter: (step) => {
      deadly = step;
    },
    /** The store, with the points before and after its steps. */
    around: (store) =>
      new Proxy(store, {
        get(target, name) {
          const method = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return (...given) => {
            const args = name === 'take' ? given.map(noted) : given;
            const step = () => Reflect.apply(method, target, args);
            if (arm !== undefined && (before[name] ?? after[name]) !== undefined) {
              return (async () => {
                for (const point of before[name]?.(args[0]) ?? []) await at(point);
                const result = await step();
                for (const point of after[name]?.(args[0], result) ?? []) await at(point);
                return result;
              })();
            }
            const result = step();
            if (deadly === '' || !(result instanceof Promise)) return result;
            return result.then((value) => {
              if (stepOf(name, args, value, deadly) === deadly) process.kill(process.pid, 'SIGKILL');
              return value;
            });
          };
        },
      }),
  };
}
