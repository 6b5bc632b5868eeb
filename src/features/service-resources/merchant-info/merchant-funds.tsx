import { Alert, Skeleton, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull, instantShort, moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { DEPOSIT_MOVES } from '../boss-account/boss-account.contract.ts';
import { merchantInfo, type MerchantMoney } from './merchant-info.contract.ts';

type Entry = MerchantMoney['entries'][number];

const yuan = (fen: number) => moneyText(yuanFromFen(fen));

/** Money of the merchant: what its bills say, its deposit and how that came about. */
export function Funds({ id }: { readonly id: string }) {
  const text = useText();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row(merchantInfo.name, id), 'funds'],
    queryFn: ({ signal }) => call<MerchantMoney>('GET', `${rootOf(merchantInfo)}/${id}/funds`, { signal }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const short = data.deposit < data.depositAsked;
  const sum = (label: readonly [string, string], fen: number, bad = false) => (
    <div>
      <dt>{text(label)}</dt>
      <dd className={bad ? 'k-number k-bad' : 'k-number'}>{yuan(fen)}</dd>
    </div>
  );
  return (
    <>
      {data.frozen && (
        <Alert
          type="warning"
          showIcon
          title={text([
            `资金已冻结，付款暂停：${data.frozenReason}`,
            `Money is frozen, payouts are stopped: ${data.frozenReason}`,
          ])}
        />
      )}
      <dl className="k-facts">
        {sum(['应结余额', 'Payable'], data.payable)}
        {sum(['付款中', 'In transit'], data.inTransit)}
        {sum(['累计已结算', 'Settled so far'], data.settled)}
        {sum(['保证金余额', 'Deposit held'], data.deposit, short)}
        {sum(['应缴保证金', 'Deposit required'], data.depositAsked)}
        <div>
          <dt>{text(['最近结算', 'Last settlement'])}</dt>
          <dd>
            {data.lastBill
              ? `${data.lastBill.code} · ${data.lastBill.on} · ${yuan(data.lastBill.paid)}`
              : text(['暂无', 'None yet'])}
          </dd>
        </div>
      </dl>
      <Table<Entry>
        size="small"
        rowKey="id"
        scroll={{ x: 640 }}
        pagination={false}
        dataSource={[...data.entries]}
        locale={{ emptyText: text(['没有保证金流水', 'No deposit entries yet']) }}
        title={() => text(['保证金流水（最近 20 条）', 'Deposit entries (the last 20)'])}
        columns={[
          {
            key: 'at',
            title: text(['时间', 'Time']),
            render: (_, one) => <time title={instantFull(one.at)}>{instantShort(one.at)}</time>,
          },
          {
            key: 'move',
            title: text(['类型', 'Type']),
            render: (_, one) => text(DEPOSIT_MOVES[one.move].label),
          },
          { key: 'reference', title: text(['凭证号', 'Voucher']), dataIndex: 'reference' },
          {
            key: 'amount',
            title: text(['金额', 'Amount']),
            align: 'right',
            className: 'k-number',
            render: (_, one) => `${one.amount > 0 ? '+' : ''}${yuan(one.amount)}`,
          },
          {
            key: 'balance',
            title: text(['余额', 'Balance after']),
            align: 'right',
            className: 'k-number',
            render: (_, one) => yuan(one.balance),
          },
        ]}
      />
    </>
  );
}
