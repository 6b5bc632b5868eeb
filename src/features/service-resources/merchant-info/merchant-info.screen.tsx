import { useEffect, useEffectEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf, type PageAnswer } from '../../../kernel/client/wire.ts';
import { SaidTwice, StateReason } from '../merchant/merchant-words.tsx';
import { merchantChange } from './merchant-change.contract.ts';
import { merchantInfo } from './merchant-info.contract.ts';

const Checklist = lazyPart(() => import('./merchant-terms.tsx').then((module) => module.Checklist));
const Calculator = lazyPart(() => import('./merchant-terms.tsx').then((module) => module.Calculator));
const Funds = lazyPart(() => import('./merchant-funds.tsx').then((module) => module.Funds));

/** Where returned goods go stands on its own screen. */
function ReturnAddresses({ id }: { readonly id: string }) {
  const text = useText();
  const view = useView();
  return (
    <p>
      {text([
        '退货与发货地址在售后管理中维护：',
        'Addresses for returns and parcels are kept with after-sales: ',
      ])}
      <button
        type="button"
        className="k-link"
        onClick={() => view.open(`/afterSalesManage/am_businessAddress?merchant=${id}`)}
      >
        {text(['打开退货地址', 'Open return addresses'])}
      </button>
    </p>
  );
}

const WalletLeft = lazyPart(() => import('./merchant-funds.tsx').then((module) => module.WalletLeft));

/** What is asked for stands in both languages. */
const changeSlots: ScreenSlots = {
  cells: {
    before: (row) => <SaidTwice value={row.before} />,
    after: (row) => <SaidTwice value={row.after} />,
  },
};

const slots: ScreenSlots = {
  cells: { stateReason: (row) => <StateReason value={row.stateReason} /> },
  parts: { changes: changeSlots },
  dialogAbove: { withdraw: (row) => <WalletLeft contract={merchantInfo} id={row.id} /> },
  detailParts: [
    {
      key: 'checklist',
      label: ['开业条件与收款', 'Checklist and payee'],
      render: (row) => <Checklist id={row.id} />,
    },
    {
      key: 'calculator',
      label: ['佣金试算', 'Commission calculator'],
      render: (row) => <Calculator id={row.id} />,
    },
    {
      key: 'returns',
      label: ['退货地址', 'Return addresses'],
      render: (row) => <ReturnAddresses id={row.id} />,
    },
    {
      key: 'funds',
      label: ['资金', 'Money'],
      render: (row) => <Funds contract={merchantInfo} id={row.id} />,
    },
  ],
};

/** A merchant comes to its own page at once; others choose one from the list, or look through what merchants ask to have changed. */
function MerchantInfoScreen() {
  const text = useText();
  const view = useView();
  const asChanges = view.query.get('as') === 'changes';
  const listed = view.params.id === undefined && !asChanges;
  const { data } = useQuery({
    queryKey: [merchantInfo.name, 'own'],
    enabled: listed,
    queryFn: async ({ signal }) => {
      const own = await call<{ tenantId: string; tenantType: number }>(
        'GET',
        '/api/jinmao/web/baseTenant/getUserInfo',
        { signal, quiet: true },
      );
      if (own.tenantType !== 2) return null;
      const page = await call<PageAnswer>('GET', `${rootOf(merchantInfo)}/page?limit=1`, {
        signal,
        quiet: true,
      });
      return page.rows[0]?.id ?? null;
    },
  });
  const open = useEffectEvent((id: string) => view.open(`${view.path}/${id}`));
  useEffect(() => {
    // The page itself finds the answer of the list in the cache.
    if (listed && data && view.active) open(data);
  }, [listed, data, view.active]);
  if (view.params.id !== undefined) return <ScreenOf contract={merchantInfo} slots={slots} />;
  const strip = (
    <TabList
      label={text(merchantInfo.title)}
      tabs={[
        { key: 'merchants', label: text(['商户', 'Merchants']) },
        { key: 'changes', label: text(merchantChange.title) },
      ]}
      active={asChanges ? 'changes' : 'merchants'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'merchants' ? {} : { as: key }))}
    />
  );
  return asChanges ? (
    <ScreenOf key="changes" contract={merchantChange} slots={{ ...changeSlots, above: strip }} />
  ) : (
    <ScreenOf key="merchants" contract={merchantInfo} slots={{ ...slots, above: strip }} />
  );
}

/** 商户信息, mounted by groups 3 and 8. */
export const screen = { contract: merchantInfo, component: MerchantInfoScreen };
