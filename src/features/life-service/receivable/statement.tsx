import './statement.css';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { Input } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { addDays, businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { receivable } from './receivable.contract.ts';
import { ENTRY_KINDS, type StatementText } from './statement-wire.ts';

/** The statement of a payer over a period, printed by the browser. */
export function Statement({ row, close }: ActionScreenProps) {
  const text = useText();
  const today = businessDayOf(new Date());
  const [from, setFrom] = useState(() => addDays(today, -90));
  const [to, setTo] = useState(today);
  const whole = isBusinessDay(from) && isBusinessDay(to) && from <= to;
  const statement = useQuery({
    queryKey: ['resource', 'receivable', 'statement', row!.id, from, to],
    enabled: whole,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<StatementText>('GET', `${rootOf(receivable)}/${row!.id}/statement`, {
        query: { from, to },
        signal,
        quiet: true,
      }),
  });
  const { data } = statement;
  return (
    <AppModal
      open
      width={760}
      title={text(['对账单', 'Statement'])}
      okText={text(['打印', 'Print'])}
      okButtonProps={{ disabled: !data || !whole }}
      onOk={() => window.print()}
      onCancel={close}
    >
      <div className="statement-days">
        <Input
          type="date"
          aria-label={text(['开始', 'From'])}
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        <Input
          type="date"
          aria-label={text(['结束', 'To'])}
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
      </div>
      {!whole && <p className="k-problem">{text(['请选择有效期间', 'Choose a period'])}</p>}
      {statement.isError && <ErrorPanel error={statement.error} onRetry={() => void statement.refetch()} />}
      {whole && !statement.isError && !data && <p className="k-quiet">{text(['正在加载…', 'Loading…'])}</p>}
      {whole && data && (
        <>
          <Paper data={data} />
          {createPortal(
            <div className="statement-print">
              <Paper data={data} />
            </div>,
            document.body,
          )}
        </>
      )}
    </AppModal>
  );
}

function Paper({ data }: { readonly data: StatementText }) {
  const text = useText();
  const edge = (label: string, day: string, amount: string) => (
    <tr>
      <td>{day}</td>
      <td colSpan={3}>
        <strong>{label}</strong>
      </td>
      <td className="k-number">
        <strong>{moneyText(amount)}</strong>
      </td>
    </tr>
  );
  return (
    <article className="statement">
      <h2>{text(['应收对账单', 'Statement of receivables'])}</h2>
      <p>
        {text(['付款方', 'Payer'])}：{data.payer} · {data.from} ~ {data.to}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">{text(['日期', 'Day'])}</th>
            <th scope="col">{text(['摘要', 'What'])}</th>
            <th scope="col">{text(['编号', 'Code'])}</th>
            <th scope="col">{text(['金额', 'Amount'])}</th>
            <th scope="col">{text(['余额', 'Balance'])}</th>
          </tr>
        </thead>
        <tbody>
          {edge(text(['期初余额', 'Opening']), data.from, data.opening)}
          {data.entries.map((one, index) => (
            <tr key={index}>
              <td>{one.day}</td>
              <td>{text(ENTRY_KINDS[one.kind])}</td>
              <td>{one.code}</td>
              <td className="k-number">{moneyText(one.amount)}</td>
              <td className="k-number">{moneyText(one.balance)}</td>
            </tr>
          ))}
          {edge(text(['期末余额', 'Closing']), data.to, data.closing)}
        </tbody>
      </table>
    </article>
  );
}
