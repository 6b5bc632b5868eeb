import { instantFull, moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { FEE_STATES, SLA_STATES } from '../../../domain/work-order/work-order-words.rules.ts';
import { bill } from '../charging/bill.contract.ts';
import { minutesLabel } from './due.rules.ts';
import type { ClockPart, FeePart, MaterialPart } from './work-order-parts.ts';
import './work-order.css';

/** Every clock with its working: start, target, pauses, due, steps of the ladder. */
export function ClocksPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const clocks = (row as RowData & { readonly clocks?: readonly ClockPart[] }).clocks ?? [];
  if (clocks.length === 0)
    return <p className="k-quiet">{text(['没有适用的时效策略', 'No policy applies'])}</p>;
  return (
    <Table
      heads={[
        ['目标', 'Target'],
        ['状态', 'State'],
        ['计算', 'Working'],
        ['已用', 'Used'],
        ['升级', 'Ladder'],
      ]}
    >
      {clocks.map((clock) => (
        <tr key={clock.id}>
          <td>
            {text(clock.target === 'response' ? ['响应', 'Response'] : ['解决', 'Resolution'])}
            {clock.round > 1 && text([` 第${clock.round}轮`, ` ${clock.round}`])}
          </td>
          <td>
            <StatusTag choice={SLA_STATES[clock.state]} />
          </td>
          <td>
            <span className="k-number">
              {instantFull(clock.startedAt)} + {text(minutesLabel(clock.targetMinutes))}
              {clock.pausedMinutes > 0 &&
                text([` + 暂停${clock.pausedMinutes}分钟`, ` + ${clock.pausedMinutes} min paused`])}{' '}
              = {instantFull(clock.dueAt)}
            </span>
            <br />
            <span className="k-quiet k-small">
              {clock.policy} · {text(clock.calendar)}
            </span>
          </td>
          <td className="k-number">{text(minutesLabel(clock.usedMinutes))}</td>
          <td>{clock.steps.map((step) => `${step}%`).join(' ')}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Materials used on the order. */
export function MaterialsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const list = (row as RowData & { readonly materials?: readonly MaterialPart[] }).materials ?? [];
  if (list.length === 0) return <p className="k-quiet">{text(['没有使用材料', 'No materials were used'])}</p>;
  return (
    <Table
      heads={[
        ['材料', 'Material'],
        ['数量', 'Quantity'],
        ['单价', 'Price'],
        ['金额', 'Amount'],
      ]}
    >
      {list.map((one) => (
        <tr key={one.id} className={one.returned ? 'k-quiet' : undefined}>
          <td>
            {one.name} {one.spec} {one.returned && text(['（已退回）', '(went back)'])}
          </td>
          <td className="k-number">
            {one.qty} {one.unit}
          </td>
          <td className="k-number">{moneyText(one.price)}</td>
          <td className="k-number">{moneyText(one.amount)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** What the order costs its house, with the bill. */
export function FeesPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const list = (row as RowData & { readonly fees?: readonly FeePart[] }).fees ?? [];
  if (list.length === 0) return <p className="k-quiet">{text(['没有收费', 'Nothing is charged'])}</p>;
  return (
    <Table
      heads={[
        ['项目', 'What for'],
        ['金额', 'Amount'],
        ['账单', 'Bill'],
        ['状态', 'State'],
      ]}
    >
      {list.map((one) => (
        <tr key={one.id}>
          <td>{one.name}</td>
          <td className="k-number">{moneyText(one.amount)}</td>
          <td>{one.bill ?? '—'}</td>
          <td>{one.state ? <StatusTag choice={bill.states![one.state]!} /> : text(FEE_STATES.waived.label)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Table({
  heads,
  children,
}: {
  readonly heads: readonly Label[];
  readonly children: React.ReactNode;
}) {
  const text = useText();
  return (
    <div className="wo-scroll">
      <table className="wo-table">
        <thead>
          <tr>
            {heads.map((label) => (
              <th key={label[0]} scope="col">
                {text(label)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
