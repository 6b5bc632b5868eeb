import { useState } from 'react';
import { Button } from 'antd';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { sensitiveWord } from './sensitive-word.contract.ts';

const TestBox = lazyPart(() => import('./test-box.tsx').then((module) => module.TestBox));
const HitsDrawer = lazyPart(() => import('./hits.tsx').then((module) => module.HitsDrawer));
const HitsTable = lazyPart(() => import('./hits.tsx').then((module) => module.HitsTable));

const RescanDialog = lazyPart(() => import('./rescan-dialog.tsx').then((module) => module.RescanDialog));

const slots: ScreenSlots = { toolbar: <Tools />, cells: { hits: (row) => <HitsCell row={row} /> } };
const withHits: ScreenSlots = {
  ...slots,
  detailParts: [
    { key: 'hits', label: ['命中记录', 'Hits'], render: (row) => <HitsTable word={row.id} days={90} /> },
  ],
};

/** Sensitive words with a box to test texts and the hits of each word. */
function SensitiveWordScreen() {
  const held = useHeld(sensitiveWord);
  return <ScreenOf contract={sensitiveWord} slots={held('btn_hits') ? withHits : slots} />;
}

/** Sensitive words. */
export const screen = { contract: sensitiveWord, component: SensitiveWordScreen };

function Tools() {
  const text = useText();
  const held = useHeld(sensitiveWord);
  const [open, setOpen] = useState<'test' | 'hits' | 'rescan'>();
  const close = () => setOpen(undefined);
  return (
    <>
      {held('btn_test') && (
        <Button type="text" onClick={() => setOpen('test')}>
          {text(['检测文本', 'Test a text'])}
        </Button>
      )}
      {held('btn_hits') && (
        <Button type="text" onClick={() => setOpen('hits')}>
          {text(['命中记录', 'Hits'])}
        </Button>
      )}
      {held('btn_rescan') && (
        <Button type="text" onClick={() => setOpen('rescan')}>
          {text(['重扫内容', 'Look over contents'])}
        </Button>
      )}
      {open === 'test' && <TestBox onClose={close} />}
      {open === 'hits' && <HitsDrawer onClose={close} />}
      {open === 'rescan' && <RescanDialog onClose={close} />}
    </>
  );
}

/** The number of hits; it opens exactly these. */
function HitsCell({ row }: { readonly row: RowData }) {
  const held = useHeld(sensitiveWord);
  const [open, setOpen] = useState(false);
  const count = Number(row.hits ?? 0);
  if (count === 0 || !held('btn_hits')) return thousands(count);
  return (
    <>
      <button type="button" className="k-link" onClick={() => setOpen(true)}>
        {thousands(count)}
      </button>
      {open && <HitsDrawer word={row} onClose={() => setOpen(false)} />}
    </>
  );
}
