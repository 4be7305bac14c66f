/**
 * A person on the local Slack: writes, mentions, presses, picks, and fills in modals. Each act is a signed request to the app in the shape
 * of Slack's documentation; the text is sent as Slack sends what somebody typed.
 */
import { randomUUID } from 'node:crypto';
import { showsLabel } from '../shown-label.js';
import type { DrawnControl } from './block-kit.js';
import { controlsIn } from './block-kit.js';
import type { AppAnswer, DeliveryOptions, SlackFields, SlackServer, StoredMessage, StoredView } from './server.js';

/** Where somebody writes, and what the event says besides. */
export interface WritingOptions extends DeliveryOptions {
  /** C1 unless it is said; `direct` for the direct messages with the app. */
  readonly channel?: string;
  readonly thread?: string | undefined;
  /** The `ts` of the message, for one that comes again. */
  readonly ts?: string;
  /** More fields of the event: a subtype, files, `user_team`. */
  readonly event?: SlackFields;
  /** More fields around the event. */
  readonly envelope?: SlackFields;
}

/** What was sent, and what the app answered. */
export interface Written extends AppAnswer {
  readonly ts: string;
  /** Sends the same request again, as Slack does where it was not acknowledged. */
  readonly again: (options?: DeliveryOptions) => Promise<AppAnswer>;
}

/** The emoji that the local Slack knows by name: it sends `:name:`, and the character in the blocks. */
const emoji: Readonly<Record<string, string>> = { '👋': 'wave', '👍': '+1', '👎': '-1', '✅': 'white_check_mark' };

/** What Slack sends for what somebody typed. */
export function asSlackSends(typed: string): string {
  const escaped = typed.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .replace(/\b(https?:\/\/[^\s&]+)/g, '<$1>')
    .replace(/(?<![\w<:/])([\w.+-]+@[\w-]+\.[\w.-]*\w)/g, '<mailto:$1|$1>')
    .replace(/\p{Extended_Pictographic}/gu, (each) => (emoji[each] === undefined ? each : `:${emoji[each]}:`));
}

/** The same as blocks: text and emoji, each emoji with its code point. */
function richText(typed: string): SlackFields {
  const parts = typed.split(/(\p{Extended_Pictographic})/u).filter((part) => part !== '');
  const elements = parts.map((part) => {
    const name = emoji[part];
    if (name === undefined) return { type: 'text', text: part };
    return { type: 'emoji', name, unicode: (part.codePointAt(0) as number).toString(16) };
  });
  return { type: 'rich_text', block_id: 'typed', elements: [{ type: 'rich_text_section', elements }] };
}

export class SlackPerson {
  readonly id: string;
  readonly #slack: SlackServer;
  /** What is picked and not sent yet, by message or view. */
  readonly #picked = new Map<string, Record<string, Record<string, SlackFields>>>();

  constructor(slack: SlackServer, id: string) {
    this.#slack = slack;
    this.id = id;
  }

  /** Writes a message in a channel, a thread or (with `direct`) to the app. */
  async writes(typed: string, options: WritingOptions = {}): Promise<Written> {
    return this.#event('message', typed, asSlackSends(typed), options);
  }

  /** Writes to the app in a channel: `app_mention`. Slack sends it as `message` as well, if the app asked for both. */
  async mentions(typed: string, options: WritingOptions = {}): Promise<Written> {
    return this.#event('app_mention', typed, `<@${this.#slack.botUser}> ${asSlackSends(typed)}`, options);
  }

  async #event(type: string, typed: string, text: string, options: WritingOptions): Promise<Written> {
    const { thread, ts = this.#slack.nextTs(), event = {}, envelope = {}, ...delivery } = options;
    const channel = options.channel === 'direct' ? this.#slack.direct(this.id) : (options.channel ?? 'C1');
    const team = String(this.#slack.users.get(this.id)?.['team_id']);
    const about = { team: this.#slack.team, channel, ts, user: this.id, text, blocks: [], edits: 0, bot: false };
    const isNew = !this.#slack.messages.some((message) => message.channel === channel && message.ts === ts);
    if (isNew) this.#slack.messages.push(thread === undefined ? about : { ...about, thread_ts: thread });
    const body = {
      token: 'verification-token',
      team_id: this.#slack.team,
      context_team_id: this.#slack.team,
      api_app_id: this.#slack.appId,
      type: 'event_callback',
      event_id: `Ev${randomUUID()}`,
      event_time: Math.floor(this.#slack.now() / 1_000),
      authorizations: [{ enterprise_id: null, team_id: this.#slack.team, user_id: this.#slack.botUser, is_bot: true }],
      is_ext_shared_channel: false,
      ...envelope,
      event: {
        type,
        user: this.id,
        text,
        ts,
        team,
        channel,
        event_ts: ts,
        blocks: [richText(typed)],
        ...(thread === undefined ? {} : { thread_ts: thread }),
        ...(type === 'message'
          ? { channel_type: channel.startsWith('D') ? 'im' : 'channel', client_msg_id: randomUUID() }
          : {}),
        ...event,
      },
    };
    const again = (more: DeliveryOptions = {}) => this.#slack.sendsEvent(body, { ...delivery, ...more });
    return { ts, again, ...(await again()) };
  }

  // --- controls of messages ---

  /** The latest message in a channel that has a control with this label. */
  messageWith(label: string, channel = 'C1'): StoredMessage {
    const shown = this.#slack.seenIn(channel, this.id).filter(({ bot }) => bot);
    const found = shown.findLast(({ blocks }) =>
      controlsIn(blocks).some((control) => showsLabel(control.label, label)),
    );
    if (found !== undefined) return found;
    const labels = shown.flatMap(({ blocks }) => controlsIn(blocks).map((control) => control.label));
    throw new Error(`No message in ${channel} has the control ${label}. There are: ${labels.join(', ') || 'none'}.`);
  }

  /** Presses a button. `message` may be one that was drawn again meanwhile: the person still saw the button. */
  async presses(label: string, options: DeliveryOptions & PressOptions = {}): Promise<Written> {
    const {
      channel = 'C1',
      message = this.messageWith(label, channel),
      actionTs = this.#slack.nextTs(),
      ...delivery
    } = options;
    const control = controlOf(message, label);
    const { element, blockId } = control;
    const action = {
      action_id: element['action_id'],
      block_id: blockId,
      text: element['text'],
      type: 'button',
      action_ts: actionTs,
      ...(element['value'] === undefined ? {} : { value: element['value'] }),
    };
    const payload = this.#blockActions(message, action);
    const again = (more: DeliveryOptions = {}) => {
      const fresh = { ...payload, trigger_id: this.#slack.trigger(this.id) };
      return this.#slack.sendsInteraction(fresh, { ...delivery, ...more });
    };
    return { ts: actionTs, again, ...(await again()) };
  }

  /** Picks an option of a list in a message: of checkboxes and lists of several, one more. Slack tells the app of each. */
  async picks(
    label: string,
    { channel = 'C1', message = this.messageWith(label, channel) }: PressOptions = {},
  ): Promise<AppAnswer> {
    const control = controlOf(message, label);
    const input = this.#pick(message.ts, control);
    const action = {
      action_id: control.element['action_id'],
      block_id: control.blockId,
      ...input,
      action_ts: this.#slack.nextTs(),
    };
    return this.#slack.sendsInteraction(this.#blockActions(message, action));
  }

  #pick(where: string, { blockId, element, option }: DrawnControl): SlackFields {
    const values = this.#picked.get(where) ?? {};
    this.#picked.set(where, values);
    const actionId = String(element['action_id']);
    const before = values[blockId]?.[actionId];
    const type = String(element['type']);
    const isMany = type === 'checkboxes' || type === 'multi_static_select';
    const several = (before?.['selected_options'] as readonly SlackFields[] | undefined) ?? [];
    const input = isMany ? { type, selected_options: [...several, option] } : { type, selected_option: option ?? null };
    values[blockId] = { [actionId]: input as SlackFields };
    return input as SlackFields;
  }

  #blockActions(message: StoredMessage, action: SlackFields): SlackFields {
    const { channel, ts, thread_ts, only } = message;
    const about = this.#slack.users.get(this.id);
    return {
      type: 'block_actions',
      user: { id: this.id, username: about?.['name'], name: about?.['name'], team_id: about?.['team_id'] },
      api_app_id: this.#slack.appId,
      token: 'verification-token',
      container: {
        type: 'message',
        message_ts: ts,
        channel_id: channel,
        is_ephemeral: only !== undefined,
        ...(thread_ts === undefined ? {} : { thread_ts }),
      },
      trigger_id: this.#slack.trigger(this.id),
      team: { id: this.#slack.team, domain: 'shop' },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: channel, name: channel.startsWith('D') ? 'directmessage' : 'refunds' },
      ...(only === undefined ? { message: this.#slack.described(message) } : {}),
      state: { values: this.#picked.get(ts) ?? {} },
      response_url: 'https://hooks.slack.com/actions/T1/1/local',
      actions: [action],
    };
  }

  // --- modals ---

  /** The modal that was opened last for this person. */
  get modal(): StoredView {
    const found = this.#slack.views.findLast(({ user }) => user === this.id);
    if (found === undefined) throw new Error(`No modal is open for ${this.id}.`);
    return found;
  }

  /**
   * Fills in the modal and sends it: by the label of each input, with the label of an option, or several, or a string. `payload` is for
   * other fields than Slack's usual ones.
   */
  async submits(
    values: Readonly<Record<string, string | readonly string[]>>,
    { payload: more = {}, ...options }: DeliveryOptions & { readonly payload?: SlackFields } = {},
  ): Promise<Written> {
    const { id, view } = this.modal;
    const state: Record<string, Record<string, SlackFields>> = {};
    for (const block of view['blocks'] as readonly SlackFields[]) {
      if (block['type'] !== 'input') continue;
      const label = String((block['label'] as SlackFields)['text']);
      const element = block['element'] as SlackFields;
      state[String(block['block_id'])] = { [String(element['action_id'])]: filled(block, element, values[label]) };
    }
    const unknown = Object.keys(values).find((label) => !labelsOf(view).includes(label));
    if (unknown !== undefined)
      throw new Error(`The modal has no input ${unknown}. It has: ${labelsOf(view).join(', ')}.`);
    const about = this.#slack.users.get(this.id);
    const payload = {
      type: 'view_submission',
      team: { id: this.#slack.team, domain: 'shop' },
      user: { id: this.id, username: about?.['name'], name: about?.['name'], team_id: about?.['team_id'] },
      api_app_id: this.#slack.appId,
      token: 'verification-token',
      trigger_id: this.#slack.trigger(this.id),
      view: {
        ...view,
        id,
        team_id: this.#slack.team,
        app_id: this.#slack.appId,
        bot_id: this.#slack.botId,
        root_view_id: id,
        previous_view_id: null,
        hash: '1.local',
        state: { values: state },
      },
      response_urls: [],
      is_enterprise_install: false,
      enterprise: null,
      ...more,
    };
    const again = (how: DeliveryOptions = {}) => this.#slack.sendsInteraction(payload, { ...options, ...how });
    return { ts: id, again, ...(await again()) };
  }
}

export interface PressOptions {
  readonly channel?: string;
  readonly message?: StoredMessage;
  /** The `action_ts`, for a click that comes again. */
  readonly actionTs?: string;
}

function controlOf({ blocks }: StoredMessage, label: string): DrawnControl {
  const found = controlsIn(blocks).find((control) => showsLabel(control.label, label));
  if (found === undefined) throw new Error(`The message has no control ${label}.`);
  return found;
}

function labelsOf(view: SlackFields): string[] {
  const inputs = (view['blocks'] as readonly SlackFields[]).filter(({ type }) => type === 'input');
  return inputs.map(({ label }) => String((label as SlackFields)['text']));
}

/** The state of an input, by the kind of its element. */
function filled(block: SlackFields, element: SlackFields, value: string | readonly string[] | undefined): SlackFields {
  const type = String(element['type']);
  const options = controlsIn([block]);
  const option = (label: string) => {
    const found = options.find((each) => showsLabel(each.label, label))?.option;
    if (found === undefined) throw new Error(`The input has no option ${label}.`);
    return found;
  };
  const labels = value === undefined ? [] : [value].flat();
  switch (type) {
    case 'checkboxes':
    case 'multi_static_select':
      return { type, selected_options: labels.map(option) };
    case 'radio_buttons':
    case 'static_select':
      return { type, selected_option: labels[0] === undefined ? null : option(labels[0]) };
    case 'datepicker':
      return { type, selected_date: value ?? null };
    case 'timepicker':
      return { type, selected_time: value ?? null };
    default:
      return { type, value: value ?? null };
  }
}
