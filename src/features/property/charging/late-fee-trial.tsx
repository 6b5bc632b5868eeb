import { Button } from 'antd';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { lateFeePolicy } from './fee-item.contract.ts';

interface Trial {
  readonly month: string;
  readonly bills: number;
  readonly before: { readonly charged: number; readonly amount: string };
  readonly after: { readonly charged: number; readonly amount: string };
}

/** The last of the rates, and what all of them would have made of last month's bills. */
export function LateFeeTrial({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const said = (name: string) => String(values[name] ?? '') || '0';
  const trial = useMutation({
    mutationFn: () =>
      call<Trial>('POST', '/api/jinmao/web/lateFeePolicy/simulate', {
        body: {
          ...(values.project ? { project: (values.project as RefValue).id } : {}),
          graceDays: Number(said('graceDays')),
          dailyPercent: said('dailyPercent'),
          onceFen: said('onceFen'),
          oncePercent: said('oncePercent'),
          capPercent: Number(said('capPercent')),
          monthCap: value === undefined || value === null || value === '' ? null : String(value),
        },
      }),
    onError: tellFault,
  });
  const { data } = trial;
  return (
    <div className="charging-formula">
      <NumberText
        {...(id ? { id } : {})}
        value={String(value ?? '')}
        label={text(lateFeePolicy.fields.monthCap.label)}
        unit={text(['元', 'yuan'])}
        pad
        min={0.01}
        max={1_000_000}
        {...(disabled ? { disabled } : {})}
        onChange={(next) => onChange?.(next)}
      />
      <Button size="small" loading={trial.isPending} onClick={() => trial.mutate()}>
        {text(['模拟上月账单', 'Try on last month’s bills'])}
      </Button>
      {data && (
        <table className="charging-trial">
          <tbody>
            <tr>
              <th scope="row">{text([`${data.month} 到期账单`, `Bills due in ${data.month}`])}</th>
              <td>{data.bills}</td>
              <td />
            </tr>
            <tr>
              <th scope="row">{text(['现规则至今', 'As they are, until today'])}</th>
              <td>{text([`${data.before.charged} 张计费`, `${data.before.charged} charged`])}</td>
              <td>
                <MoneyText value={data.before.amount} />
              </td>
            </tr>
            <tr>
              <th scope="row">{text(['按此规则', 'By these rates'])}</th>
              <td>{text([`${data.after.charged} 张计费`, `${data.after.charged} charged`])}</td>
              <td>
                <MoneyText value={data.after.amount} strong />
              </td>
            </tr>
          </tbody>
        </table>
      )}
    </div>
  );
}
