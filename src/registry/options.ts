/**
 * The registry's options, checked once at the door.
 */
import type { Channel, IncomingMessage } from '../channels/port.js';
import type { Model } from '../core/agent.js';
import { AgentError } from '../core/errors.js';
import type { Logger } from '../core/events.js';
import { complaining } from '../core/events.js';
import { describe } from '../core/ids.js';
import { notBuilt } from '../core/options.js';
import { forwardChannel } from '../core/outgoing.js';
import type { Participant } from '../core/participant.js';
import type { Settings } from '../core/settings.js';
import { checkedSettings } from '../core/settings.js';
import type { Wording } from '../core/wording.js';
import { checkedWording } from '../core/wording.js';
import type { Clock } from '../machine/clock.js';
import { randomId, systemClock } from '../machine/clock.js';
import { MemoryStore } from '../stores/memory.js';
import type { Store } from '../stores/port.js';
import type { RegisteredAgent } from './agents.js';
import { attach, serve } from './agents.js';
import type { Emitter } from './emitter.js';
import type { House } from './house.js';
import { handleChannel, ingressPatience } from './house.js';
import { patient } from './patient.js';

export interface RegistryOptions {
  /** None: this process records messages for others to work on. */
  readonly agents?: readonly RegisteredAgent[];
  readonly channels?: readonly Channel[];
  /** Default: a `MemoryStore`, which forgets everything when the process ends. */
  readonly store?: Store;
  /** The model of agents that have none of their own. */
  readonly model?: Model;
  /** The intent of a message that is no reply. */
  readonly classify?: (message: IncomingMessage) => string | undefined | Promise<string | undefined>;
  /** The name of the agent for a message that is no reply. Default: the first agent. */
  readonly route?: (message: IncomingMessage, agents: readonly string[]) => string | Promise<string>;
  /** Maps a channel's participant to a person, so that one human counts as one. */
  readonly identify?: (participant: Participant) => Participant | Promise<Participant>;
  readonly wording?: Partial<Wording>;
  /** Default: warnings and errors go to the console. Never given answers, contexts or secrets. */
  readonly logger?: Logger;
  readonly settings?: Partial<Settings>;
  readonly clock?: Clock;
  /** Makes turn ids and tokens; they must not be guessable. */
  readonly newId?: () => string;
}

const known = [
  'agents',
  'channels',
  'store',
  'model',
  'classify',
  'route',
  'identify',
  'wording',
  'logger',
  'settings',
  'clock',
  'newId',
];

export function checkedHouse(
  options: RegistryOptions,
  emitter: (logger: Logger) => Emitter,
): { house: House; store: Store; agents: ReadonlyMap<string, RegisteredAgent>; events: Emitter } {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    if (name === 'policies') throw notBuilt(`AgentRegistry: the option ${name}`);
    throw new AgentError('bad-option', `AgentRegistry: the option ${name} is unknown. Known are ${known.join(', ')}.`);
  }
  for (const name of ['model', 'classify', 'route', 'identify', 'newId'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function') {
      throw new AgentError('bad-option', `AgentRegistry: ${name} must be a function, got ${describe(options[name])}.`);
    }
  }
  const logger = options.logger ?? complaining;
  const clock = options.clock ?? systemClock;
  const newId = options.newId ?? randomId;
  const agents = namedAgents(options.agents ?? []);
  const events = emitter(logger);
  const store = options.store ?? new MemoryStore({ clock });
  const house: House = {
    id: newId(),
    agentNames: [...agents.keys()],
    channels: namedChannels(options.channels ?? []),
    store: patient(store, () => house, ingressPatience),
    settings: checkedSettings(options.settings),
    wording: checkedWording(options.wording),
    clock,
    newId,
    logger,
    model: options.model,
    route: options.route,
    classify: options.classify,
    identify: options.identify,
    hears: (event) => events.hears(event),
    emit: (event, about) => events.emit(event, about),
  };
  for (const agent of agents.values()) agent[attach]();
  return { house, store, agents, events };
}

function namedAgents(agents: readonly RegisteredAgent[]): ReadonlyMap<string, RegisteredAgent> {
  const named = new Map<string, RegisteredAgent>();
  for (const [i, agent] of agents.entries()) {
    if (typeof agent?.[serve] !== 'function') {
      throw new AgentError(
        'bad-option',
        `AgentRegistry: agents[${i}] is no agent. Pass what agent() returns or an instance of a BaseAgent subclass.`,
      );
    }
    const { name } = agent;
    if (typeof name !== 'string' || name === '')
      throw new AgentError(
        'bad-option',
        `AgentRegistry: agents[${i}] has no name. Give it one: its asks are found by it after a restart.`,
      );
    if (named.has(name))
      throw new AgentError(
        'bad-option',
        `AgentRegistry: two agents are named ${JSON.stringify(name)}. Give each its own name.`,
      );
    named.set(name, agent);
  }
  return named;
}

function namedChannels(channels: readonly Channel[]): ReadonlyMap<string, Channel> {
  const named = new Map<string, Channel>();
  for (const [i, channel] of channels.entries()) {
    const name: unknown = channel?.name;
    if (typeof name !== 'string' || name === '')
      throw new AgentError(
        'unknown-channel',
        `AgentRegistry: channels[${i}] has no name. Give it one: answers find their way back by it.`,
      );
    if (name === handleChannel || name === forwardChannel)
      throw new AgentError(
        'bad-option',
        `AgentRegistry: the channel name ${JSON.stringify(name)} is reserved. Use another.`,
      );
    if (typeof channel.start !== 'function' || typeof channel.send !== 'function')
      throw new AgentError(
        'bad-option',
        `AgentRegistry: channels[${i}] (${name}) is no channel: it needs the methods start and send.`,
      );
    if (named.has(name))
      throw new AgentError(
        'bad-option',
        `AgentRegistry: two channels are named ${JSON.stringify(name)}. Give each its own name.`,
      );
    named.set(name, channel);
  }
  return named;
}
