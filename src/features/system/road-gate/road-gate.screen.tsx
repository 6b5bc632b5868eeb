import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { roadGate } from './road-gate.contract.ts';

const StateLine = lazyPart(() => import('./gate-parts.tsx').then((module) => module.StateLine));
const GateCode = lazyPart(() => import('./gate-parts.tsx').then((module) => module.GateCode));

/** Road gates, with the states of a week above the detail and the code to print. */
function RoadGateScreen() {
  const held = useHeld(roadGate);
  return (
    <ScreenOf
      contract={roadGate}
      slots={{
        detailAbove: (row) => <StateLine row={row} />,
        ...(held('btn_qr') && {
          detailParts: [
            { key: 'qr', label: ['二维码', 'QR code'] as const, render: (row) => <GateCode row={row} /> },
          ],
        }),
      }}
    />
  );
}

/** Road gates. */
export const screen = { contract: roadGate, component: RoadGateScreen };
