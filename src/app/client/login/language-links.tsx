import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import type { Language } from '../../../kernel/contract/label.ts';
import { languageNames } from '../language/language-names.ts';
import { switchLanguage } from '../language/switch-language.ts';

/** The two languages as buttons; the current one is disabled. */
export function LanguageLinks() {
  const text = useText();
  const current = useLanguageStore((state) => state.language);
  return (
    <div role="group" aria-label={text(['语言', 'Language'])} className="language-links">
      {(Object.keys(languageNames) as Language[]).map((language) => (
        <button
          key={language}
          type="button"
          lang={language === 'zh' ? 'zh-CN' : 'en'}
          disabled={language === current}
          onClick={() => void switchLanguage(language)}
        >
          {languageNames[language]}
        </button>
      ))}
    </div>
  );
}
