import dayjs from 'dayjs';
import type { Locale } from 'antd/es/locale';
import { create } from 'zustand';
import type { Language } from '../../../../kernel/contract/label.ts';

interface LocaleState {
  /** Texts of the component library. */
  readonly locale: Locale | undefined;
}

/** The component library's texts in the current language. */
export const useLocales = create<LocaleState>(() => ({ locale: undefined }));

/** Loads the component library's and the date library's texts of a language and switches both. */
export async function loadLocales(language: Language): Promise<void> {
  const [antd] = await Promise.all(
    language === 'zh'
      ? [import('antd/es/locale/zh_CN'), import('dayjs/locale/zh-cn')]
      : [import('antd/es/locale/en_US'), import('dayjs/locale/en')],
  );
  dayjs.locale(language === 'zh' ? 'zh-cn' : 'en');
  useLocales.setState({ locale: antd.default });
}
