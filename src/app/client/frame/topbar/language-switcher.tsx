import { MenuButton } from '../../../../kernel/client/parts/menu-button.tsx';
import { usePreference } from '../../../../kernel/client/preference.ts';
import { useLanguageStore, useText } from '../../../../kernel/client/language.ts';
import type { Language } from '../../../../kernel/contract/label.ts';
import { languageNames } from '../../language/language-names.ts';
import { switchLanguage } from '../../language/switch-language.ts';
import { BarIcon } from './bar-icon.tsx';

/** 中文 and English; the current one is disabled. Switches everything without reload and keeps typed input. */
export function LanguageSwitcher() {
  const text = useText();
  const current = useLanguageStore((state) => state.language);
  const [, store] = usePreference<Language>('language');
  const label = text(['语言', 'Language']);
  const choose = async (language: Language) => {
    await switchLanguage(language);
    store(language);
  };
  const entries = (Object.keys(languageNames) as Language[]).map((language) => ({
    key: language,
    label: <span lang={language === 'zh' ? 'zh-CN' : 'en'}>{languageNames[language]}</span>,
    disabled: language === current,
    run: () => void choose(language),
  }));
  return (
    <MenuButton className="bar-button" label={label} title={label} entries={entries}>
      <BarIcon name="language" />
    </MenuButton>
  );
}
