import { Tabs } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf, ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessCalendar } from './business-calendar.contract.ts';
import { dispatchRule } from './dispatch-rule.contract.ts';
import { maintenance } from './maintenance.contract.ts';
import { material } from './material.contract.ts';
import { slaPolicy } from './sla-policy.contract.ts';
import { workCategory } from './work-category.contract.ts';
import { weekGroups, WEEKDAYS, type WeekHours } from './week.rules.ts';
import './maintenance.css';

const Board = lazyPart(() => import('./board.tsx').then((module) => module.BoardPart), <ScreenWaits />);

const PARTS = {
  board: ['派单台', 'Dispatch'],
  categories: ['报修分类', 'Categories'],
  sla: ['时效策略', 'SLA'],
  calendars: ['工作日历', 'Calendars'],
  rules: ['派单规则', 'Rules'],
  materials: ['材料', 'Materials'],
} as const satisfies Readonly<Record<string, Label>>;
type Part = keyof typeof PARTS;

const materialSlots: ScreenSlots = {
  cells: {
    stock: (row) => (
      <span className={Number(row.stock) === 0 ? 'k-number k-problem' : 'k-number'}>{String(row.stock)}</span>
    ),
  },
};

const calendarSlots: ScreenSlots = {
  cells: { hours: (row) => <Week hours={(row.hours as readonly WeekHours[] | null) ?? []} /> },
};

/** The dispatcher's workplace: the board, and what decides who gets an order and by when. */
function MaintenanceScreen() {
  const text = useText();
  const view = useView();
  const wanted = view.query.get('part') ?? '';
  const part: Part = wanted in PARTS ? (wanted as Part) : 'board';
  // Filters of one list mean nothing to another.
  const show = (next: string) => view.setQuery(new URLSearchParams(next === 'board' ? {} : { part: next }));
  return (
    <div className="mt-screen">
      <Tabs
        className="mt-tabs"
        size="small"
        activeKey={part}
        onChange={show}
        items={Object.entries(PARTS).map(([key, label]) => ({ key, label: text(label) }))}
      />
      <PartOf key={part} part={part} />
    </div>
  );
}

function PartOf({ part }: { readonly part: Part }) {
  switch (part) {
    case 'categories':
      return <ScreenOf contract={workCategory} />;
    case 'sla':
      return <ScreenOf contract={slaPolicy} />;
    case 'calendars':
      return <ScreenOf contract={businessCalendar} slots={calendarSlots} />;
    case 'rules':
      return <ScreenOf contract={dispatchRule} />;
    case 'materials':
      return <ScreenOf contract={material} slots={materialSlots} />;
    default:
      return <Board />;
  }
}

/** Days of the same hours that follow each other stand together: 周一至周五 09:00–12:00 13:30–18:00. */
function Week({ hours }: { readonly hours: readonly WeekHours[] }) {
  const text = useText();
  return weekGroups(hours)
    .map(({ from, to, spans }) => {
      const days =
        from === to
          ? text(WEEKDAYS[from]!)
          : `${text(WEEKDAYS[from]!)}${text(['至', '–'])}${text(WEEKDAYS[to]!)}`;
      return `${days} ${spans}`;
    })
    .join(text(['；', '; ']));
}

/** 报修管理. */
export const screen = { contract: maintenance, component: MaintenanceScreen };
