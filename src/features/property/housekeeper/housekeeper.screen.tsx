import './housekeeper.css';
import { useState } from 'react';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { housekeeper, housekeeperGap } from './housekeeper.contract.ts';

const PlacesDialog = lazyPart(() => import('./places-dialog.tsx').then((module) => module.PlacesDialog));
const QrPart = lazyPart(() => import('./qr-part.tsx').then((module) => module.QrPart));
const QrDialog = lazyPart(() => import('./qr-part.tsx').then((module) => module.QrDialog));

/** The code of a row, for whoever may hand it out. */
function HeldQr({ row }: { readonly row: RowData }) {
  const text = useText();
  return useHeld(housekeeper)('btn_qr') ? (
    <QrPart row={row} />
  ) : (
    <p className="k-quiet">{text(['您没有查看此内容的权限', 'You have no permission for this'])}</p>
  );
}

const slots: ScreenSlots = {
  cells: { qr: (row) => <QrLink row={row} /> },
  actionScreens: {
    assign: ({ row, close, done }) =>
      row && <PlacesDialog mode="assign" row={row} onClose={close} onDone={() => done([row.id])} />,
    transfer: ({ row, close, done }) =>
      row && <PlacesDialog mode="transfer" row={row} onClose={close} onDone={() => done([row.id])} />,
  },
  detailParts: [
    { key: 'qr', label: ['二维码', 'QR code'], render: (row) => <HeldQr key={row.id} row={row} /> },
  ],
};

function QrLink({ row }: { readonly row: RowData }) {
  const text = useText();
  const held = useHeld(housekeeper);
  const [open, setOpen] = useState(false);
  if (!held('btn_qr')) return null;
  return (
    <>
      <button type="button" className="k-link" onClick={() => setOpen(true)}>
        {text(['查看', 'View'])}
      </button>
      {open && <QrDialog row={row} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Housekeepers, and what nobody looks after. */
function HousekeeperScreen() {
  const text = useText();
  const view = useView();
  const gaps = view.query.get('as') === 'coverage';
  const strip = (
    <TabList
      label={text(housekeeper.title)}
      className="housekeeper-tabs"
      tabs={[
        { key: 'people', label: text(['管家', 'Housekeepers']) },
        { key: 'coverage', label: text(housekeeperGap.title) },
      ]}
      active={gaps ? 'coverage' : 'people'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'coverage' ? { as: 'coverage' } : {}))}
    />
  );
  return gaps ? (
    <ScreenOf key="coverage" contract={housekeeperGap} slots={{ above: strip }} />
  ) : (
    <ScreenOf key="people" contract={housekeeper} slots={{ ...slots, above: strip }} />
  );
}

/** 管家管理. */
export const screen = { contract: housekeeper, component: HousekeeperScreen };
