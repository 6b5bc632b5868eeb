import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { passClick } from '../../../kernel/client/parts/use-guard.ts';
import { openDownloadCentre } from '../../../kernel/client/downloads.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { GROUP_ROOT, type GroupHandle } from './group-wire.ts';
import { role } from './role.contract.ts';

const AuthorityDialog = lazy(() =>
  import('./authority-dialog.tsx').then((module) => ({ default: module.AuthorityDialog })),
);
const MembersDialog = lazy(() =>
  import('./members-dialog.tsx').then((module) => ({ default: module.MembersDialog })),
);
const HistoryDrawer = lazy(() =>
  import('./history-drawer.tsx').then((module) => ({ default: module.HistoryDrawer })),
);
const CopyDialog = lazy(() => import('./copy-dialog.tsx').then((module) => ({ default: module.CopyDialog })));

const dialog = (draw: (group: GroupHandle, props: ActionScreenProps) => ReactNode) =>
  function Dialog(props: ActionScreenProps) {
    const { row } = props;
    if (!row) return null;
    return <Suspense>{draw({ id: row.id, name: String(row.name), version: row.version }, props)}</Suspense>;
  };

const slots: ScreenSlots = {
  // A new role counts at once, which the switch must say.
  createWith: { enabled: true },
  actionScreens: {
    grants: dialog((group, { close }) => <AuthorityDialog group={group} onClose={close} />),
    members: dialog((group, { close }) => <MembersDialog group={group} onClose={close} />),
    history: dialog((group, { close }) => <History group={group} close={close} />),
    copy: dialog((group, { close, done }) => (
      <CopyDialog group={group} onClose={close} onCopied={(copy) => done([copy.id])} />
    )),
    exportMatrix: (props) => <ExportMatrix {...props} />,
  },
};

function History({ group, close }: { readonly group: GroupHandle; readonly close: () => void }) {
  const held = useHeld(role);
  return <HistoryDrawer group={group} canRestore={held('btn_resourceManager')} onClose={close} />;
}

/** Has nothing to ask: starts the export and closes itself. */
function ExportMatrix({ close }: ActionScreenProps) {
  useEffect(() => {
    if (passClick('export:roleManager'))
      void call('POST', `${GROUP_ROOT}/export`, {
        body: { menu: 'roleManager' },
        idempotencyKey: newIdempotencyKey(),
      }).then(openDownloadCentre, () => {});
    close();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return null;
}

function RoleManager() {
  return <ScreenOf contract={role} slots={slots} />;
}

/** Roles of the own company. */
export const screen = { contract: role, component: RoleManager };
