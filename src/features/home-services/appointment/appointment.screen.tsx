import { useState } from 'react';
import { Segmented } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { visitScreens } from '../service-order/service-order.screen.tsx';
import { useVisitsTogether } from '../service-order/visits-together.ts';
import { appointment } from './appointment.contract.ts';

const Calendar = lazyPart(() => import('./calendar.tsx').then((module) => module.Calendar));

/** Dialogs of appointments, the same in the calendar and in the list. */
const slots: ScreenSlots = {
  cells: { overbooked: (row) => <Overbooked is={row.overbooked === true} /> },
  actionScreens: visitScreens(rootOf(appointment)),
};

function Overbooked({ is }: { readonly is: boolean }) {
  const text = useText();
  return is ? <b className="k-bad">{text(['超额', 'Overbooked'])}</b> : null;
}

function AppointmentScreen() {
  const text = useText();
  const view = useView();
  useVisitsTogether();
  // A link with a filter, a tab or a row asks for the list, also while the calendar is open.
  const asked = [...view.query.keys()].some((key) => key !== 'day') ? view.query.toString() : '';
  const [seen, setSeen] = useState(asked);
  const [shown, setShown] = useState<'calendar' | 'list'>(asked ? 'list' : 'calendar');
  const [left, setLeft] = useState('');
  if (asked !== seen) {
    setSeen(asked);
    if (asked) setShown('list');
  }
  const turn = (next: 'calendar' | 'list') => {
    setLeft(next === 'calendar' ? asked : '');
    // The list comes back as it was left; a link that asks for the same is a new wish.
    view.setQuery(new URLSearchParams(next === 'list' ? left : ''));
    setShown(next);
  };
  const toggle = (
    <Segmented
      value={shown}
      onChange={(next) => turn(next as 'calendar' | 'list')}
      options={[
        { value: 'calendar', label: text(['日历', 'Calendar']) },
        { value: 'list', label: text(['列表', 'List']) },
      ]}
    />
  );
  return shown === 'calendar' ? (
    <Calendar
      slots={slots}
      toggle={toggle}
      onList={(query) => {
        view.setQuery(new URLSearchParams(query));
        setShown('list');
      }}
    />
  ) : (
    <ScreenOf contract={appointment} slots={{ ...slots, toolbar: toggle }} />
  );
}

/** 预约管理, mounted by groups 7 and 8. */
export const screen = { contract: appointment, component: AppointmentScreen };
