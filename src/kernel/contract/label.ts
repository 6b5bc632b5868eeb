/** A text in both languages of the product, Chinese first. A missing English text is a compile error. */
export type Label = readonly [zh: string, en: string];

/** Languages of the product; `zh` is the default. */
export type Language = 'zh' | 'en';

/** Returns the text of a label in the given language. */
export function textOf(label: Label, language: Language): string {
  return language === 'zh' ? label[0] : label[1];
}

/**
 * Joins a label template such as `['最多{n}项', 'At most {n} {n|item|items}']` with values: `{name}` is replaced,
 * `{name|one|many}` is the first word for 1 and the second for every other count.
 */
export function fill(label: Label, values: Readonly<Record<string, string | number>>): Label {
  const replace = (text: string) =>
    text.replace(
      /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g,
      (whole, name: string, one?: string, many?: string) => {
        if (!Object.hasOwn(values, name)) return whole;
        const value = String(values[name]);
        if (one === undefined || many === undefined) return value;
        return value === '1' ? one : many;
      },
    );
  return [replace(label[0]), replace(label[1])];
}
