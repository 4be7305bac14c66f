/** The platforms of `chat` by the names of their adapters. */
import { discord } from './discord.js';
import { googleChat } from './google-chat.js';
import { type Platform, unknownPlatform } from './platform.js';
import { slack } from './slack.js';
import { teams } from './teams.js';
import { telegram } from './telegram.js';
import { whatsApp } from './whatsapp.js';

const known = new Map([telegram, discord, slack, teams, googleChat, whatsApp].map((each) => [each.name, each]));

/** The rules of a platform; cautious ones for an adapter that is not known. */
export function platformNamed(name: string): Platform {
  return known.get(name) ?? { ...unknownPlatform, name };
}
