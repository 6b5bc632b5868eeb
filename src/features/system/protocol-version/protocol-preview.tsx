import { useState } from 'react';
import { Segmented } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { SafeHtml } from '../../../kernel/client/parts/safe-html.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import { PhoneFrame } from '../../../kernel/client/parts/phone-frame.tsx';
import type { ProtocolVersion } from './protocol-version.contract.ts';

/** The agreement as somebody reads it on a phone, in either language. */
export function ProtocolPreview({ row }: { readonly row: RowData }) {
  const text = useText();
  const [language, setLanguage] = useState<'zh' | 'en'>('zh');
  const agreement = row as unknown as ProtocolVersion;
  const english = language === 'en';
  return (
    <>
      <Segmented
        aria-label={text(['预览语言', 'Language of the preview'])}
        value={language}
        onChange={setLanguage}
        options={[
          { value: 'zh', label: '中文' },
          { value: 'en', label: 'English' },
        ]}
      />
      <PhoneFrame title={english ? agreement.titleEn : agreement.title}>
        <SafeHtml html={(english && agreement.bodyEn) || agreement.body} />
      </PhoneFrame>
    </>
  );
}
