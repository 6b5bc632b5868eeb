import { Alert, Skeleton, Table } from 'antd';
import type { Label } from '../../../kernel/contract/label.ts';
import { instantFull, thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ChartPanel } from '../../../kernel/client/report/chart-panel.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { AccountDifference, AccountOverview } from './account.contract.ts';
import { useOverview, useReconcile } from './account-calls.ts';
import './account.css';

const RULES: Readonly<Record<string, Label>> = {
  balance: ['余额与分录合计', 'Balance and entries'],
  lots: ['可用与批次剩余', 'Available and lots'],
  held: ['占用与批次占用', 'Held and lots'],
  identity: ['收支恒等', 'What came and went'],
  last_line: ['余额与最后一笔', 'Balance and last line'],
};

/** The identity that must hold of one account, with its live numbers, and what is off. */
export function IdentityPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { data } = useOverview(row.id);
  if (!data) return <Skeleton active paragraph={{ rows: 2 }} />;
  return (
    <div className="pa-overview">
      {data.differences.length > 0 ? (
        <Alert
          type="error"
          showIcon
          title={text([
            `账户有 ${data.differences.length} 处差异`,
            `The account has ${data.differences.length} differences`,
          ])}
          description={<Differences differences={data.differences} />}
        />
      ) : null}
      <Identity data={data} />
    </div>
  );
}

/** A year of movements, and what expires next. */
export function OverviewPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const overview = useOverview(row.id);
  if (overview.isError) return <ErrorPanel error={overview.error} onRetry={() => void overview.refetch()} />;
  if (!overview.data) return <Skeleton active paragraph={{ rows: 8 }} />;
  const { data } = overview;
  return (
    <div className="pa-overview">
      <ChartPanel
        whole
        report={{ title: ['近 12 个月收支', 'Twelve months'], fields: {}, figures: FIGURES }}
        spec={{
          key: 'months',
          title: ['积分', 'Points'],
          kind: 'column',
          measures: ['granted', 'used', 'expired'],
        }}
        points={data.months.map(({ month, ...values }) => ({ key: month, label: month, values }))}
      />
      <h3>{text(['即将到期', 'What expires next'])}</h3>
      <Upcoming data={data} />
    </div>
  );
}

const figure = (label: Label) => ({ label, kind: 'integer' as const, formula: label });
const FIGURES = {
  granted: figure(['发放', 'Granted']),
  used: figure(['使用', 'Used']),
  expired: figure(['过期', 'Expired']),
};

function Identity({ data }: { readonly data: AccountOverview }) {
  const text = useText();
  const left = [
    ['可用', 'Available', data.available, ''],
    ['占用', 'Held', data.held, '+'],
    ['欠分', 'Owed', data.owed, '−'],
  ] as const;
  const right = [
    ['发放', 'Granted', data.granted, '='],
    ['使用', 'Used', data.used, '−'],
    ['过期', 'Expired', data.expired, '−'],
    ['追回', 'Taken back', data.takenBack, '−'],
    ['撤回', 'Recalled', data.recalled, '−'],
  ] as const;
  return (
    <>
      <div className="pa-equation">
        {[...left, ...right].flatMap(([zh, en, value, sign]) => [
          ...(sign === '' ? [] : [<i key={`${en}-sign`}>{sign}</i>]),
          <div key={en}>
            <span>{text([zh, en])}</span>
            <b>{thousands(value)}</b>
          </div>,
        ])}
      </div>
      <p className="k-quiet">
        {text([
          `待入账 ${thousands(data.pending)}，不计入余额；未使用积分折合 ¥${data.liability}`,
          `${thousands(data.pending)} pending, not in the balance; what is unused is worth ¥${data.liability}`,
        ])}
      </p>
    </>
  );
}

function Upcoming({ data }: { readonly data: AccountOverview }) {
  const text = useText();
  if (data.upcoming.length === 0)
    return <p className="k-quiet">{text(['没有可用积分', 'There are no points'])}</p>;
  return (
    <table className="pa-upcoming">
      <thead>
        <tr>
          <th>{text(['到期时间', 'Expires'])}</th>
          <th>{text(['批次', 'Lot'])}</th>
          <th className="pa-num">{text(['积分', 'Points'])}</th>
          <th className="pa-num">{text(['累计', 'Running total'])}</th>
        </tr>
      </thead>
      <tbody>
        {data.upcoming.map((lot) => (
          <tr key={lot.lot}>
            <td>{lot.expiresAt === null ? text(['永久有效', 'Never']) : instantFull(lot.expiresAt)}</td>
            <td>{lot.lot}</td>
            <td className="pa-num">{thousands(lot.points)}</td>
            <td className="pa-num">{thousands(lot.running)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is off, with what stands there and what should. */
export function Differences({ differences }: { readonly differences: readonly AccountDifference[] }) {
  const text = useText();
  return (
    <Table
      size="small"
      rowKey={(one) => `${one.rule} ${one.subject}`}
      pagination={differences.length > 10 ? { pageSize: 10 } : false}
      dataSource={[...differences]}
      columns={[
        { title: text(['账户', 'Account']), dataIndex: 'subject' },
        {
          title: text(['规则', 'Rule']),
          dataIndex: 'rule',
          render: (rule: string) => text(RULES[rule] ?? [rule, rule]),
        },
        { title: text(['实际', 'Found']), dataIndex: 'found', align: 'right', render: thousands },
        { title: text(['应为', 'Expected']), dataIndex: 'expected', align: 'right', render: thousands },
      ]}
    />
  );
}

/** The check of the selected accounts, or of all. */
export function ReconcileDialog({ rows, close }: Pick<ActionScreenProps, 'rows' | 'close'>) {
  const text = useText();
  const check = useReconcile(rows.length > 0 ? rows.map((row) => row.id) : undefined);
  return (
    <AppModal
      open
      width={720}
      title={text(['积分对账', 'Reconciliation'])}
      onCancel={close}
      onOk={close}
      okText={text(['知道了', 'Done'])}
      cancelButtonProps={{ style: { display: 'none' } }}
    >
      {check.isError ? (
        <ErrorPanel error={check.error} onRetry={() => void check.refetch()} />
      ) : !check.data ? (
        <Skeleton active />
      ) : check.data.differences.length === 0 ? (
        <Alert
          type="success"
          showIcon
          title={text([
            `${check.data.accounts} 个账户、${check.data.looked} 项核对，没有差异`,
            `${check.data.accounts} accounts, ${check.data.looked} checks: nothing is off`,
          ])}
        />
      ) : (
        <>
          <Alert
            type="error"
            showIcon
            title={text([
              `${check.data.accounts} 个账户中有 ${check.data.differences.length} 处差异`,
              `${check.data.differences.length} differences in ${check.data.accounts} accounts`,
            ])}
          />
          <Differences differences={check.data.differences} />
        </>
      )}
    </AppModal>
  );
}
