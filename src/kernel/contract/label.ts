/** A text in both languages of the product, Chinese first. A missing English text is a compile error. */
export type Label = readonly [zh: string, en: string];

/** Languages of the product; `zh` is the default. */
export type Language = 'zh' | 'en';

/** Returns the text of a label in the given language. */
export function textOf(label: Label, language: Language): string {
  return language === 'zh' ? label[0] : label[1];
}

/** Joins a label template such as `['最多{n}项', 'At most {n} items']` with values; `{name}` is replaced. */
export function fill(label: Label, values: Readonly<Record<string, string | number>>): Label {
  const replace = (text: string) =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : whole,
    );
  return [replace(label[0]), replace(label[1])];
}
