import { lazy, Suspense, type ReactNode } from 'react';
import { Segmented, Skeleton } from 'antd';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';

/** The tree with form and members, fetched when it is shown. */
export const DepartmentTree = lazy(() =>
  import('./department-tree.tsx').then((module) => ({ default: module.DepartmentTree })),
);

/** True while the address asks for the flat list instead of the tree. */
export function useIsList(): boolean {
  return useView().query.get('shape') === 'list';
}

/** A screen of departments in the shape the address asks for: the flat list, or `children`, which draw the tree. */
export function DepartmentShapes(props: {
  readonly contract: Resource;
  readonly slots: ScreenSlots;
  readonly children: ReactNode;
}) {
  if (useIsList()) return <ScreenOf contract={props.contract} slots={props.slots} />;
  return (
    <Suspense
      fallback={
        <div className="k-screen">
          <Skeleton active />
        </div>
      }
    >
      {props.children}
    </Suspense>
  );
}

/** Tree with form and members, or the flat list with filters and export; kept in the address. */
export function ShapeSwitch() {
  const text = useText();
  const view = useView();
  const isList = useIsList();
  const change = (shape: string) => {
    const query = new URLSearchParams();
    const tenant = view.query.get('tenant');
    if (tenant) query.set('tenant', tenant);
    if (shape === 'list') query.set('shape', shape);
    view.setQuery(query);
  };
  return (
    <Segmented
      size="small"
      value={isList ? 'list' : 'tree'}
      onChange={change}
      options={[
        { value: 'tree', label: text(['树', 'Tree']) },
        { value: 'list', label: text(['列表', 'List']) },
      ]}
    />
  );
}
