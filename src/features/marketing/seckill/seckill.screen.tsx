import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { useText } from '../../../kernel/client/language.ts';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { SeckillCheck } from '../../../domain/seckill/seckill.rules.ts';
import { seckillActivity, SECKILL_MENU } from './seckill.contract.ts';

const Checks = lazyPart(() => import('./seckill-checks.tsx').then((module) => module.Checks));
const RulesAndChecks = lazyPart(() => import('./seckill-checks.tsx').then((module) => module.RulesAndChecks));
const SeckillCalendar = lazyPart(() =>
  import('./seckill-calendar.tsx').then((module) => module.SeckillCalendar),
);
const SessionTools = lazyPart(() => import('./seckill-tools.tsx').then((module) => module.SessionTools));
const PriceTools = lazyPart(() => import('./seckill-tools.tsx').then((module) => module.PriceTools));
const LiveBoard = lazyPart(() => import('./seckill-parts.tsx').then((module) => module.LiveBoard));
const Movements = lazyPart(() => import('./seckill-parts.tsx').then((module) => module.Movements));
const Verification = lazyPart(() => import('./seckill-parts.tsx').then((module) => module.Verification));

/** The checks a detail brought, above its facts. */
export const checksAbove = (row: RowData) => (
  <Checks checks={(row.checks ?? []) as readonly SeckillCheck[]} />
);

const slots: ScreenSlots = {
  detailAbove: checksAbove,
  dialogWith: { retouch: (row) => ({ name: row.name, rulesText: row.rulesText }) },
  inputs: {
    rulesText: (props) => <RulesAndChecks {...props} />,
    sessionTools: () => <SessionTools />,
    priceTools: () => <PriceTools />,
  },
  detailParts: [
    { key: 'live', label: ['实时看板', 'Live board'], render: (row) => <LiveBoard row={row} /> },
    {
      key: 'movements',
      label: ['库存流水', 'Stock movements'],
      render: (row) => <Movements id={String(row.id)} />,
    },
  ],
};
const withVerification: ScreenSlots = {
  ...slots,
  detailParts: [
    ...slots.detailParts!,
    { key: 'verify', label: ['核对', 'Verification'], render: (row) => <Verification id={String(row.id)} /> },
  ],
};

/** The list, or the week as a calendar. */
function SeckillScreen() {
  const text = useText();
  const view = useView();
  const held = useHeld(seckillActivity);
  const own = held('btn_verify') ? withVerification : slots;
  if (view.menu !== SECKILL_MENU) return <ScreenOf contract={seckillActivity} slots={own} />;
  const asCalendar = view.query.get('as') === 'calendar';
  const above = (
    <TabList
      label={text(seckillActivity.title)}
      tabs={[
        { key: 'list', label: text(['列表', 'List']) },
        { key: 'calendar', label: text(['日历', 'Calendar']) },
      ]}
      active={asCalendar ? 'calendar' : 'list'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'calendar' ? { as: key } : {}))}
    />
  );
  if (!asCalendar) return <ScreenOf contract={seckillActivity} slots={{ ...own, above }} />;
  return (
    <div className="k-screen">
      <h1>{text(seckillActivity.title)}</h1>
      {above}
      <SeckillCalendar />
    </div>
  );
}

/** 秒杀活动: the list, and its add, edit and detail pages. */
export const screen = { contract: seckillActivity, component: SeckillScreen };
