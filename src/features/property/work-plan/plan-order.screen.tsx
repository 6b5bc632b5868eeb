import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { orderSlotsAt } from '../work-order/order-slots.tsx';
import { planOrder } from './plan-order.contract.ts';
import { workPlan } from './work-plan.contract.ts';
import { workPoint } from './work-point.contract.ts';
import { daysText } from './days-text.ts';
import './work-plan.css';

const Round = lazyPart(() => import('./plan-parts.tsx').then((module) => module.RoundPart));
const PointInput = lazyPart(() => import('./plan-parts.tsx').then((module) => module.PointInput));
const PositionInput = lazyPart(() => import('./plan-parts.tsx').then((module) => module.PositionInput));
const DaysInput = lazyPart(() => import('./plan-parts.tsx').then((module) => module.DaysInput));
const Calendar = lazyPart(() => import('./plan-calendar.tsx').then((module) => module.PlanCalendar));
const QrDialog = lazyPart(() => import('./point-qr.tsx').then((module) => module.QrDialog));

const shared = orderSlotsAt(rootOf(planOrder));

const orderSlots: ScreenSlots = {
  ...(shared.detailAbove ? { detailAbove: shared.detailAbove } : {}),
  inputs: {
    handler: shared.inputs!.handler!,
    to: shared.inputs!.to!,
    point: (props) => <PointInput {...props} />,
    position: (props) => <PositionInput {...props} />,
  },
  detailParts: [{ key: 'points', label: ['点位', 'Points'], render: (row) => <Round row={row} /> }],
};

const planSlots: ScreenSlots = {
  cells: { days: (row) => <Days cycle={String(row.cycle)} days={String(row.days ?? '')} /> },
  inputs: { days: (props) => <DaysInput {...props} /> },
  detailParts: [
    {
      key: 'calendar',
      label: ['未来30天', 'Next 30 days'],
      render: (row) => <Calendar key={row.id} plan={row.id} />,
    },
  ],
};

const pointSlots: ScreenSlots = { actionScreens: { qr: (props) => <QrDialog {...props} /> } };

function Days({ cycle, days }: { readonly cycle: string; readonly days: string }) {
  const text = useText();
  return text(daysText(cycle, days));
}

/** Orders, the plans that make them, the next 30 days, and the points, as tabs. */
function PlanOrders() {
  const text = useText();
  const view = useView();
  const held = useHeld(planOrder);
  const tabs = [
    { key: 'orders', label: text(['工单', 'Orders']) },
    { key: 'plans', label: text(workPlan.title) },
    { key: 'calendar', label: text(['日历', 'Calendar']) },
    ...(held('btn_point') || held('btn_plan') ? [{ key: 'points', label: text(workPoint.title) }] : []),
  ];
  const part = tabs.find((tab) => tab.key === view.query.get('part'))?.key ?? 'orders';
  const strip = (
    <TabList
      label={text(planOrder.title)}
      className="wp-tabs"
      tabs={tabs}
      active={part}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'orders' ? {} : { part: key }))}
    />
  );
  switch (part) {
    case 'plans':
      return (
        <ScreenOf
          key={part}
          contract={workPlan}
          slots={{ ...planSlots, createWith: { validFrom: businessDayOf(new Date()) }, above: strip }}
        />
      );
    case 'points':
      return <ScreenOf key={part} contract={workPoint} slots={{ ...pointSlots, above: strip }} />;
    case 'calendar':
      return (
        <div className="k-screen wp-screen">
          <PageTitle title={planOrder.title} purpose={planOrder.purpose} />
          {strip}
          <Calendar />
        </div>
      );
    default:
      return <ScreenOf key={part} contract={planOrder} slots={{ ...orderSlots, above: strip }} />;
  }
}

/** 计划工单. */
export const screen = { contract: planOrder, component: PlanOrders };
