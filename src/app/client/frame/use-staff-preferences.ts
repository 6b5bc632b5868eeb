import { useEffect } from 'react';
import { setLanguage, currentLanguage } from '../../../kernel/client/language.ts';
import { usePreference, usePreferencesSettled } from '../../../kernel/client/preference.ts';
import type { Language } from '../../../kernel/contract/label.ts';
import { setTheme, type Appearance } from '../theme/theme-store.ts';
import { loadLocales } from './language/locales.ts';

/** Applies what the staff keeps on the server: theme, appearance and language of another computer. */
export function useStaffPreferences(): void {
  const [theme] = usePreference<string>('theme');
  const [appearance] = usePreference<Appearance>('appearance');
  const [language, storeLanguage] = usePreference<Language>('language');
  const settled = usePreferencesSettled();
  useEffect(() => {
    if (theme || appearance) setTheme({ ...(theme && { theme }), ...(appearance && { appearance }) });
  }, [theme, appearance]);
  useEffect(() => {
    // What is stored before the answer came would be overwritten by it, and the choice with it.
    if (!settled) return;
    const chosen = sessionStorage.getItem('languageChosen');
    if (chosen === currentLanguage()) {
      // Chosen on the sign-in page a moment ago: newer than what the server has.
      sessionStorage.removeItem('languageChosen');
      if (language !== chosen) storeLanguage(chosen as Language);
    } else if (language && language !== currentLanguage()) {
      void loadLocales(language).then(() => setLanguage(language));
    }
    // Only a changed preference may switch; the switcher itself stores it.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [settled, language]);
}
