import { Select, Tag } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantShort } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { DEPOSIT_MOVES } from '../../../domain/decoration/decoration.rules.ts';
import { decorationApplication, type DepositPart } from './decoration-application.contract.ts';
import './decoration.css';

/** Every movement of the deposit with what was left. */
export function DepositStatement({ row }: { readonly row: RowData }) {
  const text = useText();
  const lines = (row.depositLines ?? []) as readonly DepositPart[];
  if (lines.length === 0)
    return <p className="k-quiet">{text(['还没有押金流水', 'No deposit was received yet'])}</p>;
  return (
    <table className="deco-lines">
      <thead>
        <tr>
          <th scope="col">{text(['时间', 'At'])}</th>
          <th scope="col">{text(['类型', 'What'])}</th>
          <th scope="col" className="deco-number">
            {text(['金额', 'Amount'])}
          </th>
          <th scope="col" className="deco-number">
            {text(['余额', 'Balance'])}
          </th>
          <th scope="col">{text(['说明', 'Note'])}</th>
          <th scope="col">{text(['经办', 'By'])}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.id}>
            <td>{instantShort(line.at)}</td>
            <td>
              <Tag color={DEPOSIT_MOVES[line.move].tone}>{text(DEPOSIT_MOVES[line.move].label)}</Tag>
            </td>
            <td className="deco-number">{line.amount}</td>
            <td className="deco-number">{line.balance}</td>
            <td>{line.note}</td>
            <td>{line.by}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Violation {
  readonly id: string;
  readonly title: string;
  readonly fixed: boolean;
}

/** Violations of the application the form is about. */
export function ViolationInput({ id, value, onChange, rows, disabled }: SlotInputProps) {
  const text = useText();
  const row = rows[0];
  const { data, isPending } = useQuery({
    queryKey: keysOf.row(decorationApplication.name, row?.id ?? ''),
    enabled: row !== undefined,
    queryFn: ({ signal }) => call<RowData>('GET', `${rootOf(decorationApplication)}/${row!.id}`, { signal }),
  });
  const violations = (data?.violationList ?? []) as readonly Violation[];
  return (
    <Select
      {...(id ? { id } : {})}
      className="k-fill"
      loading={isPending}
      disabled={disabled}
      value={(value as RefValue | undefined)?.id ?? null}
      aria-label={text(['违规', 'Violation'])}
      notFoundContent={text(['没有违规记录', 'There are no violations'])}
      onChange={(next: string) => {
        const found = violations.find((one) => one.id === next);
        onChange?.(found ? { id: found.id, title: found.title } : undefined);
      }}
      options={violations.map((one) => ({
        value: one.id,
        label: one.fixed ? `${one.title} · ${text(['已整改', 'fixed'])}` : one.title,
      }))}
    />
  );
}
