import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { passLog } from './pass-log.contract.ts';

const PassPhoto = lazyPart(() => import('./pass-photo.tsx').then((module) => module.PassPhoto));

/** Passages; the photo of one is asked for on its own, as looking at it is written down. */
function PassLogScreen() {
  const held = useHeld(passLog);
  return (
    <ScreenOf
      contract={passLog}
      slots={held('btn_photo') ? { detailAbove: (row) => <PassPhoto key={row.id} row={row} /> } : {}}
    />
  );
}

/** Module of cs_passLog. */
export const screen = { contract: passLog, component: PassLogScreen };
