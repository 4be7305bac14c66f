/** Subpaths that need no optional package, used together: what one gives, another takes, so the types they share are one. */
import { AgentError, AgentRegistry, agent, MemoryStore, type Store } from 'askback';
import { EmailChannel } from 'askback/channels/email';
import { plainText } from 'askback/channels/plain';
import { slackManifest } from 'askback/channels/slack';
import { RedisStore } from 'askback/stores/redis';
import { SqliteStore } from 'askback/stores/sqlite';
import { storeContract } from 'askback/testing';
import { askHuman } from 'askback/tools';
import { german } from 'askback/wording/de';

export const desk = agent('desk').onMessage(() => 'Hello.');
export const stores: readonly Store[] = [new MemoryStore(), new SqliteStore({ path: './stranger.db' })];
export const registryOn = (store: Store) => new AgentRegistry({ agents: [desk], store, languages: [german] });
export const onRedis = (url: string) => registryOn(new RedisStore({ url }));
export const used = [plainText, EmailChannel, slackManifest, storeContract, askHuman, AgentError];

try {
  new SqliteStore({ path: ':memory:' });
} catch (error) {
  if (error instanceof AgentError) console.log('subpaths share their types');
}
