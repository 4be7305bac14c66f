/** A program on the testing kit: what it declares has names a declaration file can use, and answers have their types. */
import { AgentError, type AgentErrorCode, agent, confirm, text } from 'askback';
import { rehearse } from 'askback/testing';

export const support = agent('support');
export const sure = support.question('sure', confirm('Are you sure?'), {
  onAnswer: (yes) => {
    const answer: boolean = yes;
    return answer ? 'Refunded.' : 'As you were.';
  },
});
export const order = support.question('order', text('Which order?', { pattern: /^\d{5,10}$/ }), {
  onAnswer: (number) => {
    const answer: string = number;
    return `Order ${answer}, thanks.`;
  },
});
support.onMessage(({ message, ask }) => ask(/sure/.test(message) ? sure : order));

const { human } = await rehearse({ agents: [support] });
const user = human('user');
const seen = [...(await user.says('refund please')), ...(await user.says('12345'))];
if (seen.join('|') !== 'Which order?|Order 12345, thanks.') throw new Error(`saw ${JSON.stringify(seen)}`);

const code: AgentErrorCode = 'no-turn';
if (new AgentError(code, 'x').code !== code) throw new Error('AgentError has no code');
console.log('it asks and hears');
