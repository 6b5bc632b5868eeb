import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { bossWithdrawal } from '../../finance/withdrawal/withdrawal.contract.ts';
import { bossAccount, depositEntry, merchantFund } from './boss-account.contract.ts';
import { SaidTwice } from '../merchant/merchant-words.tsx';

const Funds = lazyPart(() => import('../merchant-info/merchant-funds.tsx').then((module) => module.Funds));

const fundSlots: ScreenSlots = {
  detailParts: [
    {
      key: 'entries',
      label: ['资金流水', 'Ledger entries'],
      render: (row) => <Funds contract={merchantFund} id={row.id} />,
    },
  ],
};

const accountSlots: ScreenSlots = {
  cells: {
    shops: (row) => <SaidTwice value={row.shops} />,
  },
};

/** What goes to whom, while it is decided. */
function Payout({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <p>
      {(row.merchant as RefValue | null)?.title} · {text(bossWithdrawal.fields.amount.label)}{' '}
      <MoneyText value={row.amount as string} strong /> · {text(bossWithdrawal.fields.net.label)}{' '}
      <MoneyText value={row.net as string} strong />
      <span className="k-quiet"> → {String(row.payee ?? '')}</span>
    </p>
  );
}

const withdrawalSlots: ScreenSlots = {
  dialogAbove: { approve: (row) => <Payout row={row} />, reject: (row) => <Payout row={row} /> },
};

/** Accounts, funds, withdrawals and deposits, each a list of its own. */
function BossAccountScreen() {
  const text = useText();
  const view = useView();
  const as = view.query.get('as') ?? 'accounts';
  const strip = (
    <TabList
      label={text(bossAccount.title)}
      tabs={[
        { key: 'accounts', label: text(['账户', 'Accounts']) },
        { key: 'funds', label: text(['商户资金', 'Funds']) },
        { key: 'withdrawals', label: text(['提现', 'Withdrawals']) },
        { key: 'deposits', label: text(['保证金', 'Deposits']) },
      ]}
      active={as}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'accounts' ? {} : { as: key }))}
    />
  );
  if (as === 'funds')
    return <ScreenOf key="funds" contract={merchantFund} slots={{ ...fundSlots, above: strip }} />;
  if (as === 'withdrawals')
    return (
      <ScreenOf key="withdrawals" contract={bossWithdrawal} slots={{ ...withdrawalSlots, above: strip }} />
    );
  if (as === 'deposits') return <ScreenOf key="deposits" contract={depositEntry} slots={{ above: strip }} />;
  return <ScreenOf key="accounts" contract={bossAccount} slots={{ ...accountSlots, above: strip }} />;
}

/** 老板账户. */
export const screen = { contract: bossAccount, component: BossAccountScreen };
