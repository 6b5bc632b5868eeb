import '../butler.css';
import { useState } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { butlerCoverage, butlerHandover, butlerInfo } from './information.contract.ts';

const QrCard = lazyPart(() => import('./qr-cards.tsx').then((module) => module.QrCard));
const QrCardDialog = lazyPart(() => import('./qr-cards.tsx').then((module) => module.QrCardDialog));
const QrArchive = lazyPart(() => import('./qr-cards.tsx').then((module) => module.QrArchive));
const DayWithLoad = lazyPart(() => import('./handover-load.tsx').then((module) => module.DayWithLoad));
const LeaveDay = lazyPart(() => import('./leave-day.tsx').then((module) => module.LeaveDay));
const CoverageMatrix = lazyPart(() =>
  import('./coverage-matrix.tsx').then((module) => module.CoverageMatrix),
);

/** The code of a butler, for whoever may hand it out. */
function HeldQr({ row }: { readonly row: RowData }) {
  const text = useText();
  return useHeld(butlerInfo)('btn_qr') ? (
    <QrCard row={row} />
  ) : (
    <p className="k-quiet">{text(['您没有查看此内容的权限', 'You have no permission for this'])}</p>
  );
}

function QrLink({ row }: { readonly row: RowData }) {
  const text = useText();
  const held = useHeld(butlerInfo);
  const [open, setOpen] = useState(false);
  if (!held('btn_qr')) return null;
  return (
    <>
      <button type="button" className="k-link" onClick={() => setOpen(true)}>
        {text(['查看', 'View'])}
      </button>
      {open && <QrCardDialog row={row} onClose={() => setOpen(false)} />}
    </>
  );
}

const slots: ScreenSlots = {
  cells: { qr: (row) => <QrLink row={row} /> },
  inputs: {
    handoverDay: (props: SlotInputProps) => <DayWithLoad {...props} />,
    standInFrom: (props: SlotInputProps) => <LeaveDay {...props} end="from" />,
    standInTo: (props: SlotInputProps) => <LeaveDay {...props} end="to" />,
  },
  actionScreens: { qr: ({ rows, close }) => <QrArchive rows={rows} onClose={close} /> },
  detailParts: [
    { key: 'qr', label: ['二维码', 'QR code'], render: (row) => <HeldQr key={row.id} row={row} /> },
  ],
};

/** Butlers, what they cover, and handovers. */
function InformationScreen() {
  const text = useText();
  const view = useView();
  const as = view.query.get('as');
  const active = as === 'coverage' || as === 'handovers' ? as : 'butlers';
  const strip = (
    <TabList
      label={text(butlerInfo.title)}
      className="bt-tabs"
      tabs={[
        { key: 'butlers', label: text(['管家', 'Butlers']) },
        { key: 'coverage', label: text(butlerCoverage.title) },
        { key: 'handovers', label: text(butlerHandover.title) },
      ]}
      active={active}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'butlers' ? {} : { as: key }))}
    />
  );
  if (active === 'handovers')
    return <ScreenOf key={active} contract={butlerHandover} slots={{ above: strip }} />;
  if (active === 'coverage')
    return (
      <ScreenOf
        key={active}
        contract={butlerCoverage}
        slots={{
          above: (
            <>
              {strip}
              <CoverageMatrix />
            </>
          ),
        }}
      />
    );
  return <ScreenOf key={active} contract={butlerInfo} slots={{ ...slots, above: strip }} />;
}

/** Module of butler_information. */
export const screen = { contract: butlerInfo, component: InformationScreen };
