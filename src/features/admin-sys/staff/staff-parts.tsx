import { lazy, Suspense } from 'react';
import { Skeleton } from 'antd';
import { Timeline } from '../../../kernel/client/detail/timeline.tsx';
import { useText } from '../../../kernel/client/language.ts';
import type { DetailPart } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { useSession } from '../../../kernel/client/session.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { staff } from './staff.contract.ts';

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

/** Tabs of a staff's detail besides the facts. */
export const staffParts: readonly DetailPart[] = [
  { key: 'rights', label: ['角色与项目', 'Groups and projects'], render: (row) => <RightsPart row={row} /> },
  {
    key: 'permissions',
    label: ['有效权限', 'Effective permissions'],
    render: (row) => (
      <Held element="btn_permission">
        <EffectivePermissionsPart staffId={row.id} />
      </Held>
    ),
  },
  {
    key: 'preview',
    label: ['以其视角预览', 'Preview as'],
    render: (row) => (
      <Held element="btn_permission">
        <PreviewAsPart staffId={row.id} />
      </Held>
    ),
  },
  {
    key: 'sessions',
    label: ['会话', 'Sessions'],
    render: (row) => (
      <Held element="btn_session">
        <SessionsPart staffId={row.id} />
      </Held>
    ),
  },
  {
    key: 'signIns',
    label: ['登录记录', 'Sign-ins'],
    render: (row) => (
      <Suspense fallback={<Skeleton active />}>
        <SignInsPart staffId={row.id} />
      </Suspense>
    ),
  },
  {
    key: 'handover',
    label: ['交接', 'Handover'],
    render: (row) => (
      <Held element="btn_handover">
        <HandoverPart staffId={row.id} name={String(row.name)} />
      </Held>
    ),
  },
  { key: 'changes', label: ['变更', 'Changes'], render: (row) => <Timeline resource={staff} id={row.id} /> },
];

/** A part that needs an element of the users menu. */
function Held({ element, children }: { readonly element: string; readonly children: React.ReactNode }) {
  const text = useText();
  const held = useSession((state) => state.elements[`${staff.menu}:${element}`] === true);
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
