import { lazy, Suspense, type ReactNode } from 'react';
import { Skeleton } from 'antd';
import { Timeline } from '../../../kernel/client/detail/timeline.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import type { DetailPart, ScreenSlots } from '../../../kernel/client/slots.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { useSession } from '../../../kernel/client/session.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { staffCells } from './staff-cells.tsx';

// Fetched with the first form: a list draws none of them.
const inputs = () => import('./staff-inputs.tsx');
const DepartmentInput = lazyPart(() => inputs().then((module) => module.DepartmentInput));
const StaffNumberInput = lazyPart(() => inputs().then((module) => module.StaffNumberInput));
const ProjectsInput = lazyPart(() => inputs().then((module) => module.ProjectsInput));
const GroupsInput = lazyPart(() => inputs().then((module) => module.GroupsInput));

const EffectivePermissionsPart = lazy(() =>
  import('../permission-group/effective-permissions-part.tsx').then((module) => ({
    default: module.EffectivePermissionsPart,
  })),
);
const PreviewAsPart = lazy(() =>
  import('../permission-group/preview-as-part.tsx').then((module) => ({ default: module.PreviewAsPart })),
);
const HandoverPart = lazy(() =>
  import('./staff-handover.tsx').then((module) => ({ default: module.HandoverPart })),
);
const SessionsPart = lazy(() =>
  import('./staff-sessions.tsx').then((module) => ({ default: module.SessionsPart })),
);
const SignInsPart = lazy(() =>
  import('./staff-sessions.tsx').then((module) => ({ default: module.SignInsPart })),
);
const GroupsDialog = lazy(() =>
  import('./groups-dialog.tsx').then((module) => ({ default: module.GroupsDialog })),
);

/** Which element of the view opens a part; absent: the view does not have the part. `true`: whoever sees the view. */
export interface StaffPartRights {
  readonly permissions?: string;
  readonly sessions: string;
  readonly signIns: string | true;
  readonly handover?: string;
}

/** What a view of staff puts into the default screen: cells, inputs and the tabs of the detail. */
export function staffSlots(resource: Resource, rights: StaffPartRights, more: ScreenSlots = {}): ScreenSlots {
  const root = rootOf(resource);
  const guarded = (element: string | true | undefined, draw: (row: RowData) => ReactNode) =>
    element === undefined
      ? undefined
      : (row: RowData) => (
          <Held code={element === true ? undefined : `${resource.menu}:${element}`}>{draw(row)}</Held>
        );
  const part = (
    key: string,
    label: DetailPart['label'],
    render: DetailPart['render'] | undefined,
  ): readonly DetailPart[] => (render ? [{ key, label, render }] : []);
  return {
    ...more,
    cells: { ...staffCells, ...more.cells },
    inputs: {
      department: (props) => <DepartmentInput root={root} {...props} />,
      staffNo: (props) => <StaffNumberInput {...props} />,
      projects: (props) => <ProjectsInput {...props} />,
      groups: (props) => <GroupsInput {...props} />,
      group: (props) => <GroupsInput {...props} single />,
    },
    actionScreens: {
      assignGroups: ({ row, close, done }) => (
        <Suspense>{row && <GroupsDialog row={row} onClose={close} onDone={() => done()} />}</Suspense>
      ),
      ...more.actionScreens,
    },
    detailParts: [
      ...part('rights', ['角色与项目', 'Groups and projects'], (row) => <RightsPart row={row} />),
      ...part(
        'permissions',
        ['有效权限', 'Effective permissions'],
        guarded(rights.permissions, (row) => <EffectivePermissionsPart staffId={row.id} />),
      ),
      ...part(
        'preview',
        ['以其视角预览', 'Preview as'],
        guarded(rights.permissions, (row) => <PreviewAsPart staffId={row.id} />),
      ),
      ...part(
        'sessions',
        ['会话', 'Sessions'],
        guarded(rights.sessions, (row) => <SessionsPart root={root} staffId={row.id} />),
      ),
      ...part(
        'signIns',
        ['登录记录', 'Sign-ins'],
        guarded(rights.signIns, (row) => <SignInsPart root={root} staffId={row.id} />),
      ),
      ...part(
        'handover',
        ['交接', 'Handover'],
        guarded(rights.handover, (row) => <HandoverPart staffId={row.id} name={String(row.name)} />),
      ),
      ...part('changes', ['变更', 'Changes'], (row) => <Timeline resource={resource} id={row.id} />),
    ],
  };
}

/** A part that needs an element. */
function Held({ code, children }: { readonly code: string | undefined; readonly children: ReactNode }) {
  const text = useText();
  const held = useSession((state) => code === undefined || state.elements[code] === true);
  if (!held)
    return <p className="k-quiet">{text(['您没有查看此内容的权限', 'You have no permission for this'])}</p>;
  return <Suspense fallback={<Skeleton active />}>{children}</Suspense>;
}

function RightsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const names = (value: unknown) => ((value as readonly RefValue[] | null) ?? []).map((one) => one.title);
  const groups = names(row.groups);
  const projects = row.allProjects === true ? [text(['全部项目', 'All projects'])] : names(row.projects);
  return (
    <>
      {(
        [
          [['角色', 'Groups'], groups],
          [['项目', 'Projects'], projects],
        ] as const
      ).map(([label, list]) => (
        <section key={label[1]} className="k-facts-section">
          <h3>{`${text(label)} ${list.length}`}</h3>
          {list.length === 0 ? (
            <p className="k-quiet">–</p>
          ) : (
            <ul className="plain-rows">
              {list.map((name) => (
                <li key={name}>
                  <span>{name}</span>
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </>
  );
}
