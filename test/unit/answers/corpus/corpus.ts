/** Reads the corpus of replies: tables that native speakers can review, a file for each language. */
import { readFileSync } from 'node:fs';
import { approvalChoice } from '../../../../src/answers/choice.js';
import { choices } from '../../../../src/answers/choices.js';
import { approvalConfirm } from '../../../../src/answers/confirm.js';
import { typeOf } from '../../../../src/answers/question.js';
import type { ReplyContext } from '../../../../src/core/ask/answer-type.js';
import { withNumbers } from '../../../../src/core/ask/answer-type.js';
import { english } from '../../../../src/core/wording/english.js';
import { french } from '../../../../src/core/wording/french.js';
import { german } from '../../../../src/core/wording/german.js';
import type { Language } from '../../../../src/core/wording/language.js';
import { spanish } from '../../../../src/core/wording/spanish.js';
import { type Choice, choice, confirm, date, type Json, number, type Question } from '../../../../src/index.js';

/** A reply, and what it must give: `again` if it must be asked again. */
export interface CorpusRow {
  readonly folder: string;
  readonly language: string;
  readonly question: string;
  readonly reply: string;
  readonly gives: string;
  /** Any careful person agrees, or most would. */
  readonly rated: 'must' | 'should';
}

interface CorpusQuestion {
  readonly type: string;
  readonly question: Question<never>;
  readonly options: readonly Choice[];
}

const languages: Readonly<Record<string, Language>> = { english, german, french, spanish };

interface Corpus {
  readonly questions: ReadonlyMap<string, CorpusQuestion>;
  readonly rows: readonly CorpusRow[];
}

function corpusOf(folder: string, language: string): Corpus {
  const text = readFileSync(new URL(`${folder}${language}.md`, import.meta.url), 'utf8');
  const questions = new Map<string, CorpusQuestion>();
  const rows: CorpusRow[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('|') || /^\|(?:---|\s*(?:name|question)\s*\|\s*(?:type|reply))/.test(line)) continue;
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (cells.length === 4) {
      const [name = '', type = '', asked = '', options = ''] = cells;
      questions.set(name, made(type, asked, options, languages[language] as Language));
    } else if (cells.length === 5 && (cells[3] === 'must' || cells[3] === 'should')) {
      const [question = '', reply = '', gives = '', rated] = cells;
      rows.push({ folder, language, question, reply: reply.replaceAll('\\n', '\n'), gives, rated });
    } else throw new Error(`${language}.md has a row of another form: ${line}`);
  }
  return { questions, rows };
}

/** `2=Staging` is an option with a hidden id. */
function choicesIn(options: string): readonly Choice[] {
  return options.split(';').map((each) => {
    const [, id, label = ''] = /^(?:([^=]+)=)?(.+)$/.exec(each.trim()) ?? [];
    return { id: id ?? label, label };
  });
}

function made(type: string, asked: string, written: string, { wording }: Language): CorpusQuestion {
  const options = written === '' ? [] : choicesIn(written);
  const as = (question: unknown, own = options) => ({ type, question: question as Question<never>, options: own });
  const label = (id: string) => options.find((each) => each.id === id)?.label;
  if (type === 'confirm')
    return as(confirm(asked, { yes: label('yes') ?? wording.yes(), no: label('no') ?? wording.no() }));
  if (type === 'approval') return as(approvalConfirm(asked, wording));
  if (type === 'approval-session') return as(approvalChoice(asked, wording, true));
  if (type === 'choice') return as(choice(asked, options));
  if (type === 'choices') return as(choices(asked, options));
  if (type === 'number') return as(number(asked));
  if (type === 'date') return as(date(asked));
  throw new Error(`There is no type of question ${type}.`);
}

const folders = ['./', './ordinary/'] as const;
const corpora = new Map(
  folders.flatMap((folder) =>
    Object.keys(languages).map((language) => [folder + language, corpusOf(folder, language)] as const),
  ),
);
const rowsIn = (folder: string): readonly CorpusRow[] =>
  [...corpora.values()].flatMap(({ rows }) => rows.filter((row) => row.folder === folder));

/** The word lists were finished with it at hand. */
export const corpus = rowsIn('./');
/** Written before its author had seen what is accepted. A few leads before numbers were added after it. */
export const ordinary = rowsIn('./ordinary/');

/** What the reply is read as, in the words of the table. */
export async function readAs({ folder, language, question, reply }: CorpusRow): Promise<string> {
  const asked = corpora.get(folder + language)?.questions.get(question);
  if (asked === undefined) throw new Error(`${language}.md has no question ${question}.`);
  const type = typeOf(asked.question as unknown as Question<Json>);
  const { data } = asked.question;
  const spoken = languages[language] as Language;
  const context: ReplyContext = {
    language: spoken,
    shape: withNumbers(type.shape(data as never)),
    question: asked.question.text,
  };
  const parsed = await type.parse(reply, data as never, spoken.locale, context);
  if (!parsed.ok) return 'again';
  if (typeof parsed.value === 'boolean') return parsed.value ? 'yes' : 'no';
  const labelled = (value: Json): string => asked.options.find(({ id }) => id === value)?.label ?? String(value);
  return Array.isArray(parsed.value) ? parsed.value.map(labelled).join('; ') : labelled(parsed.value);
}
