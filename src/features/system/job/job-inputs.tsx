import './job.css';
import { useQuery } from '@tanstack/react-query';
import { AutoComplete, Select } from 'antd';
import { cronWords, nextDues, parseCron } from '../../../kernel/contract/cron.rules.ts';
import type { Field } from '../../../kernel/contract/fields.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { toInput, toWrite } from '../../../kernel/client/form/form-values.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { HandlerChoice } from './job.contract.ts';

const COMMON = [
  '* * * * *',
  '*/10 * * * *',
  '0 * * * *',
  '30 0 * * *',
  '0 8 * * 1-5',
  '0 4 * * 0',
  '0 9 1 * *',
];

/** A pattern with what it means and its next five times. */
export function CronInput({ id, value, onChange, disabled }: SlotInputProps) {
  const text = useText();
  const pattern = typeof value === 'string' ? value : '';
  const cron = parseCron(pattern);
  return (
    <div>
      <AutoComplete
        {...(id ? { id } : {})}
        value={pattern}
        disabled={disabled}
        style={{ width: '100%' }}
        placeholder="30 0 * * *"
        options={COMMON.map((one) => ({ value: one, label: `${one}　${text(cronWords(one))}` }))}
        onChange={(next: string) => onChange?.(next)}
      />
      <div aria-live="polite">
        {pattern.trim() !== '' && <div>{text(cronWords(pattern))}</div>}
        {cron && (
          <ol className="job-next" aria-label={text(['接下来 5 次', 'The next 5 times'])}>
            {nextDues(cron, new Date(), 5).map((at) => (
              <li key={at.getTime()}>{businessTimeText(at)}</li>
            ))}
          </ol>
        )}
      </div>
    </div>
  );
}

/** One of the handlers of the release. */
export function HandlerInput({ id, value, onChange, disabled, rows }: SlotInputProps) {
  const { data } = useHandlers();
  const fixed = rows[0]?.builtIn === true;
  return (
    <Select
      {...(id ? { id } : {})}
      showSearch={{ optionFilterProp: 'label' }}
      disabled={disabled || fixed}
      loading={!data}
      {...(typeof value === 'string' && value !== '' ? { value } : {})}
      options={(data ?? []).map((one) => ({ value: one.name, label: `${one.title} · ${one.name}` }))}
      onChange={(next: string) => onChange?.(next)}
    />
  );
}

/** The parameters the chosen handler takes, each by its own input. */
export function ParamsInput({ value, onChange, disabled, values, rows }: SlotInputProps) {
  const text = useText();
  const { data } = useHandlers();
  const name = String(values.handler ?? rows[0]?.handler ?? '');
  const fields = Object.entries(
    (data?.find((one) => one.name === name)?.params ?? {}) as Record<string, Field>,
  );
  const held = parsed(value ?? rows[0]?.params);
  if (fields.length === 0)
    return <span className="k-quiet">{text(['此处理器没有参数', 'The handler takes no parameters'])}</span>;
  return (
    <div className="job-params">
      {fields.map(([key, field]) => (
        <label key={key}>
          <span>{text(field.label)}</span>
          <FieldInput
            field={field}
            value={toInput(field, held[key])}
            disabled={disabled}
            onChange={(next) => {
              const written = toWrite(field, next);
              const rest = Object.fromEntries(Object.entries(held).filter(([one]) => one !== key));
              onChange?.(JSON.stringify(written === null ? rest : { ...rest, [key]: written }));
            }}
          />
        </label>
      ))}
    </div>
  );
}

function useHandlers() {
  const language = useLanguageStore((state) => state.language);
  return useQuery({
    queryKey: ['job', 'handlers', language],
    queryFn: ({ signal }) =>
      call<readonly HandlerChoice[]>('GET', '/api/admin/job/handlers', { signal, quiet: true }),
    staleTime: Infinity,
  });
}

function parsed(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  try {
    const read: unknown = JSON.parse(typeof value === 'string' ? value : '{}');
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
