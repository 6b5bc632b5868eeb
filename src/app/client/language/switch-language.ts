import { setLanguage } from '../../../kernel/client/language.ts';
import type { Label, Language } from '../../../kernel/contract/label.ts';
import { tellWindows } from '../session/windows.ts';
import { showNotice } from '../notices/notices.ts';

/** Loads what else follows the language (component library, dates) before the texts change. */
export type LocaleLoader = (language: Language) => Promise<void>;

let loadLocales: LocaleLoader = () => Promise.resolve();

/** Puts in the frame's locale loader; the sign-in page has nothing to load. */
export function installLocaleLoader(loader: LocaleLoader): void {
  loadLocales = loader;
}

/** Follows the choice made in another window of the browser. */
export async function followLanguage(language: Language): Promise<void> {
  await loadLocales(language);
  setLanguage(language);
}

// Both languages in one line, whatever was chosen.
const switched: Label = ['切换语言成功 switch language success', '切换语言成功 switch language success'];

/** Switches every text without reload, keeps the choice and says so in both languages. */
export async function switchLanguage(language: Language): Promise<void> {
  await loadLocales(language);
  setLanguage(language);
  tellWindows({ kind: 'language', language });
  sessionStorage.setItem('languageChosen', language);
  showNotice({ tone: 'success', text: switched, duration: 2000 });
}
