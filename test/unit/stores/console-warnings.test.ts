/** What the stores write to the console where they were given no logger. */
import { expect, test, vi } from 'vitest';
import { checkedRedisOptions } from '../../../src/stores/redis/transport/connections.js';
import { checkedOptions } from '../../../src/stores/sqlite/options.js';

test('a warning of a store on the console says that it comes from askback', () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  try {
    checkedRedisOptions({ url: 'redis://localhost:6379' }).logger.warn('Redis may evict keys.');
    checkedOptions({ path: 'askback.db' }).logger.warn('The file was moved.');
    expect(warned.mock.calls).toEqual([['askback: Redis may evict keys.'], ['askback: The file was moved.']]);
  } finally {
    warned.mockRestore();
  }
});
