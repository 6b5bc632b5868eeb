import '../../../kernel/client/tree/split-screen.css';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { cappedCount } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { allStaff } from './staff.contract.ts';
import { WhoCanButton } from '../permission-group/who-can-button.tsx';
import { staffSlots } from './staff-parts.tsx';

const slots = staffSlots(
  allStaff,
  { permissions: 'btn_permission', sessions: 'btn_kick', signIns: 'btn_view' },
  {
    above: <HeadFigures />,
    toolbar: <WhoCanButton element="allUserManager:btn_permission" />,
  },
);

/** Users of all companies with head figures that filter. */
function AllStaffScreen() {
  return <ScreenOf contract={allStaff} slots={slots} />;
}

/** All users. */
export const screen = { contract: allStaff, component: AllStaffScreen };

/** Enabled, disabled, locked, online, never signed in, unused: each shows its rows, a second click shows all. */
function HeadFigures() {
  const text = useText();
  const view = useView();
  const { data } = useQuery({
    queryKey: keysOf.counts(allStaff.name, {}),
    queryFn: ({ signal }) =>
      call<Record<string, number>>('GET', `${rootOf(allStaff)}/counts`, { signal, quiet: true }),
  });
  const active = view.query.get('tab');
  const show = (tab: string) => view.setQuery(new URLSearchParams(tab === active ? {} : { tab }));
  return (
    <div className="head-figures">
      {(allStaff.list.tabs ?? [])
        .filter((tab) => tab.key !== 'all')
        .map((tab) => (
          <button key={tab.key} type="button" aria-pressed={tab.key === active} onClick={() => show(tab.key)}>
            <strong>{data ? cappedCount(data[tab.key] ?? 0) : '–'}</strong>
            <span className="k-quiet k-small">{text(tab.label)}</span>
          </button>
        ))}
    </div>
  );
}
