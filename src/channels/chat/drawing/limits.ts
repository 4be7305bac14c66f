/** What platforms show of a message, as their documentation names it. Lengths are in characters. */

interface PlatformLimits {
  /** A message. Adapters cut what is longer, without a word. */
  readonly text: number;
  /** A label of a button. */
  readonly label: number;
  /** Buttons of one message. */
  readonly buttons: number;
}

const usual: PlatformLimits = { text: 2_000, label: 75, buttons: 5 };

const known: Readonly<Record<string, PlatformLimits>> = {
  telegram: { text: 4_096, label: 60, buttons: 8 },
  discord: { text: 2_000, label: 80, buttons: 5 },
  slack: { text: 3_000, label: 75, buttons: 5 },
  teams: { text: 10_000, label: 75, buttons: 6 },
  gchat: { text: 4_000, label: 75, buttons: 5 },
  whatsapp: { text: 1_024, label: 20, buttons: 3 },
};

/** Whether a message can be drawn anew. WhatsApp changes none that was sent. */
export function canRedraw(platform: string): boolean {
  return platform !== 'whatsapp';
}

export function limitsOf(platform: string): PlatformLimits {
  return known[platform] ?? usual;
}

/**
 * So many characters a question may have to be answered on these platforms, with its details and options: less than half of what the
 * strictest of them shows, because marks are escaped and what is said before it when it is asked again must fit as well.
 */
export function longestQuestionOn(platforms: readonly string[]): number {
  return Math.floor(0.45 * Math.min(...platforms.map((platform) => limitsOf(platform).text)));
}
