import '../message.css';
import { Input, Segmented } from 'antd';
import { useState } from 'react';
import {
  CHANNELS,
  rendered,
  smsSegments,
  smsText,
  undefinedVariable,
  type Variable,
} from '../../../domain/message-send/message.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { SafeHtml } from '../../../kernel/client/parts/safe-html.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import type { MessageTemplate } from './message-template.contract.ts';

/** The text of an SMS with what it is charged as, and variables nobody defined, while it is typed. */
export function SmsInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const body = String(value ?? '');
  const variables = (values.variables ?? []) as readonly Variable[];
  const samples = Object.fromEntries(variables.map((one) => [one?.name ?? '', one?.sample ?? '']));
  const whole = smsText(
    rendered(body, { nickname: '邻居', project: '小区', ...samples }),
    String(values.smsSign ?? ''),
    String(values.category ?? ''),
  );
  const bad = undefinedVariable(
    body,
    variables.map((one) => one?.name ?? ''),
  );
  return (
    <>
      <Input.TextArea
        {...(id ? { id } : {})}
        value={body}
        disabled={disabled}
        maxLength={500}
        autoSize={{ minRows: 3, maxRows: 8 }}
        onChange={(event) => onChange?.(event.target.value)}
      />
      <div className="mm-count" role="status">
        {text(
          fill(
            [
              '含签名与退订共 {n} 字，按 {m} 条计费',
              '{n} characters with signature and opt-out, charged as {m} SMS',
            ],
            { n: [...whole].length, m: smsSegments(whole) },
          ),
        )}
        {bad && ` · ${text(bad)}`}
      </div>
    </>
  );
}

/** How each channel of a template looks, with the samples of its variables. */
export function Previews({ row }: { readonly row: RowData }) {
  const text = useText();
  const [language, setLanguage] = useState<'zh' | 'en'>('zh');
  const shown = row as unknown as MessageTemplate;
  const variables = (shown.variables ?? []) as unknown as readonly Variable[];
  const samples = {
    nickname: '林晓',
    project: '滨江花园',
    ...Object.fromEntries(variables.map((one) => [one.name, one.sample])),
  };
  const of = (zh: string | null, en: string | null) => (language === 'zh' ? zh : en || zh) ?? '';
  const plain = (zh: string | null, en: string | null) => rendered(of(zh, en), samples);
  const sms = smsText(plain(shown.smsBody, shown.smsBodyEn), shown.smsSign ?? '', shown.category);
  const codes = shown.channels.map((one) => one.id);
  return (
    <>
      <div className="mm-block">
        <Segmented
          aria-label={text(['预览语言', 'Language'])}
          value={language}
          onChange={(value) => setLanguage(value as 'zh' | 'en')}
          options={[
            { value: 'zh', label: '中文' },
            { value: 'en', label: 'English' },
          ]}
        />
      </div>
      <div className="mm-previews">
        {codes.includes('1') && (
          <section className="mm-phone">
            <h4>{text(CHANNELS[1])}</h4>
            <article>
              <h4>{plain(shown.inAppTitle, shown.inAppTitleEn)}</h4>
              <div className="mm-rich">
                <SafeHtml html={rendered(of(shown.inAppBody, shown.inAppBodyEn), samples, { html: true })} />
              </div>
            </article>
          </section>
        )}
        {codes.includes('2') && (
          <section className="mm-phone">
            <h4>{text(CHANNELS[2])}</h4>
            <article>{sms}</article>
            <div className="mm-count">
              {text(
                fill(['{n} 字，计 {m} 条', '{n} characters, {m} SMS'], {
                  n: [...sms].length,
                  m: smsSegments(sms),
                }),
              )}
            </div>
          </section>
        )}
        {codes.includes('3') && (
          <section className="mm-phone">
            <h4>{text(CHANNELS[3])}</h4>
            <article>
              <h4>{plain(shown.pushTitle, shown.pushTitleEn)}</h4>
              {plain(shown.pushBody, shown.pushBodyEn)}
            </article>
          </section>
        )}
        {codes.includes('4') && (
          <section className="mm-phone">
            <h4>{text(CHANNELS[4])}</h4>
            <article>{rendered(shown.wechatFields ?? '', samples)}</article>
          </section>
        )}
      </div>
    </>
  );
}
