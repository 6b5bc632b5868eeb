import { lazy, Suspense } from 'react';
import { NOTHING } from '../../../kernel/client/format.rules.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf, ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { afterSale } from './case.contract.ts';
import { CaseHead } from './case-head.tsx';
import { TimeLeft } from './case-pieces.tsx';

// Loaded when they are opened: the list is what everybody waits for.
const AgreeDialog = lazyPart(() => import('./case-dialogs.tsx').then((module) => module.AgreeDialog));
const ReceiveDialog = lazyPart(() => import('./case-dialogs.tsx').then((module) => module.ReceiveDialog));
const ApplyDrawer = lazyPart(() => import('./case-apply-drawer.tsx').then((module) => module.ApplyDrawer));
const CasePage = lazy(() =>
  import('./case-detail-page.tsx').then((module) => ({ default: module.CasePage })),
);

/** Custom interactions of the case's actions, the same on the list and on its page. */
const slots: ScreenSlots = {
  cells: {
    // An exchange moves no money.
    appliedCash: (row) =>
      row.type === 'exchange' ? NOTHING : <MoneyText value={row.appliedCash as string} />,
    deadline: (row) => <TimeLeft until={row.deadline as string | null} />,
  },
  actionScreens: {
    apply: (props) => <ApplyDrawer {...props} />,
    agree: (props) => <AgreeDialog {...props} action="agree" />,
    decide: (props) => <AgreeDialog {...props} action="decide" />,
    receive: (props) => <ReceiveDialog {...props} />,
  },
};

function CaseScreen() {
  const { query, path } = useView();
  const [id, orderId] = [query.get('id'), query.get('orderId')];
  if (!path.endsWith('/am_orderdetails') || !(id || orderId))
    return <ScreenOf contract={afterSale} slots={{ ...slots, above: <CaseHead /> }} />;
  return (
    <Suspense fallback={<ScreenWaits />}>
      <CasePage id={id} orderId={orderId} slots={slots} />
    </Suspense>
  );
}

/** 售后订单: list of cases, and one case as a page. Mounted by groups 8 and 21. */
export const screen = { contract: afterSale, component: CaseScreen };
