import { useEffect, useEffectEvent } from 'react';
import { Alert, Table, type TableColumnsType } from 'antd';
import { useQuery } from '@tanstack/react-query';
import {
  PRICE_BASES,
  contractAmount,
  LINE_KINDS,
  planOf,
  type Factor,
  type PlanTerms,
} from '../../../domain/contract/plan.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { SafeHtml } from '../../../kernel/client/parts/safe-html.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { ContractLink } from '../position/position-contracts.tsx';
import { contract, contractMine, contractPayment, LEDGER } from './contract.contract.ts';
import { placesOn } from './places.rules.ts';
import './contract.css';

type Line = Readonly<Record<string, unknown>>;
const fen = (value: unknown) => fenFromYuan(String(value ?? '')) ?? 0;
const rows = (value: unknown) => (Array.isArray(value) ? (value as readonly Line[]) : []);
const day = (value: unknown) => (typeof value === 'string' && isBusinessDay(value) ? value : undefined);
const titleOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? String((value as { title: string }).title) : '';

/** Terms as a form holds them; undefined while the term is not whole. */
function termsIn(values: Line): PlanTerms | undefined {
  const [startsOn, endsOn] = [day(values.startsOn), day(values.endsOn)];
  if (!startsOn || !endsOn || endsOn < startsOn) return undefined;
  const places = rows(values.positions).filter((one) => one.place);
  const positions = places.map((one) => ({
    label: titleOf(one.place),
    from: day(one.fromOn) ?? startsOn,
    to: day(one.toOn) ?? endsOn,
    price: fen(one.price),
  }));
  return {
    startsOn,
    endsOn,
    basis: (values.priceBasis ?? 'month') as PlanTerms['basis'],
    prorate: (values.prorate ?? 'actual_month') as PlanTerms['prorate'],
    interval: (values.payInterval ?? '1') as PlanTerms['interval'],
    timing: (values.payTiming ?? 'prepaid') as PlanTerms['timing'],
    dueOffset: Number(values.dueOffset ?? 0) || 0,
    positions:
      positions.length > 0
        ? positions
        : [{ label: '', from: startsOn, to: endsOn, price: fen(values.price) }],
    steps: rows(values.steps)
      .filter((one) => Number(one.fromMonth) >= 2 && one.kind)
      .map((one) => ({
        fromMonth: Number(one.fromMonth),
        kind: one.kind as PlanTerms['steps'][number]['kind'],
        value: one.kind === 'percent' ? Math.round(Number(one.rate ?? 0) * 100) : fen(one.amount),
      })),
    free: rows(values.freePeriods).flatMap((one) => {
      const [from, to] = [day(one.fromOn), day(one.toOn)];
      return from && to && to >= from ? [{ from, to }] : [];
    }),
    fees: rows(values.fees).flatMap((one) => {
      const dueOn = day(one.dueOn);
      return dueOn && one.name ? [{ name: String(one.name), amount: fen(one.amount), dueOn }] : [];
    }),
    deposit: fen(values.deposit),
    depositDueOn: day(values.depositDueOn) ?? null,
  };
}

/** Why a line has its amount: price in force, days and what they are held against. */
function Explained({ factors, basis }: { readonly factors: readonly Factor[]; readonly basis: string }) {
  const text = useText();
  if (factors.length === 0) return <>–</>;
  const first = factors.slice(0, 3);
  return (
    <span className="k-quiet">
      {first.map((one, index) => (
        <div key={index}>
          {one.label && `${one.label} · `}
          {one.month > 0 && text([`第 ${one.month} 月 `, `month ${one.month} `])}
          {yuanFromFen(one.price)}
          {basis === 'day' ? ` × ${one.days}` : ` × ${one.days}/${one.of}`} = {yuanFromFen(one.amount)}
        </div>
      ))}
      {factors.length > 3 && text([`等 ${factors.length} 项`, `and ${factors.length - 3} more`])}
    </span>
  );
}

/** What a line of a plan is for, and when: the first columns of every plan. */
const termColumns = <
  T extends {
    readonly name: string;
    readonly kind: keyof typeof LINE_KINDS;
    readonly from: string | null;
    readonly to: string | null;
  },
>(
  text: ReturnType<typeof useText>,
): TableColumnsType<T> => [
  { title: text(['行', 'No.']), dataIndex: 'no', width: 56 },
  {
    title: text(['类型', 'Kind']),
    width: 110,
    render: (_, line) => line.name || text(LINE_KINDS[line.kind].label),
  },
  {
    title: text(['账期', 'Period']),
    width: 200,
    render: (_, line) => (line.from ? `${line.from} ~ ${line.to}` : '–'),
  },
  { title: text(['到期', 'Due']), dataIndex: 'dueOn', width: 110 },
];

/** The plan of payments of what is typed so far, worked out by the rules the server uses. */
export function PlanPreview({ values }: { readonly values: Line }) {
  const text = useText();
  const terms = termsIn(values);
  if (!terms)
    return (
      <p className="k-quiet">
        {text(['填写起止日期后显示收付计划', 'The plan stands here once the term is filled in'])}
      </p>
    );
  const manual = new Map(
    rows(values.manualLines).map((one) => [
      Number(one.no),
      { amount: fen(one.amount), reason: String(one.reason ?? '') },
    ]),
  );
  const lines = planOf(terms).map((line, index) => {
    const hand = manual.get(index + 1);
    return { ...line, no: index + 1, hand, amount: hand ? hand.amount : line.amount };
  });
  const columns: TableColumnsType<(typeof lines)[number]> = [
    ...termColumns<(typeof lines)[number]>(text),
    {
      title: text(['金额', 'Amount']),
      align: 'right',
      width: 150,
      render: (_, line) => (
        <>
          <MoneyText value={yuanFromFen(line.amount)} />
          {line.hand && <StatusTag choice={{ label: ['手工', 'By hand'], tone: 'warning' }} />}
        </>
      ),
    },
    {
      title: text(['说明', 'Explained']),
      render: (_, line) =>
        line.hand ? line.hand.reason : <Explained factors={line.explain} basis={terms.basis} />,
    },
  ];
  return (
    <div className="contract-plan">
      <div className="contract-sums" role="status">
        <span>
          {text(['合同总额', 'Contract amount'])}{' '}
          <MoneyText strong value={yuanFromFen(contractAmount(lines))} />
        </span>
        <span>
          {text(['押金', 'Deposit'])} <MoneyText value={yuanFromFen(terms.deposit)} />
        </span>
        <span className="k-quiet">
          {text([`${lines.length} 行`, `${lines.length} lines`])} · {text(PRICE_BASES[terms.basis].label)}
        </span>
      </div>
      <Table
        size="small"
        rowKey="key"
        columns={columns}
        dataSource={lines}
        pagination={lines.length > 24 ? { pageSize: 24, showSizeChanger: false } : false}
        scroll={{ x: 760 }}
      />
    </div>
  );
}

interface Preview {
  readonly net: string;
  /** Of a termination: what came in, what is kept of it, what goes back. */
  readonly deposit: { readonly held: string; readonly kept: string; readonly back: string } | null;
  readonly lines: readonly {
    readonly op: string;
    readonly from: string | null;
    readonly dueOn: string;
    readonly before: string | null;
    readonly after: string;
  }[];
}

const OPS: Readonly<Record<string, Label>> = {
  add: ['新增', 'Added'],
  rebuild: ['重排', 'Rewritten'],
  void: ['作废', 'Void'],
  voidIssued: ['作废（含应收）', 'Void with its receivable'],
  adjust: ['调整', 'Adjusted'],
};

/** Input of a dialog as the preview is asked for. */
function inputOf(values: Line): Record<string, unknown> | undefined {
  const input: Record<string, unknown> = {};
  if (day(values.endsOn)) input.endsOn = values.endsOn;
  if (day(values.effectiveOn)) input.effectiveOn = values.effectiveOn;
  if (values.newSteps !== undefined) {
    const steps = rows(values.newSteps).filter(
      (one) => Number(one.fromMonth) >= 2 && one.kind && (one.kind === 'percent' ? one.rate : one.amount),
    );
    if (steps.length === 0) return undefined;
    input.newSteps = steps.map((one) => ({
      fromMonth: Number(one.fromMonth),
      kind: one.kind,
      rate: one.kind === 'percent' ? String(one.rate) : null,
      amount: one.kind === 'percent' ? null : fen(one.amount),
    }));
  }
  if (values.newPositions !== undefined) {
    if (!input.effectiveOn) return undefined;
    const places = rows(values.newPositions).filter((one) => one.place && one.price);
    if (places.length === 0) return undefined;
    input.newPositions = places.map((one) => ({
      place: Number((one.place as { id: string }).id),
      fromOn: day(one.fromOn) ?? null,
      toOn: day(one.toOn) ?? null,
      price: fen(one.price),
    }));
  }
  if (Object.keys(input).length === 0) return undefined;
  const kept = rows(values.deductions).filter((one) => one.amount);
  if (kept.length > 0)
    input.deductions = kept.map((one) => ({ reason: String(one.reason ?? ''), amount: fen(one.amount) }));
  return input;
}

/** Which change a dialog is, by what it asks for. */
function actionOf(input: Line): string {
  if (input.newSteps !== undefined) return 'changePrice';
  if (input.newPositions !== undefined) return 'changePositions';
  return input.endsOn !== undefined ? 'changeTerm' : 'terminate';
}

/** Lines before and after a change, and what it comes to. */
export function ChangePreview({ values, rows: about }: SlotInputProps) {
  const text = useText();
  const id = about[0]?.id;
  const input = inputOf(values);
  const asked = input && JSON.stringify({ action: actionOf(input), input });
  const preview = useQuery({
    queryKey: ['contractChange', id, asked],
    enabled: id !== undefined && asked !== undefined,
    retry: false,
    queryFn: ({ signal }) =>
      call<Preview>('POST', `${rootOf(contract)}/${id}/changePreview`, {
        body: JSON.parse(asked!) as object,
        signal,
        quiet: true,
      }),
  });
  if (!asked) return <span className="k-quiet">{text(['填写后显示', 'Shown once filled in'])}</span>;
  if (preview.isError)
    return (
      <Alert type="warning" showIcon title={text(['请核对以上内容', 'Please check what is filled in'])} />
    );
  if (!preview.data) return <span className="k-quiet">…</span>;
  return (
    <div className="contract-plan">
      <span role="status">
        {text(['合计变化', 'Together'])} <MoneyText strong value={preview.data.net} />
      </span>
      {preview.data.deposit && (
        <span>
          {text(['已收押金', 'Deposit that came in'])} <MoneyText value={preview.data.deposit.held} /> ·{' '}
          {text(['扣款', 'Kept'])} <MoneyText value={preview.data.deposit.kept} /> ·{' '}
          {text(['应退', 'Goes back'])} <MoneyText strong value={preview.data.deposit.back} />
        </span>
      )}
      <Table
        size="small"
        rowKey={(line) => `${line.op}${line.from ?? ''}${line.dueOn}${line.after}`}
        dataSource={[...preview.data.lines]}
        pagination={preview.data.lines.length > 8 ? { pageSize: 8, showSizeChanger: false } : false}
        scroll={{ x: 420 }}
        columns={[
          { title: text(['处理', 'What']), render: (_, line) => text(OPS[line.op]!) },
          { title: text(['账期起', 'From']), render: (_, line) => line.from ?? line.dueOn },
          {
            title: text(['变更前', 'Before']),
            align: 'right',
            render: (_, line) => <MoneyText value={line.before} />,
          },
          {
            title: text(['变更后', 'After']),
            align: 'right',
            render: (_, line) => <MoneyText value={line.after} />,
          },
        ]}
      />
    </div>
  );
}

/** Positions from a day on; those that are let now stand there at first, also where the dialog was opened in a list. */
export function NewPositions({ id, value, onChange, rows: about, disabled }: SlotInputProps) {
  const view = useView();
  const given = about[0]!;
  const missing = given.positions === undefined;
  const resource = (view.pathOf(LEDGER) ? contract : contractMine) as Resource;
  const { data: row } = useRow(resource, given.id);
  const fill = useEffectEvent(() => onChange?.(placesOn(row!.positions, businessDayOf(new Date()))));
  const ready = missing && row !== undefined;
  useEffect(() => {
    if (ready) fill();
  }, [ready]);
  return (
    <div className="contract-lines">
      <FieldInput
        {...(id ? { id } : {})}
        field={contract.actions!.changePositions.input!.newPositions!}
        value={value}
        onChange={(next) => onChange?.(next)}
        disabled={disabled}
      />
    </div>
  );
}

/** The way a contract goes, where it stands on it, and how many days are left. */
export function StateStrip({ row }: { readonly row: RowData }) {
  const text = useText();
  const state = row.state as keyof NonNullable<typeof contract.states>;
  const way = [
    'draft',
    state === 'rejected' ? 'rejected' : 'in_review',
    'active',
    'expiring',
    state === 'terminated' ? 'terminated' : 'expired',
  ] as const;
  const at = way.findIndex((one) => one === state);
  const left = row.daysLeft;
  return (
    <div className="contract-strip">
      <ol aria-label={text(['合同状态', 'Where the contract stands'])}>
        {way.map((one, index) => (
          <li
            key={one}
            className={index < at ? 'is-done' : ''}
            {...(index === at && { 'aria-current': 'step' as const })}
          >
            {text(contract.states![one]!.label)}
          </li>
        ))}
      </ol>
      {typeof left === 'number' && (
        <b>{text([`剩余 ${left} 天`, left === 1 ? '1 day left' : `${left} days left`])}</b>
      )}
    </div>
  );
}

interface Payment {
  readonly id: string;
  readonly no: number;
  readonly kind: keyof typeof LINE_KINDS;
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly dueOn: string;
  readonly amount: string;
  readonly received: string;
  readonly owed: string;
  readonly days: number;
  readonly state: keyof NonNullable<typeof contractPayment.states>;
  readonly receivable: string | null;
  readonly manual: boolean;
  readonly reason: string;
  readonly explain: readonly Factor[];
}

const sum = (lines: readonly Payment[], of: (line: Payment) => string) =>
  yuanFromFen(lines.reduce((total, line) => total + fen(of(line)), 0));

/** Opens a receivable in its list, where the staff may. */
function ReceivableLink({ code }: { readonly code: string }) {
  const view = useView();
  const path = '/lifeService/accountsReceivable';
  return !view.mayOpen(path) ? (
    <>{code}</>
  ) : (
    <button
      type="button"
      className="k-link"
      onClick={() => view.open(`${path}?searchVal=${encodeURIComponent(code)}`)}
    >
      {code}
    </button>
  );
}

/** The plan of payments with what came in. */
export function PaymentsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const lines = (row.payments ?? []) as readonly Payment[];
  const live = lines.filter((line) => line.state !== 'void');
  const money = live.filter((line) => line.kind !== 'deposit' && line.kind !== 'deposit_return');
  const deposits = live.filter((line) => line.kind === 'deposit');
  const returned = live.filter((line) => line.kind === 'deposit_return');
  return (
    <div className="contract-plan">
      <div className="contract-sums">
        <span>
          {text(['应收/付', 'Amount'])} <MoneyText strong value={sum(money, (line) => line.amount)} />
        </span>
        <span>
          {text(['已收/付', 'Received'])} <MoneyText value={sum(money, (line) => line.received)} />
        </span>
        <span>
          {text(['逾期', 'Overdue'])}{' '}
          <MoneyText
            value={sum(
              live.filter((line) => line.days > 0),
              (line) => line.owed,
            )}
          />
        </span>
        <span>
          {text(['押金余额', 'Deposit held'])}{' '}
          <MoneyText
            value={yuanFromFen(
              fen(sum(deposits, (line) => line.received)) - fen(sum(returned, (line) => line.received)),
            )}
          />
        </span>
      </div>
      <Table
        size="small"
        rowKey="id"
        dataSource={[...lines]}
        pagination={lines.length > 24 ? { pageSize: 24, showSizeChanger: false } : false}
        scroll={{ x: 1_100 }}
        columns={[
          ...termColumns<Payment>(text),
          {
            title: text(['金额', 'Amount']),
            align: 'right',
            width: 120,
            render: (_, line) => <MoneyText value={line.amount} />,
          },
          {
            title: text(['已收/付', 'Received']),
            align: 'right',
            width: 120,
            render: (_, line) => <MoneyText value={line.received} />,
          },
          {
            title: text(['逾期', 'Late']),
            width: 90,
            render: (_, line) => (line.days > 0 ? text([`${line.days} 天`, `${line.days} days`]) : '–'),
          },
          {
            title: text(['状态', 'Status']),
            width: 120,
            render: (_, line) => <StatusTag choice={contractPayment.states![line.state]!} />,
          },
          {
            title: text(['应收编号', 'Receivable']),
            width: 170,
            render: (_, line) => (line.receivable ? <ReceivableLink code={line.receivable} /> : '–'),
          },
          {
            title: text(['说明', 'Explained']),
            render: (_, line) =>
              line.reason || <Explained factors={line.explain} basis={String(row.priceBasis)} />,
          },
        ]}
      />
    </div>
  );
}

interface Place {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly location: string;
  readonly fromOn: string;
  readonly toOn: string;
  readonly price: string;
  readonly pinX: number | null;
  readonly pinY: number | null;
  readonly plan: readonly { readonly url: string }[];
}

/** Positions with their days, and where they lie on their floor plans. */
export function PlacesPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const places = (row.placesNow ?? []) as readonly Place[];
  return (
    <div className="contract-plan">
      <Table
        size="small"
        rowKey={(one) => `${one.id} ${one.fromOn}`}
        dataSource={[...places]}
        pagination={false}
        scroll={{ x: 640 }}
        locale={{ emptyText: text(['没有点位', 'No positions']) }}
        columns={[
          { title: text(['点位', 'Position']), render: (_, one) => `${one.code} ${one.name}` },
          { title: text(['位置', 'Location']), dataIndex: 'location' },
          { title: text(['起止', 'Days']), render: (_, one) => `${one.fromOn} ~ ${one.toOn}` },
          {
            title: text(['价格', 'Price']),
            align: 'right',
            render: (_, one) => <MoneyText value={one.price} />,
          },
        ]}
      />
      {places
        .filter((one) => one.plan.length > 0 && one.pinX !== null && one.pinY !== null)
        .map((one) => (
          <figure key={`${one.id} ${one.fromOn}`} className="contract-floor">
            <img src={one.plan[0]!.url} alt={text([`${one.code} 平面图`, `Floor plan of ${one.code}`])} />
            <i
              style={{ insetInlineStart: `${one.pinX! / 100}%`, insetBlockStart: `${one.pinY! / 100}%` }}
              aria-hidden="true"
            />
          </figure>
        ))}
    </div>
  );
}

const CHANGES: Readonly<Record<string, Label>> = {
  party: ['乙方', 'Party B'],
  term: ['期限', 'Term'],
  price: ['价格', 'Price'],
  position: ['点位', 'Positions'],
  terminate: ['终止', 'Termination'],
};
const CHANGE_STATES = {
  draft: { label: ['草稿', 'Draft'], tone: 'default' },
  in_review: { label: ['审批中', 'In review'], tone: 'processing' },
  rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
  applied: { label: ['已生效', 'Applied'], tone: 'success' },
  withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused' },
} as const;
const APPROVAL_STATES = {
  running: { label: ['审批中', 'Running'], tone: 'processing' },
  passed: { label: ['已通过', 'Passed'], tone: 'success' },
  refused: { label: ['未通过', 'Refused'], tone: 'error' },
  withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused' },
  cancelled: { label: ['已取消', 'Cancelled'], tone: 'paused' },
} as const;

interface Change {
  readonly id: string;
  readonly kind: string;
  readonly effectiveOn: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
  readonly state: keyof typeof CHANGE_STATES;
  readonly by: string;
}
interface Version {
  readonly no: number;
  readonly diff: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
  readonly reason: string;
  readonly at: string;
  readonly by: string;
  /** Code of the approval that made it. */
  readonly approval: string | null;
}
interface Approval {
  readonly id: string;
  readonly code: string;
  readonly zh: string;
  readonly en: string;
  readonly state: keyof typeof APPROVAL_STATES;
  readonly by: string;
}

const FIELD_LABELS: Readonly<Record<string, Label>> = {
  name: contract.fields.name.label,
  client_id: contract.fields.client.label,
  merchant_id: contract.fields.merchant.label,
  party_name: contract.fields.partyName.label,
  licence_no: contract.fields.licenceNo.label,
  contact: contract.fields.contact.label,
  contact_phone: contract.fields.contactPhone.label,
  starts_on: contract.fields.startsOn.label,
  ends_on: contract.fields.endsOn.label,
  amount: contract.fields.amount.label,
  deposit: contract.fields.deposit.label,
  terminated_on: contract.fields.terminatedOn.label,
  positions: contract.fields.positions.label,
  steps: contract.fields.steps.label,
};
const MONEY = new Set(['amount', 'deposit', 'price']);

/** A value of a version in words. */
function said(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (MONEY.has(field)) return yuanFromFen(Number(value));
  if (Array.isArray(value))
    return (
      value
        .map((one: Line) =>
          one.from_on
            ? `${String(one.code ?? '')} ${String(one.from_on)}~${String(one.to_on)}`
            : `M${String(one.from_month)} ${String(one.rate ?? (one.amount === null ? '' : yuanFromFen(Number(one.amount))))}`,
        )
        .join('；') || '–'
    );
  return String(value);
}

/** Changes, versions with what differs, and approvals. */
export function HistoryPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const changes = (row.changes ?? []) as readonly Change[];
  const versions = (row.versions ?? []) as readonly Version[];
  const approvals = (row.approvals ?? []) as readonly Approval[];
  const none = { emptyText: text(['无', 'None']) };
  return (
    <>
      <section className="contract-block">
        <h3>{text(['变更', 'Changes'])}</h3>
        <Table
          size="small"
          rowKey="id"
          dataSource={[...changes]}
          pagination={false}
          locale={none}
          scroll={{ x: 760 }}
          columns={[
            { title: text(['类型', 'Kind']), width: 90, render: (_, one) => text(CHANGES[one.kind]!) },
            { title: text(['生效日', 'Effective']), dataIndex: 'effectiveOn', width: 110 },
            { title: text(['变更前', 'Before']), dataIndex: 'before' },
            { title: text(['变更后', 'After']), dataIndex: 'after' },
            { title: text(['原因', 'Reason']), dataIndex: 'reason' },
            {
              title: text(['状态', 'Status']),
              width: 100,
              render: (_, one) => <StatusTag choice={CHANGE_STATES[one.state]} />,
            },
            { title: text(['提交人', 'By']), dataIndex: 'by', width: 90 },
          ]}
        />
      </section>
      <section className="contract-block">
        <h3>{text(['版本', 'Versions'])}</h3>
        <Table
          size="small"
          rowKey="no"
          dataSource={[...versions]}
          pagination={false}
          locale={none}
          scroll={{ x: 810 }}
          columns={[
            { title: text(['版本', 'Version']), width: 70, render: (_, one) => `V${one.no}` },
            {
              title: text(['时间', 'At']),
              width: 150,
              render: (_, one) => one.at.slice(0, 16).replace('T', ' '),
            },
            { title: text(['原因', 'Reason']), dataIndex: 'reason' },
            { title: text(['审批', 'Approval']), width: 170, render: (_, one) => one.approval ?? '–' },
            {
              title: text(['差异', 'Difference']),
              render: (_, one) =>
                one.diff.map((each) => (
                  <div key={each.field}>
                    {text(FIELD_LABELS[each.field] ?? [each.field, each.field])}：
                    {said(each.field, each.before)} → {said(each.field, each.after)}
                  </div>
                )),
            },
          ]}
        />
      </section>
      <section className="contract-block">
        <h3>{text(['审批', 'Approvals'])}</h3>
        <Table
          size="small"
          rowKey="id"
          dataSource={[...approvals]}
          pagination={false}
          locale={none}
          scroll={{ x: 560 }}
          columns={[
            {
              title: text(['编号', 'Code']),
              width: 180,
              render: (_, one) => {
                const path = `/publicResource/pr_approvalProcess/${one.id}`;
                return view.mayOpen(path) ? (
                  <button type="button" className="k-link" onClick={() => view.open(path)}>
                    {one.code}
                  </button>
                ) : (
                  one.code
                );
              },
            },
            { title: text(['标题', 'Title']), render: (_, one) => text([one.zh, one.en]) },
            { title: text(['发起人', 'By']), dataIndex: 'by', width: 90 },
            {
              title: text(['状态', 'Status']),
              width: 100,
              render: (_, one) => <StatusTag choice={APPROVAL_STATES[one.state]} />,
            },
          ]}
        />
      </section>
    </>
  );
}

const REMINDERS: Readonly<Record<string, Label>> = {
  ending: ['到期', 'Ending'],
  payment: ['付款', 'Payment'],
  signed_copy: ['签署件', 'Signed copy'],
  deposit: ['押金', 'Deposit'],
};
interface Reminder {
  readonly kind: string;
  readonly days: number;
  readonly target: string;
  readonly sent: string;
  readonly seen: boolean;
  readonly escalated: boolean;
}
interface Link {
  readonly id: string;
  readonly code: string;
  readonly startsOn: string;
  readonly endsOn: string;
  readonly state: keyof NonNullable<typeof contract.states>;
}

/** Reminders that were sent, and the chain of renewals. */
export function FollowPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const reminders = (row.reminders ?? []) as readonly Reminder[];
  const chain = (row.chain ?? []) as readonly Link[];
  return (
    <>
      <section className="contract-block">
        <h3>{text(['提醒', 'Reminders'])}</h3>
        <Table
          size="small"
          rowKey={(one) => `${one.kind}${one.days}${one.target}`}
          dataSource={[...reminders]}
          pagination={false}
          locale={{ emptyText: text(['还没有提醒', 'Nothing was sent yet']) }}
          scroll={{ x: 520 }}
          columns={[
            { title: text(['类型', 'Kind']), render: (_, one) => text(REMINDERS[one.kind]!) },
            {
              title: text(['提前', 'Before']),
              render: (_, one) => text([`${one.days} 天`, `${one.days} days`]),
            },
            { title: text(['目标日', 'Target']), dataIndex: 'target' },
            { title: text(['发送', 'Sent']), render: (_, one) => one.sent.slice(0, 16).replace('T', ' ') },
            {
              title: text(['阅读', 'Read']),
              render: (_, one) =>
                one.seen
                  ? text(['已读', 'Read'])
                  : one.escalated
                    ? text(['未读，已上报', 'Unread, told higher up'])
                    : text(['未读', 'Unread']),
            },
          ]}
        />
      </section>
      {chain.length > 0 && (
        <section className="contract-block">
          <h3>{text(['续签链', 'Renewals'])}</h3>
          <Table
            size="small"
            rowKey="id"
            dataSource={[...chain]}
            pagination={false}
            scroll={{ x: 420 }}
            columns={[
              {
                title: text(['编号', 'Code']),
                render: (_, one) =>
                  one.id === row.id ? (
                    <strong>{one.code}</strong>
                  ) : (
                    <ContractLink id={one.id} code={one.code} />
                  ),
              },
              { title: text(['起止', 'Term']), render: (_, one) => `${one.startsOn} ~ ${one.endsOn}` },
              {
                title: text(['状态', 'Status']),
                render: (_, one) => <StatusTag choice={contract.states![one.state]!} />,
              },
            ]}
          />
        </section>
      )}
    </>
  );
}

/** A contract as it is printed: the text of its kind, or parties and terms, with positions and the plan of payments. */
export function Paper({ row }: { readonly row: RowData }) {
  const text = useText();
  const kind = titleOf(row.kind);
  const places = (row.placesNow ?? []) as readonly Place[];
  const lines = ((row.payments ?? []) as readonly Payment[]).filter((line) => line.state !== 'void');
  const facts: readonly (readonly [Label, string])[] = [
    [contract.fields.code.label, String(row.code)],
    [contract.fields.name.label, String(row.name)],
    [contract.fields.project.label, titleOf(row.project)],
    [contract.fields.partyA.label, titleOf(row.partyA)],
    [contract.fields.partyB.label, String(row.partyB)],
    [contract.fields.licenceNo.label, String(row.licenceNo || '–')],
    [['联系方式', 'Contact'], [row.contact, row.contactPhone].filter(Boolean).join(' ') || '–'],
    [['期限', 'Term'], `${String(row.startsOn)} ~ ${String(row.endsOn)}`],
    [contract.fields.amount.label, `¥${thousands(String(row.amount))}`],
    [contract.fields.deposit.label, `¥${thousands(String(row.deposit))}`],
    [contract.fields.remarks.label, String(row.remarks || '–')],
  ];
  return (
    <article className="contract-paper">
      <h2>{text([`${kind}合同`, `${kind} contract`])}</h2>
      {typeof row.template === 'string' ? (
        <SafeHtml html={row.template} />
      ) : (
        <dl>
          {facts.map(([label, value]) => (
            <div key={label[1]} style={{ display: 'contents' }}>
              <dt className="k-quiet">{text(label)}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {places.length > 0 && <PlacesPart row={row} />}
      <Table
        size="small"
        rowKey="id"
        dataSource={[...lines]}
        pagination={false}
        columns={[
          { title: text(['行', 'No.']), dataIndex: 'no', width: 56 },
          {
            title: text(['类型', 'Kind']),
            render: (_, line) => line.name || text(LINE_KINDS[line.kind].label),
          },
          {
            title: text(['账期', 'Period']),
            render: (_, line) => (line.from ? `${line.from} ~ ${line.to}` : '–'),
          },
          { title: text(['到期', 'Due']), dataIndex: 'dueOn' },
          {
            title: text(['金额', 'Amount']),
            align: 'right',
            render: (_, line) => <MoneyText value={line.amount} />,
          },
        ]}
      />
      <div className="contract-paper-signs">
        <span>{text(['甲方（盖章）：', 'Party A (seal):'])}</span>
        <span>{text(['乙方（盖章）：', 'Party B (seal):'])}</span>
      </div>
    </article>
  );
}
