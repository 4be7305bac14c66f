/**
 * An answer type of your own: a rating with labels. It says how it is drawn and how a reply is read; every channel can
 * show it, and the handler gets a number. Run it in the terminal, typed or piped:
 *   printf 'bye\nsix\ngood\n' | npx tsx own-answer-type.ts   (from Node 22.18 on: node own-answer-type.ts)
 *   npm run build && npm run build:examples && node dist-examples/own-answer-type.js   (in a clone)
 */
import type { AnswerType, Question } from 'askback';
import { AgentRegistry, agent, TerminalChannel } from 'askback';

/** What is stored with each question of this type: plain data, so that any process can read the reply. */
type RatingData = { labels: string[] };

export const ratingType: AnswerType<number, RatingData> = {
  kind: 'rating',
  shape: ({ labels }) => ({
    type: 'choices',
    choices: labels.map((label, i) => ({ id: String(i + 1), label })),
    many: false,
  }),
  parse: (reply, { labels }) => {
    const words = reply.trim().toLowerCase();
    const named = labels.findIndex((label) => label.toLowerCase() === words) + 1;
    const value = named > 0 ? named : /^\d$/.test(words) ? Number(words) : 0;
    return value >= 1 && value <= labels.length
      ? { ok: true, value }
      : { ok: false, why: 'not-valid', problem: `Please pick a number from 1 to ${labels.length}.` };
  },
};

/** What users of the type write: `rating('How was it?')`. */
export function rating(question: string, labels = ['poor', 'fair', 'good', 'great']): Question<number> {
  return { text: question, type: ratingType, data: { labels } };
}

const survey = agent('survey');
const service = survey.question('service', rating('How was our service?'), {
  onAnswer: (stars) => `Thank you for ${'*'.repeat(stars)}`,
});
survey.onMessage(({ message, ask }) => (/bye/i.test(message) ? ask(service) : 'Say "bye" when you are done.'));

await new AgentRegistry({ agents: [survey], channels: [new TerminalChannel()] }).start();
