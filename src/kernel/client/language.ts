import { create } from 'zustand';
import { textOf, type Label, type Language } from '../contract/label.ts';

interface LanguageState {
  readonly language: Language;
}

/** The language every visible text follows. The frame moves the component library's locale along with it. */
export const useLanguageStore = create<LanguageState>(() => ({ language: readLanguageCookie() }));

/** The current language outside React. */
export function currentLanguage(): Language {
  return useLanguageStore.getState().language;
}

/** Switches the store and the cookie; the frame's `switchLanguage` loads locales first and then calls this. */
export function setLanguage(language: Language): void {
  document.cookie = `language=${language}; path=/; max-age=31536000; SameSite=Strict`;
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  useLanguageStore.setState({ language });
}

/** Returns a function that turns labels into text and re-renders when the language changes. */
export function useText(): (label: Label) => string {
  const language = useLanguageStore((state) => state.language);
  return (label) => textOf(label, language);
}

/** Turns a label into text once, outside React. */
export function textNow(label: Label): string {
  return textOf(label, currentLanguage());
}

function readLanguageCookie(): Language {
  if (typeof document === 'undefined') return 'zh';
  return /(?:^|; )language=en(?:;|$)/.test(document.cookie) ? 'en' : 'zh';
}
