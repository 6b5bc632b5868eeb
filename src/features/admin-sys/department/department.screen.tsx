import '../../../kernel/client/tree/split-screen.css';
import { lazy, Suspense } from 'react';
import { Button } from 'antd';
import { useExport } from '../../../kernel/client/parts/use-export.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { departmentCells } from './department-cells.tsx';
import { departmentInputs } from './department-inputs.tsx';
import { department } from './department.contract.ts';
import { DepartmentShapes, DepartmentTree, ShapeSwitch } from './shape-switch.tsx';
import { useDepartmentTree } from './use-department-tree.ts';

const PlaceDialog = lazy(() =>
  import('./place-dialog.tsx').then((module) => ({ default: module.PlaceDialog })),
);
const MergeDialog = lazy(() =>
  import('./merge-dialog.tsx').then((module) => ({ default: module.MergeDialog })),
);

const importButton = (
  <ImportButton
    element="departManager:btn_import"
    choice={{
      source: 'department',
      resource: 'department',
      title: ['部门', 'Departments'],
      variant: { source: 'departmentUpdate', label: ['更新已存在的部门', 'Update existing departments'] },
    }}
  />
);
const slots: ScreenSlots = {
  above: <ShapeSwitch />,
  toolbar: importButton,
  cells: departmentCells,
  inputs: departmentInputs,
  actionScreens: {
    place: ({ row, close, done }) => (
      <Suspense>{row && <PlaceDialog row={row} onClose={close} onDone={() => done()} />}</Suspense>
    ),
    merge: ({ row, close, done }) => (
      <Suspense>{row && <MergeDialog row={row} onClose={close} onDone={() => done()} />}</Suspense>
    ),
  },
};
const treeSlots: ScreenSlots = {
  ...slots,
  toolbar: (
    <>
      {importButton}
      <ExportButton />
    </>
  ),
};

/** Departments as a tree with form and members, or as the flat list. */
function DepartmentScreen() {
  return (
    <DepartmentShapes contract={department} slots={slots}>
      <OwnTree />
    </DepartmentShapes>
  );
}

/** Departments of the own company. */
export const screen = { contract: department, component: DepartmentScreen };

function OwnTree() {
  const tree = useDepartmentTree('department');
  return <DepartmentTree resource={department} tree={tree} slots={treeSlots} shape={<ShapeSwitch />} />;
}

/** The list exports what it is filtered by; the tree exports everything. */
function ExportButton() {
  const text = useText();
  const held = useHeld(department);
  const exporting = useExport(`${rootOf(department)}/export`);
  if (!held('btn_export')) return null;
  return (
    <Button
      loading={exporting.busy}
      disabled={exporting.locked}
      onClick={() => exporting.start({ query: {} })}
    >
      {text(words.export)}
    </Button>
  );
}
