import './allocation.css';
import { useQuery } from '@tanstack/react-query';
import { Button, Input } from 'antd';
import { allocate } from '../../../domain/receivable/receivable.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { receipt, type OpenReceivable } from './receipt.contract.ts';

interface Part {
  readonly id?: string;
  readonly receivable: RefValue;
  readonly amount: string;
}

/** Fen of a typed amount; none while it is no amount. */
function fenOf(value: unknown): number {
  const text = String(value ?? '').trim();
  return /^\d+(\.\d{1,2})?$/.test(text) ? (fenFromYuan(text) ?? 0) : 0;
}

/** What the payer owes, an amount cell for each, and what is left for the prepaid account. */
export function Allocation({ value, onChange, values, rows, disabled }: SlotInputProps) {
  const text = useText();
  const parts = (value ?? []) as readonly Part[];
  const row = rows[0];
  const member = values.member as RefValue | null | undefined;
  const title = String(values.payerTitle ?? '').trim();
  const query = row
    ? { receipt: row.id }
    : member?.id
      ? { member: String(member.id) }
      : title
        ? { payerTitle: title }
        : undefined;
  const open = useQuery({
    queryKey: [receipt.name, 'open-lines', JSON.stringify(query)],
    enabled: query !== undefined,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<readonly OpenReceivable[]>('GET', `${rootOf(receipt)}/openLines`, {
        query: query!,
        signal,
        quiet: true,
      }),
  });
  if (!query)
    return (
      <p className="k-quiet">
        {text(['先选择付款方，再分配到应收', 'Choose the payer first, then allocate'])}
      </p>
    );
  if (open.isError)
    return <p className="k-problem">{text(['应收加载失败，请重试', 'The receivables did not load'])}</p>;
  if (!open.data) return <p className="k-quiet">{text(['正在加载应收…', 'Loading…'])}</p>;
  if (open.data.length === 0)
    return (
      <p className="k-quiet">
        {text([
          '付款方没有未收清的应收，确认后全部转入预存',
          'Nothing is owed: all of it goes to the prepaid account',
        ])}
      </p>
    );
  const amount = fenOf(values.amount);
  const given = parts.reduce((sum, part) => sum + fenOf(part.amount), 0);
  const set = (line: OpenReceivable, typed: string) => {
    const others = parts.filter((part) => part.receivable.id !== line.id);
    const before = parts.find((part) => part.receivable.id === line.id);
    onChange?.(
      typed === ''
        ? others
        : [...others, { ...before, receivable: { id: line.id, title: line.code }, amount: typed }],
    );
  };
  const spread = () => {
    const lines = open.data.map((line) => ({
      id: Number(line.id),
      code: line.code,
      dueOn: line.dueOn,
      balance: fenFromYuan(line.balance) ?? 0,
    }));
    onChange?.(
      allocate(amount, lines).parts.map((part) => {
        const line = open.data.find((one) => one.id === String(part.id))!;
        return { receivable: { id: line.id, title: line.code }, amount: yuanFromFen(part.amount) };
      }),
    );
  };
  return (
    <>
      <table className="receipt-lines" aria-label={text(receipt.fields.allocations.label)}>
        <thead>
          <tr>
            <th scope="col">{text(['应收', 'Receivable'])}</th>
            <th scope="col">{text(['来源单号', 'Source'])}</th>
            <th scope="col">{text(['到期日', 'Due'])}</th>
            <th scope="col">{text(['余额', 'Balance'])}</th>
            <th scope="col">{text(['分配金额', 'Amount'])}</th>
          </tr>
        </thead>
        <tbody>
          {open.data.map((line) => (
            <tr key={line.id}>
              <td>{line.code}</td>
              <td>{line.source || '–'}</td>
              <td>{line.dueOn}</td>
              <td className="k-number">{moneyText(line.balance)}</td>
              <td>
                <Input
                  inputMode="decimal"
                  aria-label={`${line.code} ${text(['分配金额', 'amount'])}`}
                  disabled={disabled}
                  value={parts.find((part) => part.receivable.id === line.id)?.amount ?? ''}
                  onChange={(event) => set(line, event.target.value.trim())}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="k-quiet" aria-live="polite">
        <Button size="small" disabled={disabled || amount === 0} onClick={spread}>
          {text(['自动分配', 'Allocate'])}
        </Button>{' '}
        {given > amount
          ? text(['分配合计超过收款金额', 'The parts are more than the amount'])
          : text(
              fill(['已分配 {given}，转预存 {rest}', 'Allocated {given}, to prepaid {rest}'], {
                given: moneyText(yuanFromFen(given)),
                rest: moneyText(yuanFromFen(amount - given)),
              }),
            )}
      </p>
    </>
  );
}
