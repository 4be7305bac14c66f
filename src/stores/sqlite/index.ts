/**
 * The entry point `askback/stores/sqlite`. Nothing else of this folder is public.
 */
export type { SqliteLogger, SqliteStoreOptions } from './options.js';
export { SqliteStore } from './store.js';
