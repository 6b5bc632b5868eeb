import './approval-handling.css';
import { useEffect, useEffectEvent } from 'react';
import { Button, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { RUN_STATES } from '../approval-centre/approval-task.contract.ts';
import { approvalHandling } from './approval-handling.contract.ts';
import { DecisionBar } from './decision-bar.tsx';
import { FlowGraph } from './flow-graph.tsx';
import type { BarredApproval, ShownApproval, ShownFact } from './handling-types.ts';
import { Rounds } from './rounds.tsx';

const Gallery = lazyPart(() =>
  import('../../../kernel/client/detail/gallery.tsx').then((module) => module.Gallery),
);

/** One approval: what it is about at the left, where it stands and what was said at the right. */
function HandlingScreen() {
  const view = useView();
  const id = view.params.id ?? '';
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: ['approval', 'instance', id],
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<ShownApproval | BarredApproval>('GET', `/api/admin/approval/instance/${encodeURIComponent(id)}`, {
        signal,
        quiet: true,
      }),
  });
  const name = useEffectEvent((code: string) => view.setTitle(code));
  useEffect(() => {
    if (data) name(data.code);
  }, [data]);
  if (isPending)
    return (
      <div className="k-screen">
        <Skeleton active paragraph={{ rows: 8 }} />
      </div>
    );
  if (isError)
    return (
      <div className="k-screen">
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      </div>
    );
  if (data.barred) return <Barred approval={data} />;
  return <Shown key={data.id} approval={data} />;
}

/** Handling one approval. */
export const screen = { contract: approvalHandling, component: HandlingScreen };

function Barred({ approval }: { readonly approval: BarredApproval }) {
  return (
    <div className="k-screen">
      <PageTitle title={approvalHandling.title} />
      <div className="k-state" role="alert">
        <strong>
          {approval.kindName} {approval.code}
        </strong>
        <span>{approval.note}</span>
      </div>
    </div>
  );
}

function Shown({ approval }: { readonly approval: ShownApproval }) {
  const text = useText();
  const view = useView();
  const state = RUN_STATES[approval.state as keyof typeof RUN_STATES];
  const facts = [
    { label: text(['编号', 'No.']), value: approval.code },
    { label: text(['业务类型', 'Type']), value: approval.kindName },
    { label: text(['发起人', 'Started by']), value: approval.starter },
    ...(approval.project ? [{ label: text(['项目', 'Project']), value: approval.project }] : []),
    { label: text(['发起时间', 'Started']), value: approval.startedAt },
    ...(approval.endedAt ? [{ label: text(['结束时间', 'Ended']), value: approval.endedAt }] : []),
  ];
  return (
    <div className="k-screen handling">
      <PageTitle
        title={[approval.title, approval.title]}
        after={
          <>
            <StatusTag choice={state} />
            {approval.round > 1 && (
              <span className="k-quiet">{text([`第 ${approval.round} 轮`, `Round ${approval.round}`])}</span>
            )}
            {approval.awaitsStarter && (
              <span className="handling-waits">
                {text(['已退回，等待发起人重新提交', 'Returned: waits for the starter'])}
              </span>
            )}
          </>
        }
      >
        {view.mayOpen(approval.route) && (
          <Button onClick={() => view.open(approval.route)}>
            {text(['打开业务页面', 'Open the record'])}
          </Button>
        )}
        <Button onClick={() => window.print()}>{text(['打印', 'Print'])}</Button>
      </PageTitle>
      <div className="handling-body">
        <section className="handling-object" aria-label={text(['审批内容', 'What it is about'])}>
          <Facts title={text(['审批', 'Approval'])} values={facts} />
          {approval.sections.length === 0 && (
            <Facts title={text(['摘要', 'Summary'])} values={approval.summary} />
          )}
          {approval.sections.map((part) => (
            <Facts key={part.title} title={part.title} values={part.values} />
          ))}
        </section>
        <aside className="handling-flow">
          <section aria-labelledby="handling-graph">
            <h2 id="handling-graph">{text(['流程', 'Flow'])}</h2>
            <FlowGraph nodes={approval.graph} />
          </section>
          <section aria-labelledby="handling-rounds">
            <h2 id="handling-rounds">{text(['审批记录', 'History'])}</h2>
            <Rounds rounds={approval.rounds} />
          </section>
        </aside>
      </div>
      <DecisionBar approval={approval} />
    </div>
  );
}

function Facts({ title, values }: { readonly title: string; readonly values: readonly ShownFact[] }) {
  if (values.length === 0) return null;
  return (
    <div className="handling-part">
      <h2>{title}</h2>
      <dl>
        {values.map((one) => (
          <div key={one.label}>
            <dt>{one.label}</dt>
            <dd className={/^-?[\d,]+\.\d{2}$/.test(one.value) ? 'k-number' : ''}>
              {one.pictures ? <Gallery files={one.pictures} /> : one.value}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
