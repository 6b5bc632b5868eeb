import { Dropdown } from 'antd';
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
  const items = (Object.keys(languageNames) as Language[]).map((language) => ({
    key: language,
    label: <span lang={language === 'zh' ? 'zh-CN' : 'en'}>{languageNames[language]}</span>,
    disabled: language === current,
  }));
  const choose = async (language: Language) => {
    await switchLanguage(language);
    store(language);
  };
  return (
    <Dropdown trigger={['click']} menu={{ items, onClick: ({ key }) => void choose(key as Language) }}>
      <button type="button" className="bar-button" aria-label={label} title={label} aria-haspopup="menu">
        <BarIcon name="language" />
      </button>
    </Dropdown>
  );
}
