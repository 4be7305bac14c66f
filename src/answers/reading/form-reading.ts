/**
 * Parses replies to a form. A typed reply answers the current field, or several that it names ("order: 12345" on a
 * line each); a program sends an object; a control names its field. A field is never guessed.
 */

import type { AnswerType, Choice, Field, Parsed, ReplyContext, Shape } from '../../core/ask/answer-type.js';
import { definedFields } from '../../core/defined-fields.js';
import { unreadableQuestion } from '../../core/errors.js';
import type { Json } from '../../core/json.js';
import { canonical } from '../../core/json.js';
import { folded, saysSomething } from '../../core/text.js';
import type { Wording } from '../../core/wording/wording.js';
import { isWholly, type Refused, refusal } from './reply.js';

export interface StoredField {
  readonly name: string;
  readonly text: string;
  readonly kind: string;
  readonly data: Json;
  readonly optional?: true;
}

export interface FormData {
  readonly fields: readonly StoredField[];
}

type Values = { readonly [name: string]: Json };

/** The fields that were answered or skipped so far. */
interface FormProgress {
  readonly values: Values;
  readonly skipped: readonly string[];
  /** The partial answer of the current field's own type. */
  readonly inner?: Json;
}

type More = Extract<Parsed<never>, { why: 'more' }>;

type Heard = { readonly context: ReplyContext; readonly locale: string | undefined };

export class FormReading implements AnswerType<Values, FormData> {
  readonly kind = 'form';
  readonly #typeByKind: (kind: string) => AnswerType<unknown> | undefined;

  constructor(typeByKind: (kind: string) => AnswerType<unknown> | undefined) {
    this.#typeByKind = typeByKind;
  }

  shape(data: FormData): Shape {
    return this.#drawn(data, data.fields[0]?.name ?? '');
  }

  worded(data: FormData, wording: Wording): Json {
    const fields = data.fields.map((field) => ({
      ...field,
      data: this.#type(field).worded?.(field.data, wording) ?? field.data,
    }));
    return { ...data, fields } as unknown as Json; // as form() made it, which is Json
  }

  opening(text: string, { fields }: FormData): string {
    return `${text}\n${fields[0]?.text ?? ''}`;
  }

  async parse(reply: string, data: FormData, locale?: string, context: ReplyContext = {}): Promise<Parsed<Values>> {
    const progress = progressOf(context);
    const lines = labelledLines(reply, data.fields);
    const heard = { context, locale };
    if (lines === undefined) {
      const field = currentOf(data, progress);
      if (field === undefined) return done(data, progress);
      return this.#answered(data, progress, field, await this.#typedField(field, reply, heard, progress.inner));
    }
    const readLine = (field: StoredField) => this.#typedField(field, lines.get(field) ?? '', heard);
    const { next, refused } = await answeredFields([...lines.keys()], progress, readLine);
    const [problem] = refused.values();
    if (canonical(storedProgress(next)) !== canonical(storedProgress(progress))) return this.#next(data, next, problem);
    const open = data.fields.filter(({ name }) => !isFilled(progress, name)).map(({ text }) => text);
    return problem ?? refusal('not-understood', (wording) => wording.missing(open));
  }

  async accept(given: Json, data: FormData, context: ReplyContext = {}): Promise<Parsed<Values>> {
    const progress = progressOf(context);
    if (typeof given === 'string' || Array.isArray(given))
      return this.#pressed([given].flat() as Json[], data, progress);
    if (given === null || typeof given !== 'object') return noForm('This is no form', data);
    const unknown = Object.keys(given).find((name) => !data.fields.some((each) => each.name === name));
    if (unknown !== undefined) return noForm(`There is no field ${JSON.stringify(unknown)}`, data);
    const own = definedFields({ conversationId: context.conversationId });
    const named = data.fields.filter(({ name }) => Object.hasOwn(given, name));
    const { next, refused } = await answeredFields(named, progress, (field) => {
      const value = (given as Values)[field.name] as Json; // own, as was asked above
      return value === null && field.optional ? skipped : this.#acceptField(field, value, own);
    });
    const isMissing = ({ name, optional }: StoredField): boolean =>
      !optional && !Object.hasOwn(next.values, name) && !refused.has(name);
    const missing = data.fields.filter(isMissing).map(({ text }) => text);
    if (missing.length > 0)
      refused.set(
        '',
        refusal('not-valid', (wording) => wording.missing(missing)),
      );
    const [first, ...others] = refused.values();
    return first === undefined ? done(data, next) : together([first, ...others]);
  }

  reopen(value: Values, data: FormData, fields: readonly string[]): More {
    const named = data.fields.filter(({ name }) => fields.includes(name));
    const again = new Set((named.length === 0 ? data.fields : named).map(({ name }) => name));
    const kept = data.fields.filter(({ name }) => !again.has(name));
    const values = Object.fromEntries(
      kept.flatMap(({ name }) => (Object.hasOwn(value, name) ? [[name, value[name] as Json]] : [])),
    );
    const skipped = kept.filter(({ name }) => !Object.hasOwn(value, name)).map(({ name }) => name);
    return this.#next(data, { values, skipped }) as More; // a field is asked again
  }

  /** The form after the answer of its current field. */
  #answered(data: FormData, progress: FormProgress, field: StoredField, read: Parsed<unknown>): Parsed<Values> {
    if (read.ok) return this.#next(data, filled(progress, field.name, read));
    if (read.why !== 'more') return read;
    const partial = storedProgress({ ...progress, inner: read.partial });
    return { ...read, partial, shape: this.#drawn(data, field.name, read.shape) };
  }

  /** The finished answer, or the next field to ask for. */
  #next(data: FormData, progress: FormProgress, problem?: Refused): Parsed<Values> {
    const field = currentOf(data, progress);
    if (field === undefined) return done(data, progress);
    const { name, text: prompt } = field;
    const { say } = problem ?? {};
    const said = say && { say: (wording: Wording) => `${say(wording)}\n${prompt}` };
    const shape = this.#drawn(data, name);
    return { ok: false, why: 'more', partial: storedProgress(progress), prompt, shape, ...said };
  }

  /** A control's id names its field, so that a second press cannot answer the next field. */
  async #pressed(ids: readonly Json[], data: FormData, progress: FormProgress): Promise<Parsed<Values>> {
    const field = currentOf(data, progress);
    const prefix = `${field?.name}/`;
    const own = ids.map((id) =>
      typeof id === 'string' && id.startsWith(prefix) ? id.slice(prefix.length) : undefined,
    );
    if (field === undefined || own.length === 0 || own.includes(undefined))
      return data.fields.some(({ name }) => String(ids[0]).startsWith(`${name}/`))
        ? refusal('not-valid', (wording) => wording.already(undefined))
        : noForm('This is no form', data);
    const shape = this.#type(field).shape(field.data);
    const many = shape.type === 'choices' && shape.many;
    const read = await this.#acceptField(field, (many ? own : own[0]) as Json, {});
    return this.#answered(data, progress, field, read);
  }

  async #typedField(
    field: StoredField,
    reply: string,
    { context, locale }: Heard,
    inner?: Json,
  ): Promise<Parsed<unknown>> {
    const type = this.#type(field);
    const shown =
      context.shape?.type === 'fields' ? context.shape.fields.find(({ name }) => name === field.name) : undefined;
    const shape = shown?.shape ?? type.shape(field.data);
    const isOption = shape.type === 'choices' && shape.choices.some(({ label }) => folded(label) === folded(reply));
    if (isWholly('skip', reply, context) && !isOption && inner === undefined)
      return field.optional ? skipped : refusal('not-valid', (wording) => wording.cannotSkip());
    const { language, conversationId, agentName } = context;
    const own = definedFields({ language, conversationId, agentName, shape, question: field.text, partial: inner });
    const read = await type.parse(reply, field.data, locale, own);
    if (read.ok && type.isOpen?.(field.data) === true && !saysSomething(reply))
      return refusal('not-understood', (wording) => wording.needText());
    return read;
  }

  /** The value of one field from a program. It must have the exact type. */
  async #acceptField(field: StoredField, value: Json, context: ReplyContext): Promise<Parsed<unknown>> {
    const type = this.#type(field);
    if (type.accept !== undefined) return type.accept(value, field.data, context);
    const typed = typeof value === 'string' ? value : JSON.stringify(value);
    const read = await type.parse(typed, field.data, undefined, context);
    return !read.ok || canonical(read.value as Json) === canonical(value)
      ? read
      : refusal('not-valid', (wording) => wording.wrongPattern(undefined));
  }

  /** `own` is the shape of the current field, where it needs another reply before it has a value. */
  #drawn({ fields }: FormData, current: string, own?: Shape): Shape {
    const drawn = fields.map((stored): Field => {
      const { name, text, optional = false } = stored;
      if (own !== undefined && name === current) return { name, text, shape: own, optional };
      const shape = this.#type(stored).shape(stored.data);
      const named = ({ id, label }: Choice): Choice => ({ id: `${name}/${id}`, label });
      const shown = shape.type === 'choices' ? { ...shape, choices: shape.choices.map(named) } : shape;
      return { name, text, shape: shown, optional };
    });
    return { type: 'fields', fields: drawn, current };
  }

  #type(field: StoredField): AnswerType<unknown> {
    const type = this.#typeByKind(field.kind);
    if (type !== undefined) return type;
    throw unreadableQuestion(
      `The form's field ${field.name} is of kind ${JSON.stringify(field.kind)}, which this release cannot read. Deploy one that can, then retry.`,
    );
  }
}

/** What only programs give. */
function noForm(what: string, { fields }: FormData): Parsed<never> {
  const names = fields.map((field) => field.name).join(', ');
  return { ok: false, why: 'not-valid', problem: `${what}; a value is an object with ${names}.` };
}

function progressOf({ partial }: ReplyContext): FormProgress {
  return partial === undefined ? { values: {}, skipped: [] } : (partial as unknown as FormProgress); // written by storedProgress()
}

function storedProgress(progress: FormProgress): Json {
  return progress as unknown as Json; // plain JSON: names, and values as their types returned them
}

function isFilled({ values, skipped }: FormProgress, name: string): boolean {
  return Object.hasOwn(values, name) || skipped.includes(name);
}

function currentOf(data: FormData, progress: FormProgress): StoredField | undefined {
  return data.fields.find(({ name }) => !isFilled(progress, name));
}

type Read = Extract<Parsed<unknown>, { ok: true }>;

/** Stands for the value of a field that is left out. */
const skipped: Read = { ok: true, value: undefined };

/** The progress with what was read of a field: its value, or that it is skipped. */
function filled({ values, skipped: left }: FormProgress, name: string, read: Read): FormProgress {
  const { [name]: _, ...others } = values;
  const rest = left.filter((each) => each !== name);
  if (read === skipped) return { values: others, skipped: [...rest, name] };
  return { values: { ...values, [name]: read.value as Json }, skipped: rest };
}

/** The progress with all fields that could be read, and by their names the refusals of the others. */
async function answeredFields(
  fields: readonly StoredField[],
  progress: FormProgress,
  read: (field: StoredField) => Parsed<unknown> | Promise<Parsed<unknown>>,
): Promise<{ readonly next: FormProgress; readonly refused: Map<string, Refused> }> {
  let next = progress;
  const refused = new Map<string, Refused>();
  for (const field of fields) {
    const found = await read(field);
    if (found.ok) next = filled(next, field.name, found);
    else {
      // it would need another reply; a form has none for a part of it
      const refusedAs = found.why === 'more' ? refusal('not-valid', (wording) => wording.typeOther()) : found;
      refused.set(field.name, withFieldText(field, refusedAs));
    }
  }
  return { next, refused };
}

/** The finished answer, with its fields in the order of the form. */
function done(data: FormData, { values }: FormProgress): Parsed<Values> {
  const given = data.fields.filter(({ name }) => Object.hasOwn(values, name));
  return { ok: true, value: Object.fromEntries(given.map(({ name }) => [name, values[name] as Json])) };
}

/** All faults of a form in one refusal, each on a line of its own: a person corrects them together. */
function together(refused: readonly [Refused, ...Refused[]]): Refused {
  if (refused.length === 1) return refused[0];
  const problem = refused.map((each) => each.problem).join('\n');
  const say = (wording: Wording): string => refused.map((each) => each.say?.(wording) ?? each.problem).join('\n');
  return { ok: false, why: 'not-valid', problem, say };
}

/** The refusal with the text of its field before it. */
function withFieldText(field: StoredField, read: Refused): Refused {
  const { problem, say } = read;
  const named = say && { say: (wording: Wording) => `${field.text} ${say(wording)}` };
  return { ...read, problem: `${field.text} ${problem}`, ...named };
}

/** The lines of a reply in which every line names a field, by its name or its text, with what stands behind it; undefined if one does not. */
function labelledLines(reply: string, fields: readonly StoredField[]): ReadonlyMap<StoredField, string> | undefined {
  const lines = reply.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  if (lines.length > fields.length) return undefined;
  const found = new Map(lines.flatMap((line) => labelled(line.trimStart(), fields)));
  return found.size > 0 && found.size === lines.length ? found : undefined;
}

function labelled(line: string, fields: readonly StoredField[]): [] | [[StoredField, string]] {
  for (const field of fields) {
    for (const label of [field.name, field.text]) {
      const value = /^\s*[:=]\s*/.exec(line.slice(label.length));
      if (value !== null && folded(line.slice(0, label.length)) === folded(label))
        return [[field, line.slice(label.length + value[0].length)]];
    }
  }
  return [];
}
