import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { instantFull, instantShort, NOTHING } from '../../../kernel/client/format.rules.ts';
import { serviceOrder } from './service-order.contract.ts';
import { useVisitsTogether } from './visits-together.ts';

// Loaded when they are opened: the list is what everybody waits for.
const Create = lazyPart(() =>
  import('./service-create-drawer.tsx').then((module) => module.ServiceCreateDrawer),
);
const Assign = lazyPart(() => import('./visit-dialogs.tsx').then((module) => module.AssignDialog));
const Reschedule = lazyPart(() => import('./visit-dialogs.tsx').then((module) => module.RescheduleDialog));
const Cancel = lazyPart(() => import('./visit-dialogs.tsx').then((module) => module.CancelDialog));
const Pay = lazyPart(() => import('./visit-dialogs.tsx').then((module) => module.PayDialog));
const Visits = lazyPart(() => import('./service-order-parts.tsx').then((module) => module.VisitsPart));
const Money = lazyPart(() => import('./service-order-parts.tsx').then((module) => module.MoneyPart));
const Refunds = lazyPart(() => import('./service-order-parts.tsx').then((module) => module.RefundsPart));
const Explain = lazyPart(() => import('./service-order-parts.tsx').then((module) => module.ExplainPart));

/** Dialogs of visits over rows that live at `root`. */
export function visitScreens(root: string): NonNullable<ScreenSlots['actionScreens']> {
  return {
    create: (props) => <Create {...props} root={root} />,
    assign: (props) => <Assign {...props} root={root} again={false} />,
    reassign: (props) => <Assign {...props} root={root} again />,
    reschedule: (props) => <Reschedule {...props} root={root} />,
    cancel: (props) => <Cancel {...props} root={root} />,
    pay: (props) => <Pay {...props} root={root} />,
  };
}

/** What the screen of service orders that live at `root` has beside the default. */
export const serviceOrderSlots = (root: string): ScreenSlots => ({
  cells: {
    deadline: (row) => <Deadline until={row.deadline as string | null} state={String(row.state)} />,
  },
  dialogWith: { remark: (row) => ({ staffRemark: row.staffRemark }) },
  actionScreens: visitScreens(root),
  detailParts: [
    { key: 'visits', label: ['上门记录', 'Visits'], render: (row) => <Visits row={row} /> },
    { key: 'money', label: ['明细与支付', 'Lines and payment'], render: (row) => <Money row={row} /> },
    { key: 'refunds', label: ['退款', 'Refunds'], render: (row) => <Refunds row={row} /> },
    { key: 'explain', label: ['计算说明', 'How it was computed'], render: (row) => <Explain row={row} /> },
  ],
});

const slots = serviceOrderSlots(rootOf(serviceOrder));

/** Red once the time is over; of a visit that is to come only its time is shown. */
function Deadline({ until, state }: { readonly until: string | null; readonly state: string }) {
  if (!until) return NOTHING;
  const late = Date.parse(until) < Date.now() && state !== 'completed';
  return (
    <span title={instantFull(until)} className={late ? 'k-number k-bad' : 'k-number'}>
      {instantShort(until)}
    </span>
  );
}

function ServiceOrderScreen() {
  useVisitsTogether();
  return <ScreenOf contract={serviceOrder} slots={slots} />;
}

/** 服务订单, mounted by groups 7 and 8. */
export const screen = { contract: serviceOrder, component: ServiceOrderScreen };
