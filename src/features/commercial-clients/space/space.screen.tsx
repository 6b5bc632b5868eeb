import '../../../kernel/client/tree/split-screen.css';
import { useEffect, useEffectEvent, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { PlaceTree, type PlaceNode } from '../../../kernel/client/tree/place-tree.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { projectPerson, space, type FloorLine } from './space.contract.ts';

const Plan = lazyPart(() => import('./space-plan.tsx').then((module) => module.SpacePlan));
const PinInput = lazyPart(() => import('./space-plan.tsx').then((module) => module.PinInput));
const Overview = lazyPart(() => import('./space-overview.tsx').then((module) => module.Overview));

const PARTS: readonly { readonly key: string; readonly label: Label }[] = [
  { key: 'spaces', label: space.title },
  { key: 'plan', label: ['平面图', 'Floor plan'] },
  { key: 'overview', label: ['项目概况', 'Overview'] },
  { key: 'people', label: projectPerson.title },
];
const PLACE = ['project', 'building', 'place'] as const;

/** Drafts a contract over a space for its term and client. */
function Draft({ row, close }: ActionScreenProps) {
  const view = useView();
  const go = useEffectEvent(() => {
    close();
    view.open(`/publicResource/pr_contractCreart/add/0?positions=${row!.id}`);
  });
  useEffect(() => go(), []);
  return null;
}

/** Commercial projects: the tree of floors, and of the chosen place its spaces, plan, figures and people. */
function Spaces() {
  const text = useText();
  const view = useView();
  const { query } = view;
  const part = PARTS.find((one) => one.key === query.get('part'))?.key ?? 'spaces';
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(space.name), 'places'],
    queryFn: ({ signal }) =>
      call<{ readonly rows: readonly FloorLine[] }>('GET', '/api/jinmao/web/space/places', {
        signal,
        quiet: true,
      }),
  });
  const lines = data?.rows;
  const nodes = useMemo(() => nodesOf(lines ?? [], text), [lines, text]);
  const chosen = lines?.find(
    (one) =>
      one.projectId === query.get('project') ||
      one.buildingId === query.get('building') ||
      placeOf(one) === query.get('place'),
  );
  const show = (key: string) => {
    const fresh = new URLSearchParams();
    // People belong to the whole project.
    if (key === 'people' && chosen) fresh.set('project', chosen.projectId);
    else for (const name of PLACE) if (query.get(name)) fresh.set(name, query.get(name)!);
    if (key !== 'spaces') fresh.set('part', key);
    view.setQuery(fresh);
  };
  const slots = useMemo((): ScreenSlots => {
    const project = chosen && { id: chosen.projectId, title: chosen.project };
    const inBuilding = query.get('building') ?? query.get('place');
    return {
      actionScreens: { contract: (props) => <Draft {...props} /> },
      inputs: { pin: (props) => <PinInput {...props} /> },
      createWith: chosen
        ? {
            project,
            ...(inBuilding ? { building: { id: chosen.buildingId, title: chosen.building } } : {}),
            ...(query.get('place') ? { floor: chosen.floor } : {}),
          }
        : {},
    };
  }, [chosen, query]);
  const strip = (
    <TabList
      label={text(space.title)}
      tabs={PARTS.map(({ key, label }) => ({ key, label: text(label) }))}
      active={part}
      onChange={show}
    />
  );
  return (
    <div className="split-screen">
      <nav aria-label={text(['项目、楼栋与楼层', 'Projects, buildings and floors'])}>
        {isError && !data ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} />
        ) : (
          <PlaceTree
            key={String(data !== undefined)}
            nodes={nodes}
            filter="project"
            label={text(['筛选项目与楼层', 'Filter projects and floors'])}
          />
        )}
      </nav>
      <div className="split-main">
        {part === 'people' ? (
          <ScreenOf key={part} contract={projectPerson} slots={{ ...slots, above: strip }} />
        ) : part === 'spaces' ? (
          <ScreenOf key={part} contract={space} slots={{ ...slots, above: strip }} />
        ) : (
          <div className="k-screen">
            <PageTitle title={PARTS.find((one) => one.key === part)!.label} />
            {strip}
            {part === 'plan' ? (
              <Plan lines={lines ?? []} chosen={chosen} slots={slots} />
            ) : (
              <Overview lines={lines ?? []} chosen={chosen} />
            )}
          </div>
        )}
      </div>
    </div>
  );
}

/** 商业项目与铺位. */
export const screen = { contract: space, component: Spaces };

/** How a floor of a building is filtered by. */
const placeOf = (one: FloorLine) => `${one.buildingId}.${one.floor}`;

type Text = ReturnType<typeof useText>;

/** Projects, buildings and floors, each with its vacant ones of all. */
function nodesOf(lines: readonly FloorLine[], text: Text): readonly PlaceNode[] {
  const count = (some: readonly FloorLine[]) => {
    const sum = (of: (one: FloorLine) => number) => some.reduce((total, one) => total + of(one), 0);
    return text([
      `空 ${sum((one) => one.vacant)} / ${sum((one) => one.spaces)}`,
      `${sum((one) => one.vacant)} of ${sum((one) => one.spaces)} vacant`,
    ]);
  };
  const groups = (some: readonly FloorLine[], of: (one: FloorLine) => string) =>
    [...Map.groupBy(some, of).values()] as FloorLine[][];
  return groups(lines, (one) => one.projectId).map((project) => ({
    key: `p${project[0]!.projectId}`,
    name: project[0]!.project,
    count: count(project),
    ids: [project[0]!.projectId],
    filter: 'project',
    children: groups(project, (one) => one.buildingId).map((building) => ({
      key: `b${building[0]!.buildingId}`,
      name: building[0]!.building,
      count: count(building),
      ids: [building[0]!.buildingId],
      filter: 'building',
      children: building.map((one) => ({
        key: `f${placeOf(one)}`,
        name: text([`${one.floor} 层`, `Floor ${one.floor}`]),
        count: count([one]),
        ids: [placeOf(one)],
        filter: 'place',
      })),
    })),
  }));
}
