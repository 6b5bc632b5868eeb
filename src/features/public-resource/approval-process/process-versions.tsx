import './flow-canvas.css';
import { useState } from 'react';
import { Select, Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { ask, message } from '../../../kernel/client/feedback.ts';
import { instantShort } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { ProcessNode } from '../../../domain/approval/process.rules.ts';
import { approvalProcess } from './approval-process.contract.ts';
import { FlowCanvas, type NodeMark } from './flow-canvas.tsx';
import { treeDifference, type NodeChange } from './flow-edit.rules.ts';
import { useKinds } from './use-kinds.ts';
import { useNames } from './use-names.ts';

interface Version {
  readonly id: string;
  readonly processVersion: number;
  readonly state: 'draft' | 'published' | 'stopped';
  readonly superseded: boolean;
  readonly nodes: readonly ProcessNode[];
  readonly publishedAt: string | null;
  readonly publisher: string | null;
  readonly running: number;
}

const WORDS: Readonly<
  Record<Exclude<NodeChange, 'same'>, { tone: NodeMark['tone']; label: readonly [string, string] }>
> = {
  added: { tone: 'new', label: ['新增', 'New'] },
  removed: { tone: 'bad', label: ['已删除', 'Gone'] },
  changed: { tone: 'changed', label: ['有修改', 'Changed'] },
  moved: { tone: 'changed', label: ['已移动', 'Moved'] },
};

/** The versions of a process, two of them side by side, and the way back to an old one. */
export function ProcessVersions({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const held = useHeld(approvalProcess);
  const kinds = useKinds();
  const list = useQuery({
    queryKey: [...keysOf.row(approvalProcess.name, row.id), 'versions', row.version],
    queryFn: ({ signal }) =>
      call<readonly Version[]>('GET', `${rootOf(approvalProcess)}/${row.id}/versions`, {
        signal,
        quiet: true,
      }),
  });
  const [chosen, setChosen] = useState<{ readonly left?: string; readonly right?: string }>({});
  const kind = kinds.data?.find((one) => one.bizType === row.bizType);
  const versions = list.data ?? [];
  const right = versions.find((one) => one.id === (chosen.right ?? row.id)) ?? versions[0];
  const left =
    versions.find((one) => one.id === chosen.left) ??
    versions.find((one) => right && one.processVersion < right.processVersion) ??
    versions.find((one) => one !== right);
  const names = useNames([...(left?.nodes ?? []), ...(right?.nodes ?? [])], kind);
  if (list.isError) return <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />;
  if (list.isPending || !right) return <Skeleton active />;
  const label = (one: Version) =>
    text([`第 ${one.processVersion} 版 · `, `Version ${one.processVersion} · `]) +
    text(one.superseded ? ['历史版本', 'Superseded'] : approvalProcess.states![one.state]!.label);
  const rollBack = async (one: Version) => {
    const sure = await ask({
      title: ['回退流程', 'Roll back'],
      text: [
        `将第 ${one.processVersion} 版作为新版本重新发布，立即替换当前版本？`,
        `Publish version ${one.processVersion} anew, as a new version that takes over at once?`,
      ],
      confirm: ['回退', 'Roll back'],
      cancel: ['取消', 'Cancel'],
    });
    if (!sure) return;
    const answer = await call<{ processVersion: number }>(
      'POST',
      `${rootOf(approvalProcess)}/${row.id}/rollback`,
      {
        body: { processVersion: one.processVersion },
        idempotencyKey: newIdempotencyKey(),
      },
    ).catch(() => undefined);
    if (!answer) return;
    message.success(
      text([
        `已发布第 ${answer.processVersion} 版（内容同第 ${one.processVersion} 版）`,
        `Version ${answer.processVersion} is published with the content of version ${one.processVersion}`,
      ]),
      4,
    );
    await client.invalidateQueries({ queryKey: keysOf.all(approvalProcess.name) });
    view.open(view.path);
  };
  const select = (side: 'left' | 'right', value: string | undefined) => (
    <Select
      value={value ?? null}
      aria-label={text(
        side === 'left' ? ['左侧版本', 'Version at the left'] : ['右侧版本', 'Version at the right'],
      )}
      options={versions.map((one) => ({ value: one.id as string | null, label: label(one) }))}
      onChange={(id) => setChosen({ ...chosen, [side]: id ?? undefined })}
    />
  );
  const difference = left && treeDifference(left.nodes, right.nodes);
  const marks = (side: 'left' | 'right') =>
    new Map(
      [...(difference ?? [])].flatMap(([key, change]) =>
        change === 'same' || (side === 'left') !== (change === 'removed')
          ? []
          : [[key, { tone: WORDS[change].tone, text: text(WORDS[change].label) }] as const],
      ),
    );
  const changes = [...(difference?.values() ?? [])].filter((one) => one !== 'same').length;
  return (
    <>
      <ul className="pc-list">
        {versions.map((one) => (
          <li key={one.id} className="pc-row">
            <span className="pc-grow">
              <strong>{label(one)}</strong>{' '}
              <span className="k-quiet">
                {one.publishedAt && `${instantShort(one.publishedAt)} ${one.publisher ?? ''}`}
                {one.running > 0 && text([` · 运行中 ${one.running}`, ` · ${one.running} running`])}
              </span>
            </span>
            {one.publishedAt && one.state === 'stopped' && held('btn_publish') && (
              <button type="button" className="k-link" onClick={() => void rollBack(one)}>
                {text(['回退到此版本', 'Roll back to it'])}
              </button>
            )}
          </li>
        ))}
      </ul>
      {left && (
        <>
          <h3>
            {text(['版本对比', 'Compare'])}{' '}
            <span className="k-quiet k-small">
              {changes === 0
                ? text(['没有变化', 'No change'])
                : text([`${changes} 个节点有变化`, `${changes} nodes differ`])}
            </span>
          </h3>
          <div className="pc-heads">
            {select('left', left.id)}
            {select('right', right.id)}
          </div>
        </>
      )}
      <div className={left ? 'pc-two' : ''}>
        {[...(left ? [left] : []), right].map((one, index) => (
          <section key={`${one.id} ${index}`} aria-label={label(one)}>
            <FlowCanvas
              nodes={one.nodes}
              names={names}
              fields={kind?.fields ?? []}
              label={label(one)}
              zoom={0.75}
              marks={marks(left && index === 0 ? 'left' : 'right')}
            />
          </section>
        ))}
      </div>
    </>
  );
}

/** The nodes of a version as a graph. */
export function ProcessGraph({ row }: { readonly row: RowData }) {
  const text = useText();
  const kinds = useKinds();
  const kind = kinds.data?.find((one) => one.bizType === row.bizType);
  const nodes = (row.nodes as readonly ProcessNode[] | undefined) ?? [];
  const names = useNames(nodes, kind);
  return (
    <FlowCanvas
      nodes={nodes}
      names={names}
      fields={kind?.fields ?? []}
      label={text(['流程图', 'Graph of the process'])}
    />
  );
}
