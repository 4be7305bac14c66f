/**
 * What the web chat and its channel exchange as JSON (src/channels/web/drawing.ts writes it). Types only, without those of the browser.
 */

/** What happened in a conversation since a cursor. */
export interface ChatBatch {
  readonly items: readonly ChatItem[];
  /** The cursor behind the last item. */
  readonly cursor: string;
  /** Items before these are missing: what is shown starts again with these. */
  readonly gap?: true;
}

export type ChatItem = ReceivedItem | SaidItem | DecidedItem;

/** A message of the visitor. */
export interface ReceivedItem {
  readonly type: 'in';
  /** The id that the page gave it. */
  readonly id: string;
  readonly at: string;
  readonly text: string;
  /** A control gave it: the question shows it. */
  readonly control?: true;
}

export interface SaidItem {
  readonly type: 'out';
  readonly key: string;
  readonly at: string;
  readonly text: string;
  /** For this visitor alone. */
  readonly only?: true;
  /** The question that it asks. */
  readonly ask?: ShownQuestion;
}

/** A question ended. */
export interface DecidedItem {
  readonly type: 'decided';
  readonly at: string;
  readonly askId: string;
  readonly status: QuestionStatus;
  readonly answer?: string;
}

export type QuestionStatus = 'pending' | 'answered' | 'declined' | 'exhausted' | 'expired' | 'cancelled';

export interface ShownQuestion {
  readonly id: string;
  readonly status: QuestionStatus;
  readonly shape: ControlShape;
  /** This visitor may answer it. */
  readonly mine?: true;
  readonly answer?: string;
  readonly hint?: string;
  /** Names and values. */
  readonly details?: readonly (readonly [string, string])[];
  readonly expiresAt?: string;
  /** The answer is neither shown nor kept. */
  readonly sensitive?: boolean;
}

/** The shape of a question, as core/ask/answer-type.ts describes it. */
export type ControlShape = TextShape | OptionsShape | FormShape;

export interface TextShape {
  readonly type: 'text';
  readonly input?: 'number' | 'date' | 'datetime' | 'email';
}

export interface OptionsShape {
  readonly type: 'choices';
  readonly choices: readonly ShownOption[];
  readonly many: boolean;
  readonly numbered?: boolean;
}

export interface FormShape {
  readonly type: 'fields';
  readonly fields: readonly FormField[];
}

export interface ShownOption {
  readonly id: string;
  readonly label: string;
}

export interface FormField {
  readonly name: string;
  readonly text: string;
  readonly shape: ControlShape;
  readonly optional: boolean;
}

/** What the visitor says or chooses. */
export interface PostedReply {
  readonly text?: string;
  /** The question whose control was used. */
  readonly askId?: string;
  readonly choice?: string | readonly string[];
  readonly value?: Readonly<Record<string, ControlValue | undefined>>;
}

export type ControlValue = string | number | readonly string[];

/** The body of `POST messages`. */
export interface PostedMessageBody extends PostedReply {
  /** The same for every try. */
  readonly id: string;
  /** How long ago it was written, in ms. */
  readonly age?: number;
}
