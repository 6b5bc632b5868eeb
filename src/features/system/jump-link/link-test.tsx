import { useState } from 'react';
import { Input, QRCode } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import { jumpLink, type JumpLink } from './jump-link.contract.ts';
import { filledLink, PLATFORMS, type LinkParameter, type Platform } from './jump-link.rules.ts';
import './link-test.css';

/** Fills the templates of a link with sample values, with a code to scan. */
export function LinkTest({ row }: { readonly row: RowData }) {
  const text = useText();
  const link = row as unknown as JumpLink;
  const parameters = link.parameters as unknown as readonly LinkParameter[];
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(parameters.map((one) => [one.name, one.sample ?? ''])),
  );
  const [shown, setShown] = useState<Platform>('h5');
  const missing = parameters.filter((one) => one.required && !values[one.name]);
  const linkOf = (platform: Platform) => filledLink(link[platform], values);
  return (
    <div className="jl-test">
      {parameters.map((one) => (
        <label key={one.name} className="jl-value">
          <span>
            {one.name}
            {one.required && <em className="jl-required"> *</em>}
          </span>
          <Input
            value={values[one.name] ?? ''}
            status={one.required && !values[one.name] ? 'error' : ''}
            onChange={(event) => setValues({ ...values, [one.name]: event.target.value })}
          />
        </label>
      ))}
      {missing.length > 0 && (
        <p role="alert" className="jl-missing">
          {text(['请填写必填参数', 'Please fill the required parameters'])}
        </p>
      )}
      <ul className="jl-links">
        {PLATFORMS.map((platform) => (
          <li key={platform}>
            <button type="button" aria-pressed={shown === platform} onClick={() => setShown(platform)}>
              {text(jumpLink.fields[platform].label)}
            </button>
            <code>{linkOf(platform)}</code>
            <CopyButton value={linkOf(platform)} />
          </li>
        ))}
      </ul>
      <QRCode
        value={linkOf(shown) || ' '}
        size={180}
        aria-label={text([
          `${jumpLink.fields[shown].label[0]}的二维码`,
          `QR code of the ${jumpLink.fields[shown].label[1]}`,
        ])}
      />
    </div>
  );
}
