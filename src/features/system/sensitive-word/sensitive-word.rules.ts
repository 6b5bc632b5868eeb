import { fill, type Label } from '../../../kernel/contract/label.ts';
import { foldedText } from '../../../domain/sensitive-words/fold.rules.ts';

/** Most characters of a word. */
export const WORD_MAX = 50;
/** Most lines of one adding. */
export const LINES_MAX = 1_000;
/** Most characters of the test box. */
export const TEST_MAX = 10_000;

/** What is wrong with a word beyond its length, or undefined. */
export function wordProblem(word: string): Label | undefined {
  return foldedText(word) === ''
    ? ['至少包含一个文字或数字', 'It needs at least one letter or digit']
    : undefined;
}

/** What is wrong with the exceptions of a word: each is a phrase that holds the word. */
export function exceptionProblem(word: string, exceptions: readonly string[]): Label | undefined {
  const folded = foldedText(word);
  const foreign = exceptions.find((phrase) => !foldedText(phrase).includes(folded));
  return foreign === undefined
    ? undefined
    : fill(['「{phrase}」不包含该敏感词', '"{phrase}" does not hold the word'], { phrase: foreign });
}

/** A line of several words, and what is wrong with it. */
export interface WordLine {
  readonly line: number;
  readonly word: string;
  readonly folded: string;
  readonly problem: Label | undefined;
}

/** The words of a text, one per line; empty lines are none. */
export function wordLines(text: string): WordLine[] {
  const seen = new Map<string, number>();
  return text.split(/\r?\n/).flatMap((raw, index) => {
    const word = raw.trim();
    if (word === '') return [];
    const folded = foldedText(word);
    const twin = seen.get(folded);
    if (twin === undefined) seen.set(folded, index + 1);
    const problem: Label | undefined =
      Array.from(word).length > WORD_MAX
        ? [`最多${WORD_MAX}个字`, `at most ${WORD_MAX} characters`]
        : (wordProblem(word) ??
          (twin === undefined ? undefined : fill(['与第{n}行重复', 'same as line {n}'], { n: twin })));
    return [{ line: index + 1, word, folded, problem }];
  });
}

/** The first problems of the lines as one text. */
export function linesProblem(bad: readonly { readonly line: number; readonly problem: Label }[]): Label {
  const shown = bad.slice(0, 5);
  const more = bad.length - shown.length;
  return [
    shown.map((one) => `第 ${one.line} 行：${one.problem[0]}`).join('；') +
      (more > 0 ? `；等 ${bad.length} 行` : ''),
    shown.map((one) => `Line ${one.line}: ${one.problem[1]}`).join('; ') +
      (more > 0 ? `; ${bad.length} lines in all` : ''),
  ];
}
