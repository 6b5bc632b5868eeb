import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { SeckillCheck } from '../../../domain/seckill/seckill.rules.ts';
import { seckillActivity } from './seckill.contract.ts';

const Checks = lazyPart(() => import('./seckill-checks.tsx').then((module) => module.Checks));
const RulesAndChecks = lazyPart(() => import('./seckill-checks.tsx').then((module) => module.RulesAndChecks));
const LiveBoard = lazyPart(() => import('./seckill-parts.tsx').then((module) => module.LiveBoard));
const Movements = lazyPart(() => import('./seckill-parts.tsx').then((module) => module.Movements));
const Verification = lazyPart(() => import('./seckill-parts.tsx').then((module) => module.Verification));

/** The checks a detail brought, above its facts. */
export const checksAbove = (row: RowData) => (
  <Checks checks={(row.checks ?? []) as readonly SeckillCheck[]} />
);

const slots: ScreenSlots = {
  detailAbove: checksAbove,
  inputs: {
    rulesText: (props) => <RulesAndChecks {...props} />,
  },
  detailParts: [
    { key: 'live', label: ['实时看板', 'Live board'], render: (row) => <LiveBoard row={row} /> },
    {
      key: 'movements',
      label: ['库存流水', 'Stock movements'],
      render: (row) => <Movements id={String(row.id)} />,
    },
  ],
};
const withVerification: ScreenSlots = {
  ...slots,
  detailParts: [
    ...slots.detailParts!,
    { key: 'verify', label: ['核对', 'Verification'], render: (row) => <Verification id={String(row.id)} /> },
  ],
};

function SeckillScreen() {
  const held = useHeld(seckillActivity);
  return <ScreenOf contract={seckillActivity} slots={held('btn_verify') ? withVerification : slots} />;
}

/** 秒杀活动: the list, and its add, edit and detail pages. */
export const screen = { contract: seckillActivity, component: SeckillScreen };
