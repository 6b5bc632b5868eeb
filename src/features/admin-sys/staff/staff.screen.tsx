import '../../../kernel/client/tree/split-screen.css';
import { useMemo, useState } from 'react';
import { Checkbox } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { useDepartmentTree, type DepartmentEntry } from '../department/use-department-tree.ts';
import { PlaceTree, type PlaceNode } from '../../../kernel/client/tree/place-tree.tsx';
import { WhoCanButton } from '../permission-group/who-can-button.tsx';
import { staff } from './staff.contract.ts';
import { staffSlots } from './staff-parts.tsx';

const ArchiveDialog = lazyPart(() => import('./archive-dialog.tsx').then((module) => module.ArchiveDialog));

const slots = staffSlots(
  staff,
  {
    permissions: 'btn_permission',
    sessions: 'btn_session',
    signIns: true,
    handover: 'btn_handover',
  },
  {
    actionScreens: {
      archive: ({ row, close, done }) =>
        row && <ArchiveDialog row={row} onClose={close} onDone={() => done()} />,
    },
    toolbar: (
      <>
        <ImportButton
          element="userManager:btn_import"
          choice={{
            source: 'staff',
            resource: 'staff',
            title: ['员工', 'Staff'],
            variant: { source: 'staffUpdate', label: ['更新已存在的账号', 'Update existing accounts'] },
            afterwards: [
              '新账号还没有密码：员工在登录页用手机号“忘记密码”自行设置，或由您逐个重置密码。',
              'New accounts have no password yet: staff set one by "Forgot password" with their phone, or you reset it for them.',
            ],
          }}
        />
        <WhoCanButton element="userManager:btn_permission" />
      </>
    ),
  },
);

/** Users with the department tree at the left; a click filters, with those below unless switched off. */
function StaffScreen() {
  const text = useText();
  const { data } = useDepartmentTree('staff');
  const [below, setBelow] = useState(true);
  const view = useView();
  // A new user goes where one is looking: the chosen department of the tree.
  const [under] = (view.query.get('department') ?? '').split(',');
  const chosen = data?.find((one) => one.id === under);
  const mine = useMemo(
    () => (chosen ? { ...slots, createWith: { department: { id: chosen.id, title: chosen.name } } } : slots),
    [chosen],
  );
  return (
    <div className="split-screen">
      <nav aria-label={text(['部门', 'Departments'])}>
        <PlaceTree
          key={String(data !== undefined)}
          nodes={nodesOf(data ?? [], null, below)}
          filter="department"
          label={text(['筛选部门', 'Filter departments'])}
          tools={
            <Checkbox checked={below} onChange={(event) => setBelow(event.target.checked)}>
              {text(['含下级', 'Sub-departments'])}
            </Checkbox>
          }
        />
      </nav>
      <div className="split-main">
        <ScreenOf contract={staff} slots={mine} />
      </div>
    </div>
  );
}

/** Users. */
export const screen = { contract: staff, component: StaffScreen };

function nodesOf(all: readonly DepartmentEntry[], parent: string | null, below: boolean): PlaceNode[] {
  return all
    .filter((one) => one.parentId === parent)
    .map((one) => {
      const children = nodesOf(all, one.id, below);
      return {
        key: one.id,
        name: one.name,
        count: below ? one.whole : one.own,
        ids: below ? [one.id, ...children.flatMap((child) => child.ids)] : [one.id],
        children,
      };
    });
}
