import { useEffect, useEffectEvent } from 'react';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, DetailPart, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { approvalProcess, SCOPES, type ApprovalProcess } from './approval-process.contract.ts';

const ProcessGraph = lazyPart(() => import('./process-versions.tsx').then((module) => module.ProcessGraph));
const ProcessVersions = lazyPart(() =>
  import('./process-versions.tsx').then((module) => module.ProcessVersions),
);
const ProcessStatistics = lazyPart(() =>
  import('./process-statistics.tsx').then((module) => module.ProcessStatistics),
);

const PARTS: readonly (DetailPart & { readonly element?: string })[] = [
  { key: 'graph', label: ['流程图', 'Graph'], render: (row) => <ProcessGraph row={row} /> },
  {
    key: 'versions',
    label: ['版本', 'Versions'],
    element: 'btn_versions',
    render: (row) => <ProcessVersions key={row.id} row={row} />,
  },
  { key: 'statistics', label: ['统计', 'Figures'], render: (row) => <ProcessStatistics row={row} /> },
];

const SLOTS: ScreenSlots = {
  cells: { scopeKind: (row) => <ScopeCell row={row} />, nameZh: (row) => <NameCell row={row} /> },
  // A designer that is open in its tab keeps its query, and with it its draft, unless another one comes along.
  createWith: { withdrawPolicy: 'before_first_decision' },
  actionScreens: { revise: (props) => <Revise {...props} /> },
};

/** Approval processes, with their graph, versions and figures. */
function ApprovalProcessScreen() {
  const held = useHeld(approvalProcess);
  const detailParts = PARTS.filter((one) => one.element === undefined || held(one.element));
  return <ScreenOf contract={approvalProcess} slots={{ ...SLOTS, detailParts }} />;
}

/** The name in the language of the page. */
function NameCell({ row }: { readonly row: RowData }) {
  const text = useText();
  return <>{text([String(row.nameZh ?? ''), String(row.nameEn || row.nameZh || '')])}</>;
}

function ScopeCell({ row }: { readonly row: RowData }) {
  const text = useText();
  const { scopeKind, tenant, unit, projects } = row as unknown as ApprovalProcess;
  const names =
    scopeKind === 'tenant'
      ? tenant?.title
      : scopeKind === 'unit'
        ? unit?.title
        : scopeKind === 'project'
          ? projects.map((one) => one.title).join('、')
          : undefined;
  return (
    <span title={names}>
      {text(SCOPES[scopeKind].label)}
      {names && <span className="k-quiet"> · {names}</span>}
    </span>
  );
}

/** Makes the draft of the next version, or finds the one there is, and opens it in the designer. */
function Revise({ row, close }: ActionScreenProps) {
  const view = useView();
  const begin = useEffectEvent(async () => {
    const answer = await call<{ result: { id: string } }>(
      'POST',
      `${rootOf(approvalProcess)}/${row!.id}/revise`,
      {
        body: { version: row!.version },
        idempotencyKey: newIdempotencyKey(),
      },
    ).catch(() => undefined);
    close();
    if (answer) view.open(`/publicResource/createProcess?id=${answer.result.id}`);
  });
  useEffect(() => void begin(), []);
  return null;
}

/** Approval processes. */
export const screen = { contract: approvalProcess, component: ApprovalProcessScreen };
