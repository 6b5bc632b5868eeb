import { useMemo } from 'react';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { businessPerson } from './business-person.contract.ts';
import { businessMarks, businessReport } from './business-report.contract.ts';
import { businessTarget } from './business-target.contract.ts';
import { MonthReport, RowLink } from './month-report.tsx';

const TargetGrid = lazyPart(() => import('./target-grid.tsx').then((module) => module.TargetGrid));
const Holdings = lazyPart(() => import('./person-parts.tsx').then((module) => module.HoldingsOf));
const Months = lazyPart(() => import('./person-parts.tsx').then((module) => module.PersonMonthsChart));
const Clients = lazyPart(() => import('./person-parts.tsx').then((module) => module.PersonClients));
const Follows = lazyPart(() => import('./person-parts.tsx').then((module) => module.PersonFollows));
const Moves = lazyPart(() => import('./person-parts.tsx').then((module) => module.PersonMoves));

const PARTS: readonly { readonly key: string; readonly label: Label }[] = [
  { key: 'people', label: businessPerson.title },
  { key: 'targets', label: businessTarget.title },
  { key: 'performance', label: ['业绩', 'Performance'] },
];

const staffOf = (row: RowData) => (row.staff as { readonly id: string }).id;

const slots: ScreenSlots = {
  dialogAbove: { handover: (row) => <Holdings id={row.id} /> },
  detailParts: [
    { key: 'clients', label: ['客户', 'Clients'], render: (row) => <Clients staff={staffOf(row)} /> },
    {
      key: 'months',
      label: ['逐月目标', 'Targets by month'],
      render: (row) => <Months staff={staffOf(row)} />,
    },
    { key: 'follows', label: ['跟进', 'Follow-ups'], render: (row) => <Follows staff={staffOf(row)} /> },
    { key: 'moves', label: ['归属记录', 'Assignments'], render: (row) => <Moves staff={staffOf(row)} /> },
  ],
};

/** 招商人员: the people, their targets, and what they won with the rows behind it. */
function People() {
  const text = useText();
  const view = useView();
  const part = view.query.get('part') ?? 'people';
  const strip = useMemo(
    () => (
      <TabList
        label={text(businessPerson.title)}
        tabs={PARTS.map(({ key, label }) => ({ key, label: text(label) }))}
        active={part === 'rows' ? 'performance' : part}
        onChange={(key) => view.setQuery(new URLSearchParams(key === 'people' ? {} : { part: key }))}
      />
    ),
    [text, view, part],
  );
  if (part === 'targets')
    return (
      <ScreenOf
        key={part}
        contract={businessTarget}
        slots={{
          above: (
            <>
              {strip}
              <TargetGrid />
            </>
          ),
        }}
      />
    );
  if (part === 'performance')
    return <MonthReport key={part} contract={businessReport} slots={{ above: strip }} />;
  if (part === 'rows')
    return (
      <MonthReport
        key={part}
        contract={businessMarks}
        slots={{ above: strip, cells: { code: (row) => <RowLink row={row} /> } }}
      />
    );
  return <ScreenOf key="people" contract={businessPerson} slots={{ ...slots, above: strip }} />;
}

/** 招商人员. */
export const screen = { contract: businessPerson, component: People };
