import type { Language } from '../../../kernel/contract/label.ts';

const names = ['中文', 'English'] as const;

/** The languages of the switcher, each in its own words. */
export const languageNames: Readonly<Record<Language, string>> = { zh: names[0], en: names[1] };
