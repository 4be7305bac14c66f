/**
 * The door of `askback/stores/redis`. Nothing else of this folder is for users.
 */
export type { RedisLogger } from './checks.js';
export type { RedisClient, RedisConnection } from './client.js';
export type { RedisStoreOptions } from './connections.js';
export { RedisStore } from './store.js';
