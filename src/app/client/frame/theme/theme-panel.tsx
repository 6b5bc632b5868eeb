import { Radio } from 'antd';
import { useEffect, useRef } from 'react';
import { usePreference } from '../../../../kernel/client/preference.ts';
import { useText } from '../../../../kernel/client/language.ts';
import type { Label } from '../../../../kernel/contract/label.ts';
import { showNotice } from '../../notices/notices.ts';
import { LIGHTER_SHARES } from '../../theme/shades.rules.ts';
import { setTheme, useTheme, type Appearance } from '../../theme/theme-store.ts';

const swatches = [
  '#409EFF',
  '#1890FF',
  '#304156',
  '#212121',
  '#11A983',
  '#13C2C2',
  '#6959CD',
  '#F5222D',
] as const;

const appearances: readonly { readonly value: Appearance; readonly label: Label }[] = [
  { value: 'light', label: ['浅色', 'Light'] },
  { value: 'dark', label: ['深色', 'Dark'] },
  { value: 'system', label: ['跟随系统', 'Follow system'] },
];

/** Eight swatches, a free colour and the appearance. */
export default function ThemePanel() {
  const text = useText();
  const { theme, appearance } = useTheme();
  const [, storeTheme] = usePreference<string>('theme');
  const [, storeAppearance] = usePreference<Appearance>('appearance');
  const changed = () => showNotice({ tone: 'success', text: ['换肤成功', 'Theme changed'], duration: 2000 });
  const choose = (colour: string) => {
    setTheme({ theme: colour });
    storeTheme(useTheme.getState().theme);
    changed();
  };
  return (
    <div style={{ width: 280 }}>
      <span className="pop-title">{text(['主题色', 'Theme colour'])}</span>
      <div className="swatches">
        {swatches.map((colour) => (
          <button
            key={colour}
            type="button"
            className="swatch"
            style={{ background: colour }}
            aria-label={colour}
            aria-pressed={colour === theme}
            title={colour}
            onClick={() => choose(colour)}
          />
        ))}
      </div>
      <FreeColour theme={theme} onChoose={choose} />
      <div className="shades" aria-hidden="true">
        <i style={{ background: 'var(--theme-darker)' }} />
        <i style={{ background: 'var(--theme)' }} />
        {LIGHTER_SHARES.map((share) => (
          <i key={share} style={{ background: `var(--theme-${share})` }} />
        ))}
      </div>
      <span className="pop-title">{text(['外观', 'Appearance'])}</span>
      <Radio.Group
        value={appearance}
        onChange={(event) => {
          const next = event.target.value as Appearance;
          setTheme({ appearance: next });
          storeAppearance(next);
          changed();
        }}
        options={appearances.map(({ value, label }) => ({ value, label: text(label) }))}
      />
    </div>
  );
}

function FreeColour({
  theme,
  onChoose,
}: {
  readonly theme: string;
  readonly onChoose: (colour: string) => void;
}) {
  const text = useText();
  const input = useRef<HTMLInputElement>(null);
  // React's onChange fires while the picker is dragged; the native change event tells the final choice.
  useEffect(() => {
    const element = input.current;
    const onNativeChange = () => element && onChoose(element.value);
    element?.addEventListener('change', onNativeChange);
    return () => element?.removeEventListener('change', onNativeChange);
  });
  return (
    <label className="free-colour">
      <input
        ref={input}
        type="color"
        value={theme.toLowerCase()}
        onInput={(event) => setTheme({ theme: event.currentTarget.value })}
        onChange={() => {}}
      />
      <span>
        {text(['自定义颜色', 'Custom colour'])} {theme}
      </span>
    </label>
  );
}
