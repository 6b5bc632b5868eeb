import { useEffect, useEffectEvent } from 'react';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import { SourcedModes } from '../sourced-modes.tsx';
import { packageOrder } from './package-order.contract.ts';
import { planText } from './plan-text.rules.ts';

const PlanInput = lazyPart(() => import('./package-order-inputs.tsx').then((module) => module.PlanInput));
const ItemInput = lazyPart(() => import('./package-order-inputs.tsx').then((module) => module.ItemInput));
const Items = lazyPart(() => import('./package-order-inputs.tsx').then((module) => module.Items));
const Calculation = lazyPart(() => import('./package-order-inputs.tsx').then((module) => module.Calculation));

const Figures = lazyPart(() => import('./package-order-figures.tsx').then((module) => module.Figures));

/** Opens the form of a receipt for what is owed first. */
function Collect({ row, close }: ActionScreenProps) {
  const view = useView();
  const go = useEffectEvent(() => {
    close();
    view.open(`/lifeService/accountsConfirmEdit/0/order?receivable=${String(row!.collectId)}`);
  });
  useEffect(() => go(), []);
  return null;
}

function PlanWords({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{text(planText(String(value)))}</>;
}

const slots: ScreenSlots = {
  above: <Figures />,
  cells: { plan: (row) => <PlanWords value={row.plan} /> },
  inputs: { plan: (props) => <PlanInput {...props} />, item: (props) => <ItemInput {...props} /> },
  actionScreens: { collect: (props) => <Collect {...props} /> },
  dialogAbove: {
    cancel: (row) => <Calculation row={row} kind="cancel" />,
    change: (row) => <Calculation row={row} kind="change" />,
  },
  detailParts: [{ key: 'items', label: ['服务内容', 'Items'], render: (row) => <Items row={row} /> }],
};

/** 套餐订单, with its edit and detail pages. */
export const screen = {
  contract: packageOrder,
  component: () => <SourcedModes contract={packageOrder} slots={slots} />,
};
