import './organisation.css';
import { Button, Segmented } from 'antd';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { chosenOf } from '../../../kernel/client/tree/chosen.rules.ts';
import { useView, ViewContext, type View } from '../../../kernel/client/view.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { organisation } from './organisation.contract.ts';
import { organisationFigures } from './organisation-figures.contract.ts';
import { useForest } from './use-forest.ts';

const OrganisationTree = lazyPart(
  () => import('./organisation-tree.tsx').then((module) => module.OrganisationTree),
  <aside className="k-tree-shape" />,
);
const OrganisationChart = lazyPart(() =>
  import('./organisation-chart.tsx').then((module) => module.OrganisationChart),
);
const dialogs = () => import('./rearrange-dialogs.tsx');
const MoveDialog = lazyPart(() => dialogs().then((module) => module.MoveDialog));
const MergeDialog = lazyPart(() => dialogs().then((module) => module.MergeDialog));
const StopDialog = lazyPart(() => dialogs().then((module) => module.StopDialog));
const UnitPanel = lazyPart(() => import('./unit-panel.tsx').then((module) => module.UnitPanel));
const HangDialog = lazyPart(() => dialogs().then((module) => module.HangDialog));
const parts = () => import('./organisation-parts.tsx');
const BelowPart = lazyPart(() => parts().then((module) => module.BelowPart));
const StaffPart = lazyPart(() => parts().then((module) => module.StaffPart));
const HistoryPart = lazyPart(() => parts().then((module) => module.HistoryPart));
const LicenceLink = lazyPart(() => parts().then((module) => module.LicenceLink));

const SHAPES = {
  list: ['树与列表', 'Tree and list'],
  chart: ['组织图', 'Chart'],
  figures: ['机构统计', 'Organisation table'],
} as const;
type Shape = keyof typeof SHAPES;

const withRow =
  (draw: (props: ActionScreenProps & { row: RowData }) => React.ReactNode) => (props: ActionScreenProps) =>
    props.row ? draw({ ...props, row: props.row }) : null;

/** Dialogs that show the consequences first, and what the detail shows besides facts. */
export const organisationSlots: ScreenSlots = {
  actionScreens: {
    move: withRow((props) => <MoveDialog {...props} />),
    merge: withRow((props) => <MergeDialog {...props} />),
    stop: withRow((props) => <StopDialog {...props} />),
    hang: withRow((props) => <HangDialog {...props} />),
  },
  cells: {
    licenceFile: (row) => {
      const file = row.licenceFile as FileValue | null;
      return file ? <LicenceLink id={row.id} name={file.name} /> : null;
    },
  },
  detailAbove: (row) => <OpenPage id={row.id} />,
  detailParts: [
    { key: 'below', label: ['下级与项目', 'Below'], render: (row) => <BelowPart id={row.id} /> },
    { key: 'staff', label: ['员工', 'Staff'], render: (row) => <StaffPart id={row.id} /> },
  ],
};

const withHistory: ScreenSlots = {
  ...organisationSlots,
  detailParts: [
    ...organisationSlots.detailParts!,
    { key: 'history', label: ['变更历史', 'History'], render: (row) => <HistoryPart id={row.id} /> },
  ],
};

/** Slots of the detail: the history only for who holds its element. */
export function useOrganisationSlots(): ScreenSlots {
  const held = useHeld(organisation);
  return held('btn_history') ? withHistory : organisationSlots;
}

/** The list stands beside a tree of its own, which has the projects as leaves. */
const { tree: _tree, ...listOnly } = organisation;

/** Organisations as tree with list, as a chart, or as the table of figures. */
function OrganisationScreen() {
  const view = useView();
  const asked = view.query.get('shape');
  const shape: Shape = asked === 'chart' || asked === 'figures' ? asked : 'list';
  if (shape === 'figures')
    return (
      <ViewContext value={staying(view, 'figures')}>
        <ScreenOf contract={organisationFigures} slots={{ above: <ShapeSwitch shape={shape} /> }} />
      </ViewContext>
    );
  if (shape === 'chart') return <OrganisationChart shapes={<ShapeSwitch shape={shape} />} />;
  return <TreeAndList />;
}

function TreeAndList() {
  const view = useView();
  const slots = useOrganisationSlots();
  const action = useAction(organisation, { slots });
  const { id } = chosenOf(view.query.get('parent') ?? undefined);
  const { data: nodes } = useForest({ includeStopped: true });
  const isUnit = nodes?.find((node) => node.id === id)?.kind === 'management_unit';
  if (id !== undefined && isUnit)
    return (
      <div className="k-tree-split">
        <OrganisationTree action={action} />
        <UnitPanel key={id} id={id} slots={slots} action={action} shapes={<ShapeSwitch shape="list" />} />
        {action.element}
      </div>
    );
  return (
    <div className="k-tree-split">
      <OrganisationTree action={action} />
      <ScreenOf
        contract={listOnly}
        slots={{
          ...slots,
          above: <ShapeSwitch shape="list" />,
          ...(id ? { createWith: { parent: { id, title: id } } } : {}),
        }}
      />
      {action.element}
    </div>
  );
}

/** The same view whose query keeps the shape: the report knows its own parameters only. */
function staying(view: View, shape: Shape): View {
  return {
    ...view,
    setQuery: (next) => {
      const query = new URLSearchParams(next);
      query.set('shape', shape);
      view.setQuery(query);
    },
    open: (path) =>
      view.open(
        path.startsWith(`${view.path}?`) && !path.includes('parent=') ? `${path}&shape=${shape}` : path,
      ),
  };
}

function ShapeSwitch({ shape }: { readonly shape: Shape }) {
  const text = useText();
  const view = useView();
  return (
    <Segmented
      className="org-shapes"
      size="small"
      value={shape}
      aria-label={text(['显示方式', 'Shape'])}
      onChange={(next) => view.open(`${view.path}${next === 'list' ? '' : `?shape=${next}`}`)}
      options={Object.entries(SHAPES).map(([value, label]) => ({
        value: value as Shape,
        label: text(label),
      }))}
    />
  );
}

/** The detail as a page of its own. */
function OpenPage({ id }: { readonly id: string }) {
  const text = useText();
  const view = useView();
  const held = useHeld(organisation);
  if (!held('btn_view') || view.path.endsWith('/mechanismAdd')) return null;
  return (
    <p className="org-open">
      <Button size="small" onClick={() => view.open(`/baseData/mechanismAdd?id=${id}&view=1`)}>
        {text(['查看整页', 'Open as a page'])}
      </Button>
    </p>
  );
}

/** Organisations. */
export const screen = { contract: organisation, component: OrganisationScreen };
