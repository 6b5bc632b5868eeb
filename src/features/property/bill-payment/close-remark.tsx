import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { ALL_CHANNELS } from '../charging/charging-words.rules.ts';
import '../charging/charging.css';
import { cashClose, type ExpectedTakings } from './bill-payment.contract.ts';

const COUNTED = { cash: 'countedCash', pos: 'countedPos', transfer: 'countedTransfer' } as const;

/** Why the count differs, behind what the receipts of the day come to and how far it is from what was counted. */
export function CloseRemark({ values, rows: _rows, ...input }: SlotInputProps) {
  const text = useText();
  const project = (values.project as RefValue | null | undefined)?.id;
  const day = values.day as string | undefined;
  const { data } = useQuery({
    queryKey: ['resource', cashClose.name, 'expected', project, day],
    enabled: project !== undefined && !!day,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<ExpectedTakings>('GET', '/api/jinmao/web/cashClose/expected', {
        query: { project: project!, day: day! },
        signal,
        quiet: true,
      }),
  });
  return (
    <>
      {data && (
        <table className="charging-trial close-expected">
          <caption>
            {text(
              fill(['收据 {n} 张，作废 {v} 张', '{n} {n|receipt|receipts}, {v} voided'], {
                n: data.receipts,
                v: data.voids,
              }),
            )}
          </caption>
          <thead>
            <tr>
              <th scope="col">{text(['渠道', 'Channel'])}</th>
              <th scope="col" className="charging-number">
                {text(['应收', 'Expected'])}
              </th>
              <th scope="col" className="charging-number">
                {text(['实点差异', 'Counted, off by'])}
              </th>
            </tr>
          </thead>
          <tbody>
            {(Object.keys(COUNTED) as (keyof typeof COUNTED)[]).map((channel) => {
              const counted = values[COUNTED[channel]];
              const off = Number(counted || 0) - Number(data[channel]);
              return (
                <tr key={channel}>
                  <th scope="row">{text(ALL_CHANNELS[channel])}</th>
                  <td className="charging-number">
                    <MoneyText value={data[channel]} />
                  </td>
                  <td className="charging-number">
                    {counted === undefined || counted === '' ? (
                      '–'
                    ) : (
                      <MoneyText value={off.toFixed(2)} strong={off !== 0} />
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      <FieldInput field={cashClose.fields.remark} {...input} />
    </>
  );
}
