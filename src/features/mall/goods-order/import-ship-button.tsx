import { useState } from 'react';
import { Button } from 'antd';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { goodsOrder } from './goods-order.contract.ts';

const ImportDialog = lazyPart(() =>
  import('./order-import-dialog.tsx').then((module) => module.ImportDialog),
);

/** 导入发货: opens the import. */
export function ImportShipButton() {
  const text = useText();
  const held = useHeld(goodsOrder);
  const [open, setOpen] = useState(false);
  if (!held('btn_importShip')) return null;
  return (
    <>
      <Button size="small" icon={<Icon name="upload" />} onClick={() => setOpen(true)}>
        {text(goodsOrder.elements!.btn_importShip!)}
      </Button>
      {open && <ImportDialog close={() => setOpen(false)} />}
    </>
  );
}
