/**
 * The door of `askback/stores/redis`. Nothing else of this folder is for users.
 */
export type { RedisLogger } from './checks.js';
export type { RedisClient, RedisConnection } from './client.js';
export type { RedisStoreOptions } from './connections.js';
export type { RedisReport } from './report.js';
export { checkRedis } from './report.js';
export { RedisStore } from './store.js';
