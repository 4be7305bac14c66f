/**
 * The testing kit: rehearsals of agents, and contracts for your own channels, stores and answer types. Works with any test
 * runner.
 */

export type { AnswerTypeContract } from './answer-type-contract.js';
export { answerTypeContract } from './answer-type-contract.js';
export type {
  Acknowledged,
  ChannelCapability,
  ChannelContractOptions,
  ChannelDriver,
  ChannelWorld,
  SeenMessage,
  WrittenMessage,
} from './channel-contract/index.js';
export { channelContract } from './channel-contract/index.js';
export { FakeClock } from './clock.js';
export type { CrashPoint } from './crashable-store.js';
export type { ScriptedModel } from './model.js';
export { scriptedModel } from './model.js';
export type { FailureMode } from './rehearsal/failures.js';
export type { Human, HumanOptions, SaysOptions } from './rehearsal/human.js';
export type { WaitForAsk } from './rehearsal/open-questions.js';
export type { Rehearsal, RehearseOptions, Replica, ReplicaOptions } from './rehearse.js';
export { rehearse } from './rehearse.js';
export type { StoreContractOptions, StoreWorld } from './store-contract/index.js';
export { storeContract } from './store-contract/index.js';
