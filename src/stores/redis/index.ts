/**
 * The door of `askback/stores/redis`. Nothing else of this folder is for users.
 */

export type { RedisReport } from './report.js';
export { checkRedis } from './report.js';
export { RedisStore } from './store.js';
export type { RedisLogger } from './transport/checks.js';
export type { RedisArgument, RedisClient, RedisConnection } from './transport/client.js';
export type { RedisStoreOptions } from './transport/connections.js';
