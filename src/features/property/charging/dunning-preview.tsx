import { useDeferredValue } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { dunningTemplate, owingHouse, type DunningPreview } from './dunning.contract.ts';

/** The text of a reminder, and below it how many houses get it, which do not and why, and how the first one reads. */
export function DunningText({ values: _values, rows, ...input }: SlotInputProps) {
  const text = useText();
  const template = useDeferredValue(String(input.value ?? '').trim());
  const ids = rows.map((row) => row.id);
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['resource', owingHouse.name, 'preview', ids, template],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<DunningPreview>('POST', '/api/jinmao/web/owingHouse/preview', {
        body: { ids, ...(template && { template }) },
        signal,
        quiet: true,
      }),
  });
  return (
    <>
      <FieldInput field={dunningTemplate} {...input} />
      {isError && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data && (
        <div className="dunning-preview" aria-live="polite">
          <p>
            {text(
              fill(
                [
                  '将向 {h} 户发送 {n} 条短信，合计欠费 ',
                  '{n} {n|message|messages} to {h} {h|house|houses}, owed in all ',
                ],
                { n: data.messages, h: data.houses },
              ),
            )}
            <MoneyText value={data.owed} strong />
          </p>
          {data.full > 0 && (
            <p className="k-quiet">
              {text(
                fill(
                  [
                    '{n} 户本周已达上限，不再发送',
                    '{n} {n|house|houses} had enough reminders this week: left out',
                  ],
                  { n: data.full },
                ),
              )}
            </p>
          )}
          {data.unreachable > 0 && (
            <p className="k-quiet">
              {text(
                fill(
                  [
                    '{n} 户没有可联系的业主，不发送',
                    '{n} {n|house|houses} without an owner who can be reached: left out',
                  ],
                  { n: data.unreachable },
                ),
              )}
            </p>
          )}
          {data.outOfHours && <p className="k-bad">{text(data.outOfHours)}</p>}
          {data.sample && <blockquote>{data.sample}</blockquote>}
        </div>
      )}
    </>
  );
}
