import '../layout/split-screen.css';
import { lazy, Suspense } from 'react';
import { Segmented, Skeleton } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { department } from './department.contract.ts';

const DepartmentTree = lazy(() =>
  import('./department-tree.tsx').then((module) => ({ default: module.DepartmentTree })),
);
const PlaceDialog = lazy(() =>
  import('./place-dialog.tsx').then((module) => ({ default: module.PlaceDialog })),
);
const MergeDialog = lazy(() =>
  import('./merge-dialog.tsx').then((module) => ({ default: module.MergeDialog })),
);

const slots: ScreenSlots = {
  above: <ShapeSwitch />,
  actionScreens: {
    place: ({ row, close, done }) => (
      <Suspense>{row && <PlaceDialog row={row} onClose={close} onDone={() => done()} />}</Suspense>
    ),
    merge: ({ row, close, done }) => (
      <Suspense>{row && <MergeDialog row={row} onClose={close} onDone={() => done()} />}</Suspense>
    ),
  },
};

/** Departments as a tree with form and members, or as the flat list with export. */
function DepartmentScreen() {
  const view = useView();
  if (view.query.get('shape') === 'list') return <ScreenOf contract={department} slots={slots} />;
  return (
    <Suspense
      fallback={
        <div className="k-screen">
          <Skeleton active />
        </div>
      }
    >
      <DepartmentTree slots={slots} shape={<ShapeSwitch />} />
    </Suspense>
  );
}

/** Departments of the own company. */
export const screen = { contract: department, component: DepartmentScreen };

function ShapeSwitch() {
  const text = useText();
  const view = useView();
  const change = (shape: string) => view.setQuery(new URLSearchParams(shape === 'list' ? { shape } : {}));
  return (
    <Segmented
      size="small"
      value={view.query.get('shape') === 'list' ? 'list' : 'tree'}
      onChange={change}
      options={[
        { value: 'tree', label: text(['树', 'Tree']) },
        { value: 'list', label: text(['列表', 'List']) },
      ]}
    />
  );
}
