/** The example of channelContract(), for node:test: a pager that is a list in memory. */
import { test } from 'node:test';
import { plainText } from 'askback/channels/plain';
import { channelContract } from 'askback/testing';

async function open() {
  const pages = [];
  const shown = new Set();
  let desk;
  const channel = {
    name: 'pager',
    start: (given) => {
      desk = given;
    },
    send: async (message) => {
      if (!shown.has(message.key)) pages.push(plainText(message));
      shown.add(message.key);
    },
  };
  const from = { conversationId: 'ann', participant: { id: 'pager:ann' } };
  const says = (message) =>
    desk.receive({ ...message, ...from }).then(
      () => 'received',
      () => 'refused',
    );
  const seen = () => pages.map((text) => ({ text, controls: [] }));
  return { channel, participantId: 'pager:ann', secrets: [], says, seen, wire: () => pages.join() };
}

const never = [
  'errors and logs carry no secrets',
  'nobody can write as somebody else by what a message says',
  'malformed input is refused, and what follows is taken',
  'a send that the platform did not take rejects, and it is shown when the platform is back',
];
channelContract({ test, open, skip: [{ reason: 'This pager is a list in memory', tests: never }] });
