import { useState } from 'react';
import { Button, Segmented, Select } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantShort } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { FactValue, ProcessNode } from '../../../domain/approval/process.rules.ts';
import type { NodeMark } from './flow-canvas.tsx';
import { NODE_TYPES, type Kind, type Names } from './flow-words.ts';
import { FactInput, Named } from './node-inputs.tsx';

/** What a trial answers. */
export interface TrialAnswer {
  readonly title: string;
  readonly summary: readonly { readonly label: string; readonly value: string }[];
  readonly nodes: readonly {
    readonly node: string;
    readonly name: string;
    readonly type: ProcessNode['type'];
    readonly need: number;
    readonly dueAt: string | null;
    readonly automatic: 'auto_pass' | 'auto_refuse' | null;
    readonly branches: readonly { readonly key: string; readonly name: string }[];
    readonly people: readonly {
      readonly id: string;
      readonly name: string;
      readonly reason: string;
      readonly repeated: boolean;
    }[];
  }[];
}

/** Tries a process with a starter and a real object or made-up values: nothing is stored. */
export function TrialPanel(props: {
  readonly kind: Kind;
  readonly names: Names;
  /** What is tried, as the server is asked: without starter and object. */
  readonly asked: Readonly<Record<string, unknown>>;
  readonly onAnswer: (marks: ReadonlyMap<string, NodeMark> | undefined) => void;
}) {
  const text = useText();
  const { kind } = props;
  const [starter, setStarter] = useState<{ id: string; title: string }>();
  const [project, setProject] = useState<{ id: string; title: string }>();
  const [way, setWay] = useState<'object' | 'values'>(kind.hasObjects ? 'object' : 'values');
  const [object, setObject] = useState<string>();
  const [facts, setFacts] = useState<Readonly<Record<string, FactValue>>>({});
  const [answer, setAnswer] = useState<TrialAnswer>();
  const [failed, setFailed] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const samples = useQuery({
    queryKey: ['approvalSamples', kind.bizType],
    enabled: kind.hasObjects && way === 'object',
    queryFn: ({ signal }) =>
      call<readonly { id: string; title: string }[]>(
        'GET',
        '/api/jinmao/web/approvalProcess/design/samples',
        { query: { bizType: kind.bizType }, signal, quiet: true },
      ),
  });
  const tryOut = async () => {
    setBusy(true);
    setFailed(undefined);
    try {
      const next = await call<TrialAnswer>('POST', '/api/jinmao/web/approvalProcess/design/trial', {
        body: {
          ...props.asked,
          starter: starter!.id,
          ...(project ? { project: project.id } : {}),
          ...(way === 'object' && object ? { object } : { facts }),
        },
        quiet: true,
      });
      setAnswer(next);
      props.onAnswer(marksOf(next, text));
    } catch (error) {
      setFailed(error);
      setAnswer(undefined);
      props.onAnswer(undefined);
    } finally {
      setBusy(false);
    }
  };
  const ready = starter !== undefined && (way === 'values' || object !== undefined);
  return (
    <div className="pc-fields">
      <Named label={['发起人', 'Starter']}>
        <RemoteSelect
          target="approvalStaff"
          label={text(['发起人', 'Starter'])}
          value={starter ? [starter.id] : []}
          known={starter ? { [starter.id]: starter.title } : {}}
          placeholder={text(['请选择', 'Please choose'])}
          onChange={(_, [entry]) => setStarter(entry)}
        />
      </Named>
      <Named
        label={['项目', 'Project']}
        note={['涉及管理单元负责人或按项目过滤审批人时选择', 'For leaders of units and people of a project']}
      >
        <RemoteSelect
          target="project"
          label={text(['项目', 'Project'])}
          value={project ? [project.id] : []}
          known={project ? { [project.id]: project.title } : {}}
          placeholder={text(['不限', 'None'])}
          onChange={(_, [entry]) => setProject(entry)}
        />
      </Named>
      {kind.hasObjects && (
        <Segmented
          aria-label={text(['试运行的单据', 'What is tried'])}
          value={way}
          options={[
            { value: 'object', label: text(['真实单据', 'A real record']) },
            { value: 'values', label: text(['示例数据', 'Made-up values']) },
          ]}
          onChange={setWay}
        />
      )}
      {way === 'object' ? (
        samples.isError ? (
          <ErrorPanel error={samples.error} onRetry={() => void samples.refetch()} />
        ) : (
          <Select
            className="k-fill"
            aria-label={text(['单据', 'Record'])}
            placeholder={text(['选择一条单据', 'Choose a record'])}
            loading={samples.isFetching}
            value={object ?? null}
            showSearch={{ optionFilterProp: 'label' }}
            notFoundContent={text(['没有可用的单据，请用示例数据', 'No record to try: use made-up values'])}
            options={(samples.data ?? []).map((one) => ({
              value: one.id as string | null,
              label: one.title,
            }))}
            onChange={(id) => setObject(id ?? undefined)}
          />
        )
      ) : (
        kind.fields.map((field) => (
          <Named key={field.name} label={field.label}>
            <FactInput
              field={field}
              value={facts[field.name]}
              label={text(field.label)}
              names={props.names}
              onChange={(value) => setFacts({ ...facts, [field.name]: value })}
            />
          </Named>
        ))
      )}
      <Button type="primary" disabled={!ready} loading={busy} onClick={() => void tryOut()}>
        {text(['试运行', 'Try it'])}
      </Button>
      {failed !== undefined && <ErrorPanel error={failed} onRetry={() => void tryOut()} />}
      {answer && <TrialResult answer={answer} />}
    </div>
  );
}

function marksOf(
  answer: TrialAnswer,
  text: (label: readonly [string, string]) => string,
): ReadonlyMap<string, NodeMark> {
  const marks = new Map<string, NodeMark>();
  for (const one of answer.nodes) {
    const people = one.people.map((person) => person.name).join('、');
    marks.set(one.node, {
      tone: one.automatic === 'auto_refuse' ? 'bad' : 'good',
      text:
        one.automatic === 'auto_refuse'
          ? text(['自动驳回', 'Refused by itself'])
          : one.automatic === 'auto_pass'
            ? text(['自动通过', 'Passes by itself'])
            : people || text(['经过', 'Taken']),
    });
    for (const branch of one.branches)
      marks.set(branch.key, { tone: 'good', text: text(['走此分支', 'Taken']) });
  }
  return marks;
}

function TrialResult({ answer }: { readonly answer: TrialAnswer }) {
  const text = useText();
  return (
    <section aria-live="polite" aria-label={text(['试运行结果', 'Result of the trial'])}>
      <p>
        <strong>{answer.title}</strong>
        {answer.summary.map((one) => (
          <span key={one.label} className="k-quiet">
            {' '}
            · {one.label} {one.value}
          </span>
        ))}
      </p>
      <ol className="pc-list">
        {answer.nodes.map((one) => (
          <li key={one.node}>
            <span className="k-quiet k-small">{text(NODE_TYPES[one.type])}</span> <strong>{one.name}</strong>
            {one.branches.length > 0 && (
              <span>
                {' → '}
                {one.branches.map((branch) => branch.name).join('、')}
              </span>
            )}
            {one.automatic && (
              <span className={one.automatic === 'auto_refuse' ? 'k-bad' : 'k-good'}>
                {' '}
                {one.automatic === 'auto_pass'
                  ? text(['无审批人，自动通过', 'Nobody is found: passes by itself'])
                  : text(['无审批人，自动驳回并结束', 'Nobody is found: is refused and ends'])}
              </span>
            )}
            {one.people.map((person) => (
              <div key={person.id}>
                {person.name} <span className="k-quiet">{person.reason}</span>
                {person.repeated && (
                  <span className="k-good">
                    {' '}
                    {text(['系统自动通过（此前已同意）', 'Passed by itself: agreed before'])}
                  </span>
                )}
              </div>
            ))}
            {one.people.length > 1 && one.need > 0 && (
              <div className="k-quiet k-small">
                {text([`需 ${one.need} 人同意`, `${one.need} of ${one.people.length} have to agree`])}
              </div>
            )}
            {one.people.length === 0 &&
              !one.automatic &&
              one.type !== 'delay' &&
              one.branches.length === 0 && (
                <div className="k-bad">{text(['找不到处理人', 'Nobody is found'])}</div>
              )}
            {one.dueAt && (
              <div className="k-quiet k-small">
                {one.type === 'delay'
                  ? text([`等到 ${instantShort(one.dueAt)}`, `Waits until ${instantShort(one.dueAt)}`])
                  : text([
                      `若此刻到达，时限 ${instantShort(one.dueAt)}`,
                      `Due ${instantShort(one.dueAt)} if it arrived now`,
                    ])}
              </div>
            )}
          </li>
        ))}
      </ol>
      <p className="k-quiet k-small">
        {text(['试运行假定所有人都同意，不保存任何数据', 'Everybody is taken to agree; nothing is stored'])}
      </p>
    </section>
  );
}
