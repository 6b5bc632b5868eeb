import { LEVELS, type SensitiveLevel } from '../../../domain/sensitive-words/matcher.rules.ts';

/** A piece of a text; `level` where it is part of a hit, the strictest one of several. */
export interface MarkedPart {
  readonly start: number;
  readonly text: string;
  readonly level: SensitiveLevel | undefined;
}

/** Cuts a text at its hits, which may lie over each other. */
export function marked(
  text: string,
  hits: readonly { readonly start: number; readonly end: number; readonly level: SensitiveLevel }[],
): MarkedPart[] {
  const cuts = new Map<number, number[]>();
  const change = (at: number, level: SensitiveLevel, by: number) => {
    const counts = cuts.get(at) ?? LEVELS.map(() => 0);
    counts[LEVELS.indexOf(level)]! += by;
    cuts.set(at, counts);
  };
  for (const { start, end, level } of hits) {
    change(start, level, 1);
    change(end, level, -1);
  }
  const open = LEVELS.map(() => 0);
  const parts: MarkedPart[] = [];
  let from = 0;
  const cut = (to: number) => {
    if (to <= from) return;
    parts.push({ start: from, text: text.slice(from, to), level: LEVELS.find((_, at) => open[at]! > 0) });
    from = to;
  };
  for (const [at, counts] of [...cuts].sort(([a], [b]) => a - b)) {
    cut(at);
    for (const index of LEVELS.keys()) open[index]! += counts[index]!;
  }
  cut(text.length);
  return parts;
}
