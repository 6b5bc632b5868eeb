import { useRef } from 'react';
import { Button, Input } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { OF_CHANNEL } from './mall-payment.contract.ts';

const KINDS: Readonly<Record<string, Label>> = {
  number: ['商户号', 'Merchant no.'],
  apiKey: ['API v3 密钥', 'API v3 key'],
  privateKey: ['应用私钥', 'Private key'],
  certificate: ['商户证书', 'Merchant certificate'],
  publicKey: ['平台公钥或证书', 'Public key or certificates'],
};

/** What may be told of the keys: that they are set, how they end and since when. */
export function KeyMarks({ row }: { readonly row: RowData }) {
  const text = useText();
  const marks = (row.secrets as readonly { kind: string; tail: string; setAt: string }[] | undefined) ?? [];
  if (marks.length === 0)
    return <p className="k-quiet">{text(['没有密钥或证书', 'No keys and no certificate'])}</p>;
  return (
    <ul className="mp-keys">
      {marks.map((one) => (
        <li key={one.kind}>
          {text(KINDS[one.kind] ?? [one.kind, one.kind])}
          {text(['：已设置 · 尾号 ', ': set · ends with '])}
          {one.tail} · {new Date(Date.parse(one.setAt) + 8 * 3_600_000).toISOString().slice(0, 10)}
        </li>
      ))}
    </ul>
  );
}

/** The id of one of the apps, which only WeChat tells apart. */
export function AppIdField({ id, value, onChange, disabled, rows }: SlotInputProps) {
  const text = useText();
  if (rows[0] && rows[0].channel !== 'wechat')
    return (
      <span className="k-quiet">
        {text(['该渠道不区分来源', 'This channel does not tell sources apart'])}
      </span>
    );
  return (
    <Input
      {...(id ? { id } : {})}
      value={(value as string | undefined) ?? ''}
      disabled={disabled}
      maxLength={64}
      autoComplete="off"
      onChange={(event) => onChange?.(event.target.value)}
    />
  );
}

/** A key or certificate of the account's channel: pasted, or read from a file on this computer. */
export function PemArea({
  id,
  value,
  onChange,
  disabled,
  rows,
  name,
}: SlotInputProps & { readonly name: string }) {
  const text = useText();
  const picker = useRef<HTMLInputElement>(null);
  const channel = OF_CHANNEL[name];
  if (channel && rows[0] && rows[0].channel !== channel)
    return <span className="k-quiet">{text(['该渠道不需要', 'This channel has none'])}</span>;
  if (name === 'apiKey')
    return (
      <Input.Password
        {...(id ? { id } : {})}
        value={(value as string | undefined) ?? ''}
        disabled={disabled}
        autoComplete="new-password"
        onChange={(event) => onChange?.(event.target.value)}
      />
    );
  return (
    <div>
      <Input.TextArea
        {...(id ? { id } : {})}
        value={(value as string | undefined) ?? ''}
        disabled={disabled}
        spellCheck={false}
        autoComplete="off"
        className="k-code"
        autoSize={{ minRows: 3, maxRows: 6 }}
        placeholder="-----BEGIN …"
        onChange={(event) => onChange?.(event.target.value)}
      />
      <input
        ref={picker}
        type="file"
        hidden
        accept=".pem,.crt,.cer,.key,.txt"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file && file.size <= 64 * 1024) void file.text().then((content) => onChange?.(content));
          event.target.value = '';
        }}
      />
      <Button size="small" disabled={disabled} onClick={() => picker.current?.click()}>
        {text(['选择文件', 'Choose a file'])}
      </Button>
    </div>
  );
}
