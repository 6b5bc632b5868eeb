import { useEffect, useState } from 'react';
import { Button } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Report } from '../../../kernel/contract/report.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { bill, billingRun, prepaidAccount } from './bill.contract.ts';
import { collection } from './collection.contract.ts';
import { owingHouse } from './dunning.contract.ts';
import { discountRule } from './discount.contract.ts';
import { feeAssignment, feeItem, lateFeePolicy } from './fee-item.contract.ts';
import { meter, meterReading } from './meter.contract.ts';
import { vacancy } from './vacancy.contract.ts';
import { HouseLink } from '../house/house-link.tsx';
import './charging.css';
import { keysOf } from '../../../kernel/client/wire.ts';

const RoomBill = lazyPart(() => import('./room-bill.tsx').then((module) => module.RoomBill));
const FormulaInput = lazyPart(() => import('./formula-input.tsx').then((module) => module.FormulaInput));
const LateFeeTrial = lazyPart(() => import('./late-fee-trial.tsx').then((module) => module.LateFeeTrial));
const BillWorking = lazyPart(() => import('./bill-working.tsx').then((module) => module.BillWorking));
const ReadingGrid = lazyPart(() => import('./reading-grid.tsx').then((module) => module.ReadingGrid));
const NoticePrint = lazyPart(() => import('./notice-print.tsx').then((module) => module.NoticePrint));
const DunningText = lazyPart(() => import('./dunning-preview.tsx').then((module) => module.DunningText));
const RunPlan = lazyPart(() => import('./run-plan.tsx').then((module) => module.RunPlan));

interface Tab {
  readonly key: string;
  readonly element: string;
  readonly label: Label;
  readonly contract?: Resource | Report;
  readonly slots?: ScreenSlots;
}

/** Rows of a house lead to its card. */
const onHouse: ScreenSlots = {
  cells: { house: (row) => <HouseLink house={row.house as RefValue | null} /> },
};

/** Bills: with those of a table, and what houses are asked for on paper. */
const billSlots: ScreenSlots = {
  ...onHouse,
  toolbar: (
    <ImportButton
      element="cs_propertyChargingBill:btn_import"
      choice={{ source: 'bill', resource: 'bill', title: ['账单', 'Bills'] }}
    />
  ),
  actionScreens: { print: (props) => <NoticePrint {...props} /> },
  detailParts: [
    {
      key: 'working',
      label: ['计算过程', 'How it was calculated'],
      render: (row) => <BillWorking key={row.id} row={row} />,
    },
  ],
};

/** Meters: all of a place are read one behind the other. */
const meterSlots: ScreenSlots = {
  ...onHouse,
  toolbar: <ReadMeters />,
  dialogWith: { replace: () => ({ on: businessDayOf(new Date()) }) },
};

function ReadMeters() {
  const text = useText();
  const held = useHeld(meter);
  const fresh = useQueryClient();
  const [open, setOpen] = useState(false);
  if (!held('btn_reading')) return null;
  return (
    <>
      <Button type="primary" onClick={() => setOpen(true)}>
        {text(['批量抄表', 'Read meters'])}
      </Button>
      {open && (
        <ReadingGrid
          close={() => setOpen(false)}
          done={() => {
            setOpen(false);
            void fresh.invalidateQueries({ queryKey: keysOf.all(meter.name) });
          }}
        />
      )}
    </>
  );
}

/** Readings also come as a table. */
const readingSlots: ScreenSlots = {
  ...onHouse,
  toolbar: (
    <ImportButton
      element="cs_propertyChargingBill:btn_reading"
      choice={{ source: 'meterReading', resource: 'meterReading', title: ['抄表记录', 'Readings'] }}
    />
  ),
};

/** Money is put on an account where everything is collected. */
function TopUp({ row, close }: ActionScreenProps) {
  const view = useView();
  const house = (row?.house as RefValue | null)?.id;
  useEffect(() => {
    close();
    if (house) view.open(`/companymanager/cs_propertyChargingBill?part=room&house=${house}`);
  }, []); // eslint-disable-line react-hooks/exhaustive-deps
  return null;
}

/** The house opens the account in the list: its card is a step behind it. */
const prepaidSlots: ScreenSlots = {
  detailAbove: (row) => (
    <p>
      <HouseLink house={row.house as RefValue | null} />
    </p>
  ),
  actionScreens: { topup: (props) => <TopUp {...props} /> },
};

/** The tabs in their order; each needs its element. */
const TABS: readonly Tab[] = [
  { key: 'bills', element: 'btn_tab_bills', label: ['账单', 'Bills'], contract: bill, slots: billSlots },
  { key: 'room', element: 'btn_tab_room', label: ['房间账单', 'Room bill'] },
  {
    key: 'items',
    element: 'btn_tab_items',
    label: feeItem.title,
    contract: feeItem,
    slots: { inputs: { expression: (props) => <FormulaInput {...props} /> } },
  },
  {
    key: 'assignments',
    element: 'btn_tab_assignments',
    label: feeAssignment.title,
    contract: feeAssignment,
    slots: onHouse,
  },
  {
    key: 'runs',
    element: 'btn_tab_runs',
    label: billingRun.title,
    contract: billingRun,
    slots: {
      detailParts: [
        { key: 'plan', label: ['预览', 'Preview'], render: (row) => <RunPlan key={row.id} row={row} /> },
      ],
    },
  },
  {
    key: 'lateFees',
    element: 'btn_tab_lateFees',
    label: ['滞纳金', 'Late fees'],
    contract: lateFeePolicy,
    slots: { inputs: { monthCap: (props) => <LateFeeTrial {...props} /> } },
  },
  { key: 'discounts', element: 'btn_tab_discounts', label: discountRule.title, contract: discountRule },
  {
    key: 'vacancies',
    element: 'btn_tab_discounts',
    label: vacancy.title,
    contract: vacancy,
    slots: onHouse,
  },
  { key: 'meters', element: 'btn_tab_meters', label: meter.title, contract: meter, slots: meterSlots },
  {
    key: 'readings',
    element: 'btn_tab_meters',
    label: meterReading.title,
    contract: meterReading,
    slots: readingSlots,
  },
  {
    key: 'prepaid',
    element: 'btn_tab_prepaid',
    label: prepaidAccount.title,
    contract: prepaidAccount,
    slots: prepaidSlots,
  },
  {
    key: 'dunning',
    element: 'btn_tab_dunning',
    label: owingHouse.title,
    contract: owingHouse,
    slots: {
      cells: { place: (row) => <HouseLink house={{ id: row.id, title: String(row.place) }} /> },
      inputs: { template: (props) => <DunningText {...props} /> },
    },
  },
  {
    key: 'collection',
    element: 'btn_tab_collection',
    label: collection.title,
    contract: collection,
  },
];

/** The charging page: bills, the cashier's workplace, and what makes bills. */
function Charging() {
  const text = useText();
  const view = useView();
  const held = useHeld(bill);
  const shown = TABS.filter((tab) => held(tab.element));
  const tab = shown.find((one) => one.key === view.query.get('part')) ?? shown[0];
  const strip = (
    <TabList
      label={text(bill.title)}
      className="charging-tabs"
      tabs={shown.map(({ key, label }) => ({ key, label: text(label) }))}
      active={tab?.key}
      onChange={(key) => view.setQuery(new URLSearchParams(key === shown[0]?.key ? {} : { part: key }))}
    />
  );
  if (tab?.contract)
    return (
      <ScreenOf
        key={tab.key}
        contract={tab.contract}
        slots={{
          ...tab.slots,
          ...(tab.key === 'runs' && { createWith: { month: businessDayOf(new Date()) } }),
          above: strip,
        }}
      />
    );
  return (
    <div className="k-screen">
      <PageTitle title={bill.title} purpose={bill.purpose} />
      {strip}
      {tab ? (
        <RoomBill />
      ) : (
        <p className="k-quiet">{text(['没有可用的页签', 'None of the tabs may be used'])}</p>
      )}
    </div>
  );
}

/** 物业收费账单. */
export const screen = { contract: bill, component: Charging };
