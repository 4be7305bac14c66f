/**
 * A model that returns scripted replies in order, and records its requests.
 */
import type { Model } from '../core/agent.js';

type Request = Parameters<Model>[0];
type ModelReply = Awaited<ReturnType<Model>>;

export interface ScriptedModel extends Model {
  readonly requests: readonly Request[];
}

/**
 * @example
 * const model = scriptedModel(['{"sufficient": true}', 'Your order is on its way.']);
 * await rehearse({ agents: [support], model });
 */
export function scriptedModel(
  replies: readonly (ModelReply | Error | ((request: Request) => ModelReply | Promise<ModelReply>))[],
): ScriptedModel {
  const requests: Request[] = [];
  const model: Model = async (request) => {
    const reply = replies[requests.length];
    requests.push(request);
    if (reply === undefined)
      throw new Error(`The scripted model has ${replies.length} replies and was asked ${requests.length} times.`);
    if (reply instanceof Error) throw reply;
    return typeof reply === 'function' ? reply(request) : reply;
  };
  return Object.assign(model, { requests });
}
