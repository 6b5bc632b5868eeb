import '../../../kernel/client/tree/split-screen.css';
import { Segmented } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { PlaceTree, type PlaceNode } from '../../../kernel/client/tree/place-tree.tsx';
import { houseRegistration, type PlaceCount } from './house-registration.contract.ts';

const HousePlan = lazyPart(() => import('./house-plan.tsx').then((module) => module.HousePlan));

const RemindDialog = lazyPart(() => import('./remind-dialog.tsx').then((module) => module.RemindDialog));

const FILTERS = ['project', 'building', 'unit'] as const;

/** Which view is shown stands in the address: a link reproduces it. */
function ViewSwitch() {
  const text = useText();
  const view = useView();
  return (
    <Segmented
      size="small"
      aria-label={text(['视图', 'View'])}
      value={view.query.get('as') === 'plan' ? 'plan' : 'table'}
      options={[
        { value: 'table', label: text(['表格', 'Table']) },
        { value: 'plan', label: text(['楼盘图', 'Plan']) },
      ]}
      onChange={(as) => {
        const query = new URLSearchParams(view.query);
        if (as === 'plan') query.set('as', 'plan');
        else query.delete('as');
        view.setQuery(query);
      }}
    />
  );
}

const slots: ScreenSlots = {
  toolbar: <ViewSwitch />,
  actionScreens: { remind: (props) => <RemindDialog {...props} /> },
};

/** Houses by project, building and unit with registered and all houses; as a list or as the plan of a building. */
function HouseRegistrationScreen() {
  const text = useText();
  const view = useView();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(houseRegistration.name), 'places'],
    queryFn: ({ signal }) =>
      call<readonly PlaceCount[]>('GET', '/api/jinmao/web/houseRegistration/places', { signal, quiet: true }),
  });
  return (
    <div className="split-screen">
      <nav aria-label={text(['项目、楼栋与单元', 'Projects, buildings and units'])}>
        {isError && !data ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} />
        ) : (
          <PlaceTree
            key={String(data !== undefined)}
            nodes={nodesOf(data ?? [], 0)}
            filter="project"
            folded
            label={text(['筛选楼栋', 'Filter places'])}
          />
        )}
      </nav>
      <div className="split-main">
        {view.query.get('as') === 'plan' ? (
          <HousePlan tools={<ViewSwitch />} />
        ) : (
          <ScreenOf contract={houseRegistration} slots={slots} />
        )}
      </div>
    </div>
  );
}

/** Module of ssm_registerByHouse. */
export const screen = { contract: houseRegistration, component: HouseRegistrationScreen };

function nodesOf(places: readonly PlaceCount[], level: number): PlaceNode[] {
  return places.map((place) => ({
    key: `${FILTERS[level]}${place.id}`,
    name: place.name,
    count: `${place.registered}/${place.houses}`,
    ids: [place.id],
    filter: FILTERS[level]!,
    ...(place.children && place.children.length > 0 && { children: nodesOf(place.children, level + 1) }),
  }));
}
