/**
 * What start() finds wrong in the questions that agents have declared, before somebody is to be asked one. Nothing is decided here: each is
 * checked as its ask would be.
 */
import { checkedAskOptions } from '../../core/ask/options.js';
import { AgentError, failureOf } from '../../core/errors.js';
import type { RegistryContext } from '../context.js';
import { type DeclaredOptions, declared, type RegisteredAgent } from '../turn/agent-port.js';
import { policyNamed } from '../turn/author-hooks.js';
import { furtherPlace, viaTarget, warnOfDoubtfulOptions } from '../turn/new-ask.js';

/**
 * Throws for an address that a channel of this registry refuses. What is not here, a channel or a policy, is only warned of: another process
 * may have it, or nobody is asked that question in this one.
 */
export function checkDeclaredQuestions(context: RegistryContext, agents: Iterable<RegisteredAgent>): void {
  for (const agent of agents) {
    for (const question of agent[declared]?.() ?? []) checkQuestion(context, agent.name, question);
  }
}

function checkQuestion(context: RegistryContext, agentName: string, { name, kind, stored }: DeclaredOptions): void {
  const call = `question(${JSON.stringify(name)}) of agent ${agentName}`;
  try {
    const options = checkedAskOptions(stored, context.settings, kind, call);
    warnOfDoubtfulOptions(context, { agentName, name, question: name, options });
    const { via, notify = [], escalate = [], answerableBy } = options;
    if (via !== undefined) viaTarget(context, via, { call });
    for (const [i, { channel, to }] of notify.entries()) furtherPlace(context, channel, to, `${call}: notify[${i}]`);
    for (const [i, { channel, to }] of escalate.entries())
      furtherPlace(context, channel, to, `${call}: escalate[${i}]`);
    for (const rule of [answerableBy, ...escalate.map((step) => step.answerableBy)])
      if (typeof rule === 'object' && 'policy' in rule) policyNamed(context, rule.policy);
  } catch (error) {
    if (error instanceof AgentError && error.code !== 'unknown-channel' && error.code !== 'unknown-policy') throw error;
    context.logger.warn('A declared question cannot be asked by this process. failure says why', {
      agentName,
      question: name,
      failure: failureOf(error),
    });
  }
}
