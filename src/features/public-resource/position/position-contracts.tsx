import { Table } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { PRICE_BASES } from '../../../domain/contract/plan.rules.ts';
import { contract } from '../contract/contract.contract.ts';

interface Let {
  readonly id: string;
  readonly code: string;
  readonly party: string;
  readonly state: string;
  readonly from: string;
  readonly to: string;
  readonly basis: keyof typeof PRICE_BASES;
  readonly price: string;
  readonly income: string;
  readonly received: string;
}

/** Opens a contract, where the staff may. */
export function ContractLink({ id, code }: { readonly id: string; readonly code: string }) {
  const view = useView();
  const path = `/publicResource/pr_contractSee/view/${id}`;
  return view.mayOpen(path) ? (
    <button type="button" className="k-link" onClick={() => view.open(path)}>
      {code}
    </button>
  ) : (
    <>{code}</>
  );
}

/** Contracts a position was let by, with what they bring for it. */
export function ContractsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const money = (title: readonly [string, string], name: 'price' | 'income' | 'received') => ({
    title: text(title),
    align: 'right' as const,
    width: 130,
    render: (_: unknown, one: Let) => <MoneyText value={one[name]} />,
  });
  return (
    <Table
      size="small"
      rowKey="id"
      dataSource={[...((row.contracts ?? []) as readonly Let[])]}
      pagination={false}
      scroll={{ x: 1_130 }}
      locale={{ emptyText: text(['没有可查看的合同', 'No contract you may see']) }}
      columns={[
        {
          title: text(contract.fields.code.label),
          width: 170,
          render: (_, one) => <ContractLink id={one.id} code={one.code} />,
        },
        { title: text(contract.fields.partyB.label), dataIndex: 'party', width: 170 },
        { title: text(['起止', 'Days']), width: 210, render: (_, one) => `${one.from} ~ ${one.to}` },
        { title: text(['计价', 'Basis']), width: 90, render: (_, one) => text(PRICE_BASES[one.basis].label) },
        money(['价格', 'Price'], 'price'),
        money(['合同收入', 'Income'], 'income'),
        money(['已收', 'Received'], 'received'),
        {
          title: text(['状态', 'Status']),
          width: 100,
          render: (_, one) => <StatusTag choice={contract.states![one.state]!} />,
        },
      ]}
    />
  );
}
