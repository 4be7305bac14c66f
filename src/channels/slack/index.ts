/**
 * `askback/channels/slack`: questions with buttons and modals in Slack, answers from there.
 */

export type { BoltApp, BoltEvent, BoltMiddlewareArgs } from './bolt.js';
export { connectBolt } from './bolt.js';
export type { SlackOptions } from './channel.js';
export { SlackChannel } from './channel.js';
export type { SlackReply } from './incoming/receiver.js';
export type { SlackManifestOptions } from './manifest.js';
export { slackManifest } from './manifest.js';
export { isAddressedOnSlack } from './places.js';
