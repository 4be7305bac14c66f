/** The child's side of callerOf() in processes.ts: a test calls what a process offers, by name, and gets what came of it. */

/** Answers the calls of the test until the test is gone, and says when it has started. */
export function serve(calls, started = Promise.resolve()) {
  const answer = async ({ n, name, args }) => {
    try {
      process.send({ n, result: await calls[name](...args) });
    } catch (error) {
      process.send({ n, code: error.code ?? error.name, error: error.stack });
    }
  };
  process.on('message', (call) => void answer(call));
  process.on('disconnect', () => process.exit());
  return started.then(() => process.send({ ready: true }));
}
