import { Alert, Table } from 'antd';
import type { Label } from '../../../kernel/contract/label.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import './seckill.css';

interface Term {
  readonly session: number;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly base: number;
  readonly price: number;
  readonly reserved: number;
  readonly perOrder: number;
  readonly perMember: number;
}
interface Around {
  readonly prices: readonly {
    readonly label: string;
    readonly day: string;
    readonly low: string;
    readonly high: string;
    readonly qty: number;
  }[];
  readonly others: readonly {
    readonly label: string;
    readonly name: string;
    readonly kind: string;
    readonly from: string;
    readonly to: string;
  }[];
}

const yuan = (fen: number) => (fen / 100).toFixed(2);

/** What is sold when and for how much, and what changed since it was rejected last. */
export function Terms({ row }: { readonly row: RowData }) {
  const text = useText();
  const terms = (row.terms ?? []) as readonly Term[];
  const difference = row.difference as readonly Label[] | undefined | null;
  return (
    <>
      {difference && (
        <Alert
          className="sk-block"
          type="info"
          title={
            difference.length === 0
              ? text(['与上次驳回的版本相同', 'The same as the version that was rejected last'])
              : text(['与上次驳回的版本相比', 'Compared with the version that was rejected last'])
          }
          description={difference.map((line) => (
            <div key={line[0]}>{text(line)}</div>
          ))}
        />
      )}
      <Table
        className="sk-block"
        size="small"
        rowKey={(term) => `${term.session} ${term.label}`}
        pagination={false}
        scroll={{ x: 640 }}
        dataSource={[...terms]}
        columns={[
          {
            title: text(['场次', 'Session']),
            render: (_: unknown, term) => `${term.from} – ${term.to.slice(11)}`,
          },
          { title: text(['商品', 'Goods']), dataIndex: 'label' },
          {
            title: text(['原价', 'Ordinary']),
            align: 'right',
            render: (_: unknown, term) => yuan(term.base),
          },
          {
            title: text(['秒杀价', 'Price']),
            align: 'right',
            render: (_: unknown, term) => yuan(term.price),
          },
          {
            title: text(['折扣', 'Ratio']),
            align: 'right',
            render: (_: unknown, term) => `${((term.price * 100) / term.base).toFixed(1)}%`,
          },
          { title: text(['数量', 'Copies']), dataIndex: 'reserved', align: 'right' },
          {
            title: text(['限购（单/人）', 'Limits']),
            align: 'right',
            render: (_: unknown, term) => `${term.perOrder} / ${term.perMember}`,
          },
        ]}
      />
    </>
  );
}

/** Prices the goods were ordered at lately, and what else is planned for them around that time. */
export function Surroundings({ row }: { readonly row: RowData }) {
  const text = useText();
  const around = row.around as Around | undefined;
  if (!around) return null;
  return (
    <>
      <Table
        size="small"
        rowKey={(one) => `${one.label} ${one.day}`}
        pagination={{ pageSize: 10, hideOnSinglePage: true }}
        title={() => text(['近 30 天成交时的原价', 'Ordinary prices of orders in 30 days'])}
        locale={{ emptyText: text(['近 30 天没有成交', 'No orders in 30 days']) }}
        dataSource={[...around.prices]}
        columns={[
          { title: text(['商品', 'Goods']), dataIndex: 'label' },
          { title: text(['日期', 'Day']), dataIndex: 'day' },
          {
            title: text(['原价', 'Ordinary']),
            align: 'right',
            render: (_: unknown, one) => (one.low === one.high ? one.low : `${one.low}–${one.high}`),
          },
          { title: text(['件数', 'Pieces']), dataIndex: 'qty', align: 'right' },
        ]}
      />
      <Table
        className="sk-block"
        size="small"
        rowKey={(one) => `${one.label} ${one.from}`}
        pagination={{ pageSize: 10, hideOnSinglePage: true }}
        title={() => text(['前后 7 天的其他活动', 'Other activities within 7 days'])}
        locale={{ emptyText: text(['没有其他活动', 'No other activities']) }}
        dataSource={[...around.others]}
        columns={[
          { title: text(['商品', 'Goods']), dataIndex: 'label' },
          { title: text(['活动', 'Activity']), dataIndex: 'name' },
          {
            title: text(['类型', 'Kind']),
            render: (_: unknown, one) =>
              one.kind === 'seckill' ? text(['秒杀', 'Seckill']) : text(['拼团', 'Group-buy']),
          },
          { title: text(['时间', 'Time']), render: (_: unknown, one) => `${one.from} – ${one.to}` },
        ]}
      />
    </>
  );
}
