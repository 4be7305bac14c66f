/**
 * Takes what Slack sends to the desk, however it came: over HTTP, by Socket Mode or through Bolt. Resolves once it is recorded, which is
 * when it may be acknowledged. The caller has checked that Slack is the sender.
 */
import { definedFields } from '../../../core/defined-fields.js';
import { failureOf } from '../../../core/errors.js';
import { digest } from '../../../core/ids.js';
import type { Json } from '../../../core/json.js';
import type { Participant } from '../../../core/participant.js';
import { refusal } from '../../http.js';
import { acknowledgedInTime } from '../../kit/in-time.js';
import { problemOfModal, problemsByInput } from '../../kit/modal-answer.js';
import { jsonIn } from '../../kit/untyped.js';
import { writtenFields } from '../../kit/written.js';
import type { Desk, IncomingMessage } from '../../port.js';
import { wordingIn } from '../../wording.js';
import type { SlackBlock, SlackContent, SlackPlace } from '../api.js';
import { type ControlTarget, readControl, readModal } from '../drawing/action-data.js';
import { cut, plain } from '../drawing/escape.js';
import { drawnModal } from '../drawing/modal.js';
import type { SlackParts } from '../parts.js';
import type { SlackSender } from '../people.js';
import { addressOf, conversationOf, type SlackAddress, storedAddress } from '../places.js';
import { readPayload, type SlackClicked, type SlackSubmitted, type SlackUsed, type SlackWritten } from './payload.js';
import { mentionedIn, ownTypedText } from './typed-text.js';

/** The body of an acknowledgement. */
export type SlackReply =
  | { readonly challenge: string }
  /** The modal stays open and says what is wrong, beside the blocks with these ids. */
  | { readonly response_action: 'errors'; readonly errors: Readonly<Record<string, string>> };

const longestProblem = 2_000;

export class SlackReceiver {
  readonly #parts: SlackParts;

  constructor(parts: SlackParts) {
    this.#parts = parts;
  }

  /**
   * Rejects if it is not recorded: it must not be acknowledged then. `deliveredAt` is when Slack sent it, by Slack's clock,
   * where that is known.
   */
  async accept(desk: Desk, json: unknown, deliveredAt?: number): Promise<SlackReply | undefined> {
    const payload = readPayload(json);
    if (payload.type === 'challenge') return { challenge: payload.challenge };
    if (payload.type === 'ignored') return undefined;
    const { appId } = this.#parts;
    if (appId !== undefined && payload.appId !== appId)
      throw refusal(403, 'The payload is of another Slack app than the option appId names.', 'unauthenticated');
    return acknowledgedInTime(this.#parts.clock, this.#taken(desk, payload, deliveredAt));
  }

  #taken(
    desk: Desk,
    payload: SlackWritten | SlackClicked | SlackSubmitted,
    deliveredAt: number | undefined,
  ): Promise<SlackReply | undefined> {
    if (payload.type === 'message') return this.#written(desk, payload, deliveredAt);
    return payload.type === 'actions' ? this.#clicked(desk, payload) : this.#submitted(desk, payload);
  }

  async #written(desk: Desk, written: SlackWritten, deliveredAt: number | undefined): Promise<undefined> {
    const { team, channel, ts, author } = written;
    const sender = await this.#parts.people.sender(team, author);
    if (sender.type === 'refused') return this.#refused(written, sender);
    const mentioned = mentionedIn(written.text);
    const self = mentioned.length === 0 ? undefined : (written.self ?? (await this.#parts.people.self(team)).userId);
    const [names, place] = await Promise.all([
      this.#parts.people.names(
        team,
        mentioned.filter((user) => user !== self),
      ),
      this.#placeOf(written),
    ]);
    const { files, sentAt, emoji, rich } = written;
    const typed = ownTypedText(written.text, { self, names, emoji, rich });
    const isMentioned = self !== undefined && mentioned.includes(self);
    await desk.receive({
      id: `slack:${team}/${channel}/${ts}`,
      ...place,
      ...writtenFields({ typed, files, isMentioned }),
      participant: sender.participant,
      ...definedFields({ sentAt: sentAtOf(sentAt, deliveredAt) }),
    });
    return undefined;
  }

  /**
   * The conversation of a message. Below a question of ours it is the question's, whichever that is. Below anything else that we said it
   * is the conversation in which that was said, if it is at this place: readers of a copy elsewhere take no part in it.
   */
  async #placeOf(written: SlackWritten): Promise<Pick<IncomingMessage, 'conversationId' | 'askId' | 'address'>> {
    const { team, channel, isDirect, author, ts, thread } = written;
    const here: SlackAddress = isDirect
      ? { team, user: author.user, ...definedFields({ thread }) }
      : { team, channel, thread: thread ?? ts };
    const { name, roots } = this.#parts;
    const root = await roots.targetOf(written);
    if (root !== undefined) {
      const { sentTo, ...target } = root;
      const { thread: _, ...above } = here; // where our first message of the thread is
      const address = await this.#addressFor({ conversationId: target.conversationId, sentTo }, above, channel);
      const isHere = address.team === here.team && conversationOf(name, address) === target.conversationId;
      if (isHere || target.askId !== undefined) return { ...target, address: { ...address } };
    }
    return { conversationId: conversationOf(name, here), address: { ...here } };
  }

  /**
   * The address of a reply is the place where it was given, which may be that of a copy of the question, named as it was when the question
   * was sent there: the direct messages of a person may have been sent to under an e-mail address or as the channel with this id.
   */
  async #addressFor(
    { conversationId, sentTo }: Pick<ControlTarget, 'conversationId'> & { readonly sentTo: string | undefined },
    here: SlackAddress,
    channel: string | undefined,
  ): Promise<SlackAddress> {
    for (const named of [sentTo, conversationId]) {
      const own = named === undefined ? undefined : addressOf(this.#parts.name, named);
      if (own !== undefined && (await this.#isAt(own, here, channel))) return own;
    }
    return here;
  }

  async #isAt(own: SlackAddress, here: SlackAddress, channel: string | undefined): Promise<boolean> {
    if (own.thread !== here.thread) return false;
    if (own.channel !== undefined) return own.channel === channel;
    if (here.user === undefined) return false;
    return here.user === (own.email === undefined ? own.user : await this.#userWith(own.team, own.email));
  }

  /** Undefined also while Slack cannot be asked: an answer is not kept waiting for it. */
  async #userWith(team: string, email: string): Promise<string | undefined> {
    try {
      return await this.#parts.api.userByEmail(team, email);
    } catch {
      return undefined;
    }
  }

  async #clicked(desk: Desk, clicked: SlackClicked): Promise<undefined> {
    for (const action of clicked.actions) {
      const control = readControl(action, clicked.state);
      if (control.type === 'nothing') continue;
      const sender = await this.#parts.people.sender(clicked.team, clicked.author);
      if (sender.type === 'refused') {
        this.#refused(clicked, sender);
        await this.#tell(clicked, wordingIn(desk, sender.locale).refused());
        continue;
      }
      const wording = wordingIn(desk, sender.participant.locale);
      if (control.type === 'open') await this.#open(clicked, drawnModal(control.form, wording), control.form.askId);
      else if (control.type === 'incomplete') await this.#tell(clicked, wording.unclear());
      else await desk.receive(await this.#pressed(clicked, action, control, sender.participant));
    }
    return undefined;
  }

  async #pressed(
    { team, channel, ts, thread, author: { user } }: SlackClicked,
    action: { readonly action_id?: unknown; readonly action_ts?: unknown },
    { conversationId, askId, sentTo, choice }: ControlTarget & Pick<IncomingMessage, 'choice'>,
    participant: Participant,
  ): Promise<IncomingMessage> {
    const here = placeOfMessage(team, channel, thread, user);
    const address = await this.#addressFor({ conversationId, sentTo }, here, channel);
    return {
      id: `slack:click:${user}/${ts}/${String(action.action_id)}/${String(action.action_ts)}`,
      conversationId,
      text: '',
      participant,
      address: { ...address },
      ...definedFields({ askId, choice }),
    };
  }

  /** The trigger is good for three seconds. If it is lost, nothing is: the person presses the button again. */
  async #open(clicked: SlackClicked, view: SlackBlock, askId: string): Promise<void> {
    const { team, channel, thread, trigger } = clicked;
    const metadata = withPlace({ team, channel, ...definedFields({ thread }) }, String(view['private_metadata']));
    try {
      await this.#parts.api.openModal(team, trigger, { ...view, private_metadata: metadata });
    } catch (error) {
      this.#parts.logger.warn('A modal could not be opened on Slack. Pressing the button again opens it', {
        channel: this.#parts.name,
        askId,
        failure: failureOf(error),
      });
    }
  }

  async #submitted(desk: Desk, submitted: SlackSubmitted): Promise<SlackReply | undefined> {
    const { team, author, view, viewId, trigger } = submitted;
    const { place, metadata } = splitPlace(view['private_metadata']);
    const values = (view['state'] as { readonly values?: unknown } | undefined)?.values;
    const sent = readModal(metadata, values);
    if (sent === undefined) return undefined;
    const { conversationId, askId, sentTo, blockId, inputs, ...given } = sent;
    const sender = await this.#parts.people.sender(team, author);
    if (sender.type === 'refused') {
      this.#refused({ team, author }, sender);
      return { response_action: 'errors', errors: { [blockId]: wordingIn(desk, sender.locale).refused() } };
    }
    const here =
      place?.channel === undefined
        ? (place ?? { team, user: author.user })
        : placeOfMessage(place.team, place.channel, place.thread, author.user);
    const address = await this.#addressFor({ conversationId, sentTo }, here, place?.channel);
    const message: IncomingMessage = {
      // a modal that was told what is wrong is sent off again under the same view id, maybe with the same values
      id: `slack:view:${viewId}/${digest(trigger ?? JSON.stringify(values ?? null))}`,
      conversationId,
      askId,
      text: '',
      ...given,
      participant: sender.participant,
      address: { ...address },
    };
    const { api, logger, name: channel } = this.#parts;
    const tell = async (late: string) =>
      api.post({ team, channel: await api.directChannel(team, author.user) }, notice(late), {});
    const problem = await problemOfModal(desk, message, { channel, logger, tell });
    if (problem === undefined) return undefined;
    const lines = Object.entries(problemsByInput(problem, inputs, blockId));
    const errors = Object.fromEntries(lines.map(([block, line]) => [block, cut(line, longestProblem)]));
    return { response_action: 'errors', errors };
  }

  /** Shows a notice to the person who pressed, and to no other. Where that is not possible, it is logged. */
  async #tell({ team, channel, thread, author }: SlackClicked, text: string): Promise<void> {
    const place: SlackPlace = { team, channel, thread };
    try {
      await this.#parts.api.postOnly(place, author.user, notice(text));
    } catch (error) {
      const about = { channel: this.#parts.name, user: author.user, failure: failureOf(error) };
      this.#parts.logger.warn('A notice could not be shown to a person on Slack', about);
    }
  }

  #refused(
    { team, author }: Pick<SlackUsed, 'team' | 'author'>,
    { why }: Extract<SlackSender, { type: 'refused' }>,
  ): undefined {
    const about = { channel: this.#parts.name, team, user: author.user, why };
    this.#parts.logger.warn('A person on Slack was refused', about);
  }
}

/** The age of a message when Slack sent it, where that is known. Slack sends whole seconds: a delivery may seem older than its message. */
function sentAtOf(sentAt: number | undefined, deliveredAt: number | undefined): IncomingMessage['sentAt'] {
  return sentAt === undefined || deliveredAt === undefined ? sentAt : { age: Math.max(0, deliveredAt - sentAt) };
}

/** Where a message of ours is. In the direct messages of a person that is the person, whatever Slack calls the channel. */
function placeOfMessage(team: string, channel: string, thread: string | undefined, user: string): SlackAddress {
  const where = channel.startsWith('D') ? { user } : { channel };
  return { team, ...where, ...definedFields({ thread }) };
}

/** The private metadata of a modal, with the place of the message that opened it. */
function withPlace(place: SlackAddress, metadata: string): string {
  return `${JSON.stringify(place)}\n${metadata}`;
}

function splitPlace(metadata: unknown): { readonly place?: SlackAddress; readonly metadata: unknown } {
  const [first, ...rest] = typeof metadata === 'string' ? metadata.split('\n') : [];
  if (first === undefined || rest.length === 0) return { metadata };
  const place = storedAddress((jsonIn(first) ?? null) as Json);
  return place === undefined ? { metadata } : { place, metadata: rest.join('\n') };
}

/** Text without formatting. */
function notice(text: string): SlackContent {
  const shown = cut(text, longestProblem);
  return { text: shown, blocks: [{ type: 'section', text: plain(shown) }] };
}
