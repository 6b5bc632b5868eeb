import { Table } from 'antd';
import { partsOfSaid } from '../../domain/coupon/said-twice.rules.ts';
import { useText } from '../../kernel/client/language.ts';
import { MoneyText } from '../../kernel/client/parts/money-text.tsx';
import { StatusTag } from '../../kernel/client/parts/status-tag.tsx';
import { instantFull } from '../../kernel/client/format.rules.ts';
import type { RowData } from '../../kernel/client/wire.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { DISPUTE_ANSWERS, DISPUTE_REASONS, ROW_KINDS } from '../mall/account-statement/statement.contract.ts';

interface Dispute {
  readonly id: string;
  readonly round: number;
  readonly row_no: number;
  readonly title: string;
  readonly reason: keyof typeof DISPUTE_REASONS;
  readonly net: string;
  readonly claimed: string | null;
  readonly text: string;
  readonly evidence: readonly { readonly id: string; readonly name: string; readonly url: string }[];
  readonly at: string;
  readonly withdrawn: boolean;
  readonly answer: keyof typeof DISPUTE_ANSWERS | null;
  readonly answer_text: string;
  readonly answered_by: string;
}

/** What the merchant disputed, beside our figure, with every answer. */
export function DisputesPart({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <Table
      size="small"
      rowKey="id"
      dataSource={[...((row.disputes ?? []) as readonly Dispute[])]}
      pagination={false}
      scroll={{ x: 1_000 }}
      locale={{ emptyText: text(['没有异议', 'Nothing was disputed']) }}
      columns={[
        { title: text(['轮次', 'Round']), dataIndex: 'round', width: 64 },
        { title: text(['行', 'Row']), width: 190, render: (_, one) => `${one.row_no} ${one.title}` },
        {
          title: text(['类型', 'Type']),
          width: 90,
          render: (_, one) => text(DISPUTE_REASONS[one.reason].label),
        },
        {
          title: text(['我方', 'Ours']),
          align: 'right',
          width: 110,
          render: (_, one) => <MoneyText value={one.net} />,
        },
        {
          title: text(['主张', 'Claimed']),
          align: 'right',
          width: 110,
          render: (_, one) => <MoneyText value={one.claimed} />,
        },
        {
          title: text(['说明', 'Text']),
          render: (_, one) => (
            <>
              {one.text}
              {one.evidence.map((file) => (
                <a key={file.id} className="k-link" href={file.url} target="_blank" rel="noreferrer">
                  {` ${file.name}`}
                </a>
              ))}
              <div className="k-quiet">{instantFull(one.at)}</div>
            </>
          ),
        },
        {
          title: text(['答复', 'Answer']),
          width: 210,
          render: (_, one) =>
            one.answer ? (
              <>
                <StatusTag choice={DISPUTE_ANSWERS[one.answer]} />
                <div className="k-quiet">
                  {[one.answered_by, one.answer_text].filter(Boolean).join(' · ')}
                </div>
              </>
            ) : (
              text(one.withdrawn ? ['已撤回', 'Withdrawn'] : ['待答复', 'To answer'])
            ),
        },
      ]}
    />
  );
}

interface StatementRow {
  readonly id: string;
  readonly rowNo: number;
  readonly rowKind: keyof typeof ROW_KINDS;
  readonly title: string;
  readonly orderCode: string | null;
  readonly net: string;
  readonly claimed: string | null;
  readonly open: boolean;
  readonly why: string;
}

/** Rows of a statement with their working, disputed ones first with the claim beside our figure. */
export function StatementRowsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <Table
      size="small"
      rowKey="id"
      dataSource={[...((row.lines ?? []) as readonly StatementRow[])]}
      pagination={{ pageSize: 20, showSizeChanger: false, hideOnSinglePage: true }}
      scroll={{ x: 1_240 }}
      columns={[
        { title: text(['行', 'Row']), dataIndex: 'rowNo', width: 60 },
        {
          title: text(['类别', 'Kind']),
          width: 110,
          render: (_, one) => <StatusTag choice={ROW_KINDS[one.rowKind]} />,
        },
        { title: text(['订单号', 'Order no.']), width: 170, render: (_, one) => one.orderCode ?? '–' },
        { title: text(['商品', 'Product']), dataIndex: 'title', width: 160 },
        {
          title: text(['应结', 'Net']),
          align: 'right',
          width: 110,
          render: (_, one) => <MoneyText value={one.net} />,
        },
        {
          title: text(['主张', 'Claimed']),
          align: 'right',
          width: 110,
          render: (_, one) => (one.open ? <MoneyText strong value={one.claimed} /> : ''),
        },
        { title: text(['为什么', 'Why']), width: 520, render: (_, one) => text(partsOfSaid(one.why)) },
      ]}
    />
  );
}

const PURPOSES: Readonly<Record<string, Label>> = {
  confirm: ['确认', 'Confirmed'],
  void: ['作废冲回', 'Void, reversed'],
  pay: ['付款', 'Payment'],
  paid: ['到账', 'Arrived'],
  failed: ['付款失败退回', 'Came back'],
  wallet: ['结算到钱包', 'To the wallet'],
};
const ACCOUNTS: Readonly<Record<string, Label>> = {
  merchant_payable: ['应付商户', 'Payable'],
  merchant_transit: ['在途', 'In transit'],
  merchant_wallet: ['钱包', 'Wallet'],
  merchant_deposit: ['保证金', 'Deposit'],
  settlement_source: ['结算资金', 'Settlement source'],
  settlement_bank: ['银行', 'Bank'],
  settlement_adjustment: ['结算调整', 'Adjustments'],
  subsidy_expense: ['平台补贴', 'Subsidy'],
  commission_income: ['佣金收入', 'Commission income'],
  channel_fee_recovered: ['通道费收回', 'Channel fee recovered'],
};

interface Booking {
  readonly id: string;
  readonly at: string;
  readonly purpose: string;
  readonly account: string;
  readonly amount: string;
  readonly by: string;
}

/** What the ledger holds of a statement and its payouts. */
export function BookingsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const of = (labels: Readonly<Record<string, Label>>, key: string) => text(labels[key] ?? [key, key]);
  return (
    <Table
      size="small"
      rowKey="id"
      dataSource={[...((row.bookings ?? []) as readonly Booking[])]}
      pagination={false}
      scroll={{ x: 640 }}
      locale={{ emptyText: text(['没有分录', 'Nothing is booked']) }}
      columns={[
        { title: text(['时间', 'At']), width: 160, render: (_, one) => instantFull(one.at) },
        { title: text(['事项', 'Purpose']), width: 140, render: (_, one) => of(PURPOSES, one.purpose) },
        { title: text(['科目', 'Account']), render: (_, one) => of(ACCOUNTS, one.account) },
        {
          title: text(['金额', 'Amount']),
          align: 'right',
          width: 130,
          render: (_, one) => <MoneyText value={one.amount} />,
        },
        { title: text(['经手', 'By']), dataIndex: 'by', width: 100 },
      ]}
    />
  );
}
