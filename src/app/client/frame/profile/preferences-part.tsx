import { InputNumber, Radio, Switch } from 'antd';
import { usePreference } from '../../../../kernel/client/preference.ts';
import { useLanguageStore, useText } from '../../../../kernel/client/language.ts';
import { fill, type Language } from '../../../../kernel/contract/label.ts';
import { languageNames } from '../../language/language-names.ts';
import { switchLanguage } from '../../language/switch-language.ts';
import { frameSetting } from '../frame-setting.ts';
import ThemePanel from '../theme/theme-panel.tsx';

/** Language, theme, density, idle lock and single-key shortcuts; kept on the server. */
export function PreferencesPart() {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const [, storeLanguage] = usePreference<Language>('language');
  const [density, storeDensity] = usePreference<'comfortable' | 'compact'>('density');
  const [idle, storeIdle] = usePreference<number>('lock.idle_minutes');
  const [singleKeys, storeSingleKeys] = usePreference<boolean>('shortcuts.single_key');
  const most = Number(frameSetting('frame.lock.idle_minutes')) || 480;
  return (
    <dl className="profile-settings">
      <dt>{text(['语言', 'Language'])}</dt>
      <dd>
        <Radio.Group
          value={language}
          options={(Object.keys(languageNames) as Language[]).map((value) => ({
            value,
            label: languageNames[value],
          }))}
          onChange={(event) => {
            const next = event.target.value as Language;
            void switchLanguage(next).then(() => storeLanguage(next));
          }}
        />
      </dd>
      <dt>{text(['换肤', 'Theme'])}</dt>
      <dd>
        <ThemePanel />
      </dd>
      <dt>{text(['表格密度', 'Table density'])}</dt>
      <dd>
        <Radio.Group
          value={density ?? 'comfortable'}
          options={[
            { value: 'comfortable', label: text(['标准', 'Standard']) },
            { value: 'compact', label: text(['紧凑', 'Compact']) },
          ]}
          onChange={(event) => storeDensity(event.target.value as 'comfortable' | 'compact')}
        />
      </dd>
      <dt>
        <label htmlFor="idle-minutes">{text(['空闲锁屏', 'Lock when idle'])}</label>
      </dt>
      <dd>
        <InputNumber
          id="idle-minutes"
          min={1}
          max={most}
          precision={0}
          value={idle ?? most}
          suffix={text(['分钟', 'min'])}
          onChange={(value) => storeIdle(value ?? most)}
        />
        <p className="quiet">
          {text(
            fill(['最长 {n} 分钟，只能缩短', 'At most {n} minutes; it can only be shortened'], { n: most }),
          )}
        </p>
      </dd>
      <dt>
        <label htmlFor="single-keys">{text(['单键快捷键', 'Single-key shortcuts'])}</label>
      </dt>
      <dd>
        <Switch id="single-keys" checked={singleKeys !== false} onChange={storeSingleKeys} />
      </dd>
    </dl>
  );
}
