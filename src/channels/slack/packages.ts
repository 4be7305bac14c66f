/** The optional packages of the Slack channel, as data. */
import type { OptionalPackage } from '../../core/optional-package.js';

export const webApi: OptionalPackage = { name: '@slack/web-api', users: ['SlackChannel'] };

export const socketMode: OptionalPackage = {
  name: '@slack/socket-mode',
  users: ['SlackChannel({ appToken })'],
  install: ['@slack/socket-mode', 'undici'],
};
