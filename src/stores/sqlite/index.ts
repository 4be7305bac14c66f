/**
 * The door of `askback/stores/sqlite`. Nothing else of this folder is for users.
 */
export type { SqliteLogger, SqliteStoreOptions } from './options.js';
export { SqliteStore } from './store.js';
