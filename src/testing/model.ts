/**
 * A model that returns scripted replies in order, and records its requests.
 */
import type { Model, ModelReply, ModelRequest } from '../core/agent.js';

/** A model whose replies are given, and which can be asked what it was asked. */
export interface ScriptedModel extends Model {
  /** The requests so far, in order. */
  readonly requests: readonly ModelRequest[];
}

/**
 * Makes a model that gives these replies in order: a string, tool calls, an error to throw, or a function of the request.
 *
 * @example
 * import { agent } from 'askback';
 * import { rehearse, scriptedModel } from 'askback/testing';
 *
 * const model = scriptedModel(['Your order is on its way.']);
 * const { human } = await rehearse({ agents: [agent('support')], model });
 * console.log(await human('anna').says('Where is it?'));
 */
export function scriptedModel(
  replies: readonly (ModelReply | Error | ((request: ModelRequest) => ModelReply | Promise<ModelReply>))[],
): ScriptedModel {
  const requests: ModelRequest[] = [];
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
