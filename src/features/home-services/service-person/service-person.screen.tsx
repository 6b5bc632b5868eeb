import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { commentSlots } from '../../../domain/order-comment/comment-slots.tsx';
import { servicePerson } from './service-person.contract.ts';

const Roster = lazyPart(() => import('./person-plan.tsx').then((module) => module.RosterCalendar));
const Visits = lazyPart(() => import('./person-plan.tsx').then((module) => module.LatestVisits));

const slots: ScreenSlots = {
  parts: { comments: commentSlots },
  detailParts: [
    { key: 'plan', label: ['班次日历', 'Roster calendar'], render: (row) => <Roster id={row.id} /> },
    { key: 'visits', label: ['预约与评价', 'Visits and score'], render: (row) => <Visits id={row.id} /> },
  ],
};

/** Service people: the default list, with hours, leave and visits in the detail. */
function ServicePersonScreen() {
  return <ScreenOf contract={servicePerson} slots={slots} />;
}

/** Module of cs_busServicePerson. */
export const screen = { contract: servicePerson, component: ServicePersonScreen };
