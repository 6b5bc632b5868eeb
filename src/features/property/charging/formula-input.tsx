import { useState } from 'react';
import { Button, Input } from 'antd';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { Label } from '../../../kernel/contract/label.ts';

interface Trial {
  readonly house: string;
  readonly values: Readonly<Record<string, string>>;
  readonly amount: string | null;
  readonly problem: Label | null;
}

const MONTHS: Readonly<Record<string, number>> = { quarter: 3, half_year: 6, year: 12 };

/** The custom formula with its trial on the smallest, the median and the largest house. */
export function FormulaInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const [shown, setShown] = useState('');
  const expression = String(value ?? '');
  const custom = values.formula === 'custom';
  const price = (values.prices as readonly { price?: string; extra?: string }[] | undefined)?.at(-1);
  const trial = useMutation({
    mutationFn: () =>
      call<readonly Trial[]>('POST', '/api/jinmao/web/feeItem/preview', {
        body: {
          expression,
          price: price?.price || '0',
          extra: price?.extra || '0',
          months: MONTHS[String(values.cycle)] ?? 1,
        },
      }),
    onSuccess: () => setShown(expression),
    onError: tellFault,
  });
  if (!custom)
    return <span className="k-quiet">{text(['选择“自定义公式”后填写', 'For the custom formula only'])}</span>;
  return (
    <div className="charging-formula">
      <Input.TextArea
        {...(id ? { id } : {})}
        value={expression}
        disabled={disabled}
        maxLength={200}
        autoSize={{ minRows: 2, maxRows: 4 }}
        spellCheck={false}
        onChange={(event) => onChange?.(event.target.value)}
      />
      <Button
        size="small"
        loading={trial.isPending}
        disabled={expression.trim() === ''}
        onClick={() => trial.mutate()}
      >
        {text(['试算三户', 'Try on three houses'])}
      </Button>
      {trial.data && shown === expression && (
        <table className="charging-trial">
          <tbody>
            {trial.data.map((one) => (
              <tr key={one.house}>
                <th scope="row">{one.house}</th>
                <td className="k-quiet k-small">
                  {Object.entries(one.values)
                    .filter(([name]) => expression.includes(name))
                    .map(([name, number]) => `${name} = ${number}`)
                    .join(' · ')}
                </td>
                <td>{one.problem ? text(one.problem) : <MoneyText value={one.amount} strong />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
