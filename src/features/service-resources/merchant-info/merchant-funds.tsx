import { Alert, Skeleton, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull, instantShort, moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { ResourceSpec } from '../../../kernel/contract/resource.ts';
import { statement } from '../../mall/account-statement/statement.contract.ts';
import { MONEY_ACCOUNT_WORDS, MONEY_MOVE_WORDS, type MerchantMoney } from './merchant-info.contract.ts';

type Entry = MerchantMoney['entries'][number];

const yuan = (fen: number) => moneyText(yuanFromFen(fen));

interface OfMerchant {
  readonly contract: Pick<ResourceSpec, 'name' | 'menu'>;
  readonly id: string;
}

function useMoney({ contract, id }: OfMerchant) {
  return useQuery({
    queryKey: [...keysOf.row(contract.name, id), 'funds'],
    queryFn: ({ signal }) => call<MerchantMoney>('GET', `${rootOf(contract)}/${id}/funds`, { signal }),
  });
}

/** What may be withdrawn at most, beside the amount that is asked for. */
export function WalletLeft(of: OfMerchant) {
  const text = useText();
  const { data } = useMoney(of);
  if (!data) return <Skeleton active paragraph={false} />;
  return (
    <p>
      {text(['可提现', 'In the wallet'])} <strong className="k-number">¥{yuan(data.wallet)}</strong>
    </p>
  );
}

/** Money of a merchant under the menu of a list: what its bills say, its accounts and how that came about. */
export function Funds(of: OfMerchant) {
  const text = useText();
  const view = useView();
  const bills = view.pathOf(statement.menu);
  const { data, isError, error, refetch } = useMoney(of);
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
        {sum(['可提现', 'Wallet'], data.wallet)}
        {sum(['钱包冻结', 'Frozen in the wallet'], data.walletFrozen)}
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
        locale={{ emptyText: text(['没有资金流水', 'Nothing booked yet']) }}
        title={() => text(['资金流水（最近 50 条）', 'Ledger entries (the last 50)'])}
        columns={[
          {
            key: 'at',
            title: text(['时间', 'Time']),
            render: (_, one) => <time title={instantFull(one.at)}>{instantShort(one.at)}</time>,
          },
          {
            key: 'account',
            title: text(['账户', 'Account']),
            render: (_, one) => text(MONEY_ACCOUNT_WORDS[one.account]),
          },
          {
            key: 'move',
            title: text(['类型', 'Type']),
            render: (_, one) => text(MONEY_MOVE_WORDS[one.move] ?? [one.move, one.move]),
          },
          {
            key: 'reference',
            title: text(['来源', 'Source']),
            render: (_, one) =>
              one.statement && bills ? (
                <button
                  type="button"
                  className="k-link"
                  onClick={() => view.open(`${bills}?detail=${one.statement}`)}
                >
                  {one.reference}
                </button>
              ) : (
                one.reference
              ),
          },
          {
            key: 'in',
            title: text(['收入', 'In']),
            align: 'right',
            className: 'k-number',
            render: (_, one) => (one.amount > 0 ? yuan(one.amount) : ''),
          },
          {
            key: 'out',
            title: text(['支出', 'Out']),
            align: 'right',
            className: 'k-number',
            render: (_, one) => (one.amount < 0 ? yuan(-one.amount) : ''),
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
