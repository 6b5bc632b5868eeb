import '../../../kernel/client/tree/split-screen.css';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { cappedCount, moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import type { ResourceSpec } from '../../../kernel/contract/resource.ts';
import { StateReason } from './merchant-words.tsx';

const Versions = lazyPart(() =>
  import('./agreement-versions.tsx').then((module) => module.AgreementVersions),
);

const Checklist = lazyPart(() =>
  import('./merchant-checklist.tsx').then((module) => module.MerchantChecklist),
);
const Blockers = lazyPart(() => import('./merchant-blockers.tsx').then((module) => module.Blockers));
const OpenOrders = lazyPart(() => import('./merchant-blockers.tsx').then((module) => module.OpenOrders));
const Funds = lazyPart(() => import('../merchant-info/merchant-funds.tsx').then((module) => module.Funds));
const Business = lazyPart(() => import('./merchant-blockers.tsx').then((module) => module.Business));

/** What the three lists of merchants show beside their contract: any two versions of an agreement beside each other. */
export const merchantSlots = (
  contract: ResourceSpec,
  agreement: ResourceSpec,
  more: ScreenSlots = {},
): ScreenSlots => ({
  ...more,
  cells: {
    // Red while less is held than the agreement asks.
    depositHeld: (row) => (
      <span className={Number(row.depositHeld) < Number(row.depositRequired) ? 'k-number k-bad' : 'k-number'}>
        {moneyText(row.depositHeld as string | null)}
      </span>
    ),
    stateReason: (row) => <StateReason value={row.stateReason} />,
    ...more.cells,
  },
  // What is missing, or left, stands there before the button is pressed.
  dialogAbove: {
    activate: (row) => <Checklist contract={contract} id={row.id} />,
    finishClosing: (row) => <Blockers contract={contract} id={row.id} />,
    disable: (row) => <OpenOrders contract={contract} id={row.id} />,
    ...more.dialogAbove,
  },
  detailParts: [
    {
      key: 'checklist',
      label: ['开业条件', 'Before opening'],
      render: (row) => <Checklist contract={contract} id={row.id} />,
    },
    {
      key: 'versions',
      label: ['版本对比', 'Compare versions'],
      render: (row) => <Versions agreement={agreement} merchant={row.id} />,
    },
    {
      key: 'business',
      label: ['商品、订单与账号', 'Business'],
      render: (row) => <Business contract={contract} id={row.id} />,
    },
    {
      key: 'funds',
      label: ['资金', 'Money'],
      render: (row) => <Funds contract={contract} id={row.id} />,
    },
    {
      key: 'blockers',
      label: ['清退检查', 'Before closing'],
      render: (row) => <Blockers contract={contract} id={row.id} />,
    },
  ],
});

/** Figures over a list; each shows its rows, a second click shows all. */
export function MerchantFigures({
  contract,
  tabs,
}: {
  readonly contract: ResourceSpec;
  readonly tabs: readonly string[];
}) {
  const text = useText();
  const view = useView();
  const { data } = useQuery({
    queryKey: keysOf.counts(contract.name, {}),
    queryFn: ({ signal }) =>
      call<Record<string, number>>('GET', `${rootOf(contract)}/counts`, { signal, quiet: true }),
  });
  const active = view.query.get('tab');
  const show = (tab: string) => view.setQuery(new URLSearchParams(tab === active ? {} : { tab }));
  return (
    <div className="head-figures">
      {(contract.list.tabs ?? [])
        .filter((tab) => tabs.includes(tab.key))
        .map((tab) => (
          <button key={tab.key} type="button" aria-pressed={tab.key === active} onClick={() => show(tab.key)}>
            <strong>{data ? cappedCount(data[tab.key] ?? 0) : '–'}</strong>
            <span className="k-quiet k-small">{text(tab.label)}</span>
          </button>
        ))}
    </div>
  );
}
