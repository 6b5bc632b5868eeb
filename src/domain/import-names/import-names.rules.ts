import type { Label } from '../../kernel/contract/label.ts';

/** Something a cell of an imported table may name. */
export interface NamedThing {
  readonly id: number;
  readonly name: string;
  /** What tells it apart from others of the same name: a code, an account, the names above it. */
  readonly code: string;
}

/** Things by what people type: their code, else their name as long as only one has it. */
export interface NameIndex {
  /** The id of what a text names, undefined when nothing or more than one thing has that name. */
  get(text: string): number | undefined;
  /** Says which codes to choose from when a name stands for several things; undefined when it does not. */
  clash(text: string): Label | undefined;
}

/** Most codes named in a refusal. */
const SHOWN = 5;

/** Makes the index of things that may be named; `things` are those inside the reach of who imports. */
export function nameIndex(things: readonly NamedThing[]): NameIndex {
  const byCode = new Map(things.map((thing) => [keyOf(thing.code), thing]));
  const byName = new Map<string, NamedThing[]>();
  for (const thing of new Map(things.map((one) => [one.id, one])).values())
    byName.set(keyOf(thing.name), [...(byName.get(keyOf(thing.name)) ?? []), thing]);
  const found = (text: string): readonly NamedThing[] => {
    const exact = byCode.get(keyOf(text));
    return exact ? [exact] : (byName.get(keyOf(text)) ?? []);
  };
  return {
    get: (text) => {
      const [only, ...others] = found(text);
      return others.length === 0 ? only?.id : undefined;
    },
    clash: (text) => {
      const all = found(text);
      if (all.length < 2) return undefined;
      const codes = all.slice(0, SHOWN).map((thing) => thing.code);
      const more = all.length > SHOWN;
      return [
        `“${text}”有 ${all.length} 个同名，请改填：${codes.join('、')}${more ? ' 等' : ''}`,
        `“${text}” is the name of ${all.length}; please write one of: ${codes.join(', ')}${more ? ' …' : ''}`,
      ];
    },
  };
}

function keyOf(text: string): string {
  return text.trim().toLowerCase();
}
