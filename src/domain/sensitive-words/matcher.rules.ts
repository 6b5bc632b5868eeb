import { asWritten, fold, type Folded } from './fold.rules.ts';

/** What a hit does: the text is refused, waits for a look, or is shown with *** in its place. The strictest comes first. */
export const LEVELS = ['block', 'review', 'replace'] as const;
export type SensitiveLevel = (typeof LEVELS)[number];

/** A word that is looked for. */
export interface SensitiveWord {
  readonly id: number;
  readonly word: string;
  readonly category: string;
  readonly level: SensitiveLevel;
  /** Also found in other case and width, and with signs between its characters. */
  readonly variants: boolean;
  /** Phrases in which the word does not count. */
  readonly exceptions: readonly string[];
}

/** A word in a text, by UTF-16 positions. */
export interface SensitiveHit {
  readonly word: SensitiveWord;
  readonly start: number;
  readonly end: number;
}

/** What is in a text: the strictest level of all hits, the hits in order, and the text as it may be shown. */
export interface SensitiveVerdict {
  readonly level: SensitiveLevel | null;
  readonly hits: readonly SensitiveHit[];
  readonly shown: string;
}

/** Finds the words of a list in texts. */
export type Matcher = (text: string) => SensitiveVerdict;

const STARS = '***';

/** Makes the finder of a list of words. Its work grows with text and hits, not with the number of words. */
export function compileWords(words: readonly SensitiveWord[]): Matcher {
  const folded = automatonOf(
    words.filter((one) => one.variants),
    fold,
  );
  const written = automatonOf(
    words.filter((one) => !one.variants),
    asWritten,
  );
  return (text) => {
    const hits = [...folded(text), ...written(text)].sort((a, b) => a.start - b.start || b.end - a.end);
    return {
      level: LEVELS.find((level) => hits.some((hit) => hit.word.level === level)) ?? null,
      hits,
      shown: withStars(
        text,
        hits.filter((hit) => hit.word.level === 'replace'),
      ),
    };
  };
}

/** The text with *** in the place of hits; hits that touch each other become one. `hits` come by their start. */
function withStars(text: string, hits: readonly SensitiveHit[]): string {
  let shown = '';
  let at = 0;
  for (let index = 0; index < hits.length;) {
    const { start } = hits[index]!;
    let { end } = hits[index]!;
    for (index++; index < hits.length && hits[index]!.start < end; index++)
      end = Math.max(end, hits[index]!.end);
    shown += text.slice(at, start) + STARS;
    at = end;
  }
  return shown + text.slice(at);
}

/** What ends at a node: words, and phrases in which a word does not count. */
interface Ending {
  readonly word: SensitiveWord;
  readonly length: number;
  readonly exempt: boolean;
}

interface Node {
  next: Map<number, Node> | undefined;
  fail: Node | undefined;
  endings: Ending[] | undefined;
  /** The longest shorter node with endings. */
  shorter: Node | undefined;
}

const newNode = (): Node => ({ next: undefined, fail: undefined, endings: undefined, shorter: undefined });

/** An automaton of Aho and Corasick over all words and their exceptions. */
function automatonOf(
  words: readonly SensitiveWord[],
  read: (text: string) => Folded,
): (text: string) => SensitiveHit[] {
  if (words.length === 0) return () => [];
  const root = newNode();
  const add = (word: SensitiveWord, phrase: string, exempt: boolean) => {
    const { points } = read(phrase);
    if (points.length === 0) return;
    let node = root;
    for (const point of points) {
      node.next ??= new Map();
      let next = node.next.get(point);
      if (!next) node.next.set(point, (next = newNode()));
      node = next;
    }
    (node.endings ??= []).push({ word, length: points.length, exempt });
  };
  for (const word of words) {
    add(word, word.word, false);
    for (const phrase of word.exceptions) add(word, phrase, true);
  }
  const queue: Node[] = [root];
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at]!;
    for (const [point, child] of node.next ?? []) {
      let fail = node.fail;
      while (fail && !fail.next?.has(point)) fail = fail.fail;
      child.fail = fail?.next?.get(point) ?? root;
      child.shorter = child.fail.endings ? child.fail : child.fail.shorter;
      queue.push(child);
    }
  }

  return (text) => {
    const { points, starts, ends } = read(text);
    const hits: SensitiveHit[] = [];
    const exempt = new Map<SensitiveWord, SensitiveHit[]>();
    let node = root;
    for (let at = 0; at < points.length; at++) {
      const point = points[at]!;
      while (node !== root && !node.next?.has(point)) node = node.fail!;
      node = node.next?.get(point) ?? root;
      for (let one = node.endings ? node : node.shorter; one; one = one.shorter)
        for (const ending of one.endings!) {
          const hit = { word: ending.word, start: starts[at + 1 - ending.length]!, end: ends[at]! };
          if (!ending.exempt) hits.push(hit);
          else {
            const spans = exempt.get(ending.word);
            if (spans) spans.push(hit);
            else exempt.set(ending.word, [hit]);
          }
        }
    }
    if (exempt.size === 0) return hits;
    const reaches = new Map([...exempt].map(([word, spans]) => [word, reachOf(spans)]));
    return hits.filter((hit) => !reaches.get(hit.word)?.(hit));
  };
}

/** Says whether a hit lies inside one of the spans. */
function reachOf(spans: readonly SensitiveHit[]): (hit: SensitiveHit) => boolean {
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  let furthest = 0;
  const ends = sorted.map((span) => (furthest = Math.max(furthest, span.end)));
  return (hit) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]!.start <= hit.start) low = middle + 1;
      else high = middle;
    }
    return low > 0 && ends[low - 1]! >= hit.end;
  };
}
