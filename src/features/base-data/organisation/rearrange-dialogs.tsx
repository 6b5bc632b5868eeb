import './organisation.css';
import { useState, type ReactNode } from 'react';
import { Alert, Form, Input, Select, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useLeave } from '../../../kernel/client/parts/use-confirm.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf, type OptionEntry, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { choicesBelow, KINDS, organisation } from './organisation.contract.ts';
import { pathOf, useForest, type ForestNode } from './use-forest.ts';

/** A staff whose rows change. */
interface StaffChange {
  readonly id: number;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly projects: readonly string[];
}

/** What the server says follows. */
interface Consequences {
  readonly name: string;
  readonly refusal: string | null;
  readonly projects: readonly {
    readonly id: string;
    readonly name: string;
    readonly from: string;
    readonly to: string;
  }[];
  readonly lose: readonly StaffChange[];
  readonly gain: readonly StaffChange[];
  readonly others: readonly { readonly title: string; readonly lines: readonly string[] }[];
}

/** What is asked about: a kind of change with its target. */
export interface Question {
  readonly kind: 'move' | 'merge' | 'stop' | 'hang' | 'start';
  readonly id: string;
  readonly parent?: string | null;
  readonly into?: string;
  readonly projects?: readonly string[];
}

/** Asks what would follow; nothing is asked without a question. */
export function useConsequences(question: Question | undefined) {
  return useQuery({
    queryKey: [...keysOf.all(organisation.name), 'consequences', question],
    enabled: question !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<Consequences>('POST', '/api/jinmao/web/organisation/consequences', {
        body: question,
        signal,
        quiet: true,
      }),
  });
}

/** Everything that follows, in words: projects, whose rows go and come, and what other features say. */
export function ConsequenceList({ found }: { readonly found: Consequences }) {
  const text = useText();
  return (
    <ul className="org-consequences" aria-label={text(['影响', 'Consequences'])}>
      <li>
        {text([`项目 ${found.projects.length} 个`, `${found.projects.length} projects`])}
        <ul className="org-names">
          {found.projects.map((one) => (
            <li key={one.id}>{one.from === one.to ? one.name : `${one.name}（${one.from} → ${one.to}）`}</li>
          ))}
        </ul>
      </li>
      <StaffLines
        label={[`${found.lose.length} 名员工失去数据`, `${found.lose.length} staff lose rows`]}
        staff={found.lose}
      />
      <StaffLines
        label={[`${found.gain.length} 名员工得到数据`, `${found.gain.length} staff gain rows`]}
        staff={found.gain}
      />
      {found.others.map((one) => (
        <li key={one.title}>
          {one.title}
          {one.lines.map((line) => (
            <small key={line}>{line}</small>
          ))}
        </li>
      ))}
    </ul>
  );
}

function StaffLines({ label, staff }: { readonly label: Label; readonly staff: readonly StaffChange[] }) {
  const text = useText();
  return (
    <li>
      {text(label)}
      <ul className="org-names">
        {staff.map((one) => (
          <li key={one.id} title={one.projects.join('、')}>
            {text([
              `${one.name} ${one.from} → ${one.to} 个项目`,
              `${one.name} ${one.from} → ${one.to} projects`,
            ])}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** The frame of every rearrangement: inputs, what follows, the typed name where staff lose rows, one button. */
function RearrangeDialog(props: {
  readonly row: RowData;
  readonly verb: Label;
  readonly action: 'move' | 'merge' | 'stop' | 'hang';
  readonly question: Question | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  readonly typed: boolean;
  readonly needsReason: boolean;
  readonly danger?: boolean;
  readonly done: ActionScreenProps['done'];
  readonly close: () => void;
  readonly children?: ReactNode;
}) {
  const { row, question } = props;
  const text = useText();
  const guard = useSubmitGuard();
  const [reason, setReason] = useState('');
  const [name, setName] = useState('');
  const [failure, setFailure] = useState('');
  const asked = useConsequences(question);
  const found = question ? asked.data : undefined;
  const { leave, forget } = useLeave(props.typed || reason !== '' || name !== '', props.close);
  const confirms = (found?.lose.length ?? 0) > 0;
  const ready =
    found !== undefined &&
    !asked.isFetching &&
    found.refusal === null &&
    (!confirms || name.trim() === found.name) &&
    (!props.needsReason || reason.trim() !== '');
  const submit = () =>
    void guard.run(async () => {
      setFailure('');
      try {
        await call('POST', `/api/jinmao/web/organisation/${row.id}/${props.action}`, {
          body: {
            ...(row.version === undefined ? {} : { version: row.version }),
            ...props.input,
            reason: reason.trim(),
            ...(confirms ? { confirmName: name.trim() } : {}),
          },
          idempotencyKey: newIdempotencyKey(),
        });
      } catch (error) {
        tellFault(error);
        setFailure(error instanceof ApiError ? error.message : '');
        return;
      }
      forget();
      props.done([row.id]);
    });
  return (
    <AppModal
      open
      width={640}
      title={`${text(props.verb)}${text(['「', ' "'])}${String(row.name)}${text(['」', '"'])}`}
      okText={text(props.verb)}
      okButtonProps={{ danger: props.danger ?? false, disabled: !ready || (guard.locked && !guard.busy) }}
      confirmLoading={guard.busy}
      onOk={submit}
      onCancel={leave}
    >
      {failure && <Alert className="k-dialog-error" type="error" showIcon title={failure} />}
      <Form layout="vertical" component={false}>
        {props.children}
        <Form.Item label={text(['原因', 'Reason'])} required={props.needsReason}>
          <Input.TextArea
            rows={2}
            maxLength={200}
            value={reason}
            aria-label={text(['原因', 'Reason'])}
            onChange={(event) => setReason(event.target.value)}
          />
        </Form.Item>
        {question && asked.isPending && <Skeleton active paragraph={{ rows: 3 }} title={false} />}
        {question && asked.isError && (
          <Alert type="error" showIcon title={asked.error instanceof ApiError ? asked.error.message : ''} />
        )}
        {found && (
          <div role="status">
            {found.refusal !== null ? (
              <Alert type="warning" showIcon title={found.refusal} />
            ) : (
              <ConsequenceList found={found} />
            )}
          </div>
        )}
        {found && confirms && found.refusal === null && (
          <Form.Item
            label={text([
              `${found.lose.length} 名员工将失去数据，请输入机构名称「${found.name}」确认`,
              `${found.lose.length} staff lose rows: type the name "${found.name}" to confirm`,
            ])}
            required
          >
            <Input
              value={name}
              aria-label={text(['输入机构名称确认', 'Type the name to confirm'])}
              onChange={(event) => setName(event.target.value)}
            />
          </Form.Item>
        )}
      </Form>
    </AppModal>
  );
}

/** Nodes of the tree to choose one of, by name and path. */
export function NodeSelect(props: {
  readonly label: string;
  readonly value: string | undefined;
  readonly allows: (node: ForestNode) => boolean;
  readonly onChange: (id: string | undefined) => void;
  readonly top?: string;
  readonly clears?: boolean;
}) {
  const text = useText();
  const { data: nodes = [], isPending } = useForest();
  const options = nodes
    .filter(props.allows)
    .map((node) => ({ value: node.id, label: pathOf(nodes, node.id), code: node.code }));
  return (
    <Select
      className="k-fill"
      showSearch={{
        filterOption: (keyword, option) =>
          `${option?.label} ${option?.code}`.toLowerCase().includes(keyword.toLowerCase()),
      }}
      allowClear={props.clears ?? false}
      loading={isPending}
      aria-label={props.label}
      placeholder={text(['请选择', 'Choose'])}
      value={props.value ?? null}
      options={props.top === undefined ? options : [{ value: '', label: props.top, code: '' }, ...options]}
      onChange={(id: string | null) => props.onChange(id ?? undefined)}
    />
  );
}

/** Under another parent, after everything that follows was shown. A row dropped in the tree comes with its target. */
export function MoveDialog({ row, close, done }: ActionScreenProps & { readonly row: RowData }) {
  const text = useText();
  const dropped = row.dropped as string | null | undefined;
  const [parent, setParent] = useState<string | undefined>(dropped === null ? '' : dropped);
  const own = (row.parent as OptionEntry | null)?.id ?? '';
  return (
    <RearrangeDialog
      row={row}
      verb={['移动', 'Move']}
      action="move"
      question={parent === undefined ? undefined : { kind: 'move', id: row.id, parent: parent || null }}
      input={{ parent: parent || null }}
      typed={parent !== undefined}
      needsReason={false}
      done={done}
      close={close}
    >
      <Form.Item label={text(['新的上级', 'New parent'])} required>
        <NodeSelect
          label={text(['新的上级', 'New parent'])}
          value={parent}
          {...(row.kind === 'company' && own !== '' ? { top: text(['最上级', 'At the top']) } : {})}
          allows={(node) =>
            node.kind !== 'project' &&
            node.id !== own &&
            node.id !== row.id &&
            choicesBelow(node.kind).includes(row.kind as never)
          }
          onChange={setParent}
        />
      </Form.Item>
    </RearrangeDialog>
  );
}

/** Into another one of the same kind: children and projects go along, this one stays as history. */
export function MergeDialog({ row, close, done }: ActionScreenProps & { readonly row: RowData }) {
  const text = useText();
  const [into, setInto] = useState<string>();
  return (
    <RearrangeDialog
      row={row}
      verb={['合并', 'Merge']}
      action="merge"
      question={into ? { kind: 'merge', id: row.id, into } : undefined}
      input={{ into }}
      typed={into !== undefined}
      needsReason
      danger
      done={done}
      close={close}
    >
      <Form.Item
        label={text([
          `并入哪个${KINDS[row.kind as keyof typeof KINDS].label[0]}`,
          `Into which ${KINDS[row.kind as keyof typeof KINDS].label[1].toLowerCase()}`,
        ])}
        extra={text([
          '下级与项目随之转移，本机构不再可选，历史保留',
          'Children and projects go along; this one can no longer be chosen, its history stays',
        ])}
        required
      >
        <NodeSelect
          label={text(['目标机构', 'Into'])}
          value={into}
          allows={(node) => node.kind === row.kind && node.id !== row.id}
          onChange={setInto}
        />
      </Form.Item>
    </RearrangeDialog>
  );
}

/** Out of use; refused while something enabled is below it. */
export function StopDialog({ row, close, done }: ActionScreenProps & { readonly row: RowData }) {
  return (
    <RearrangeDialog
      row={row}
      verb={['停用', 'Stop']}
      action="stop"
      question={{ kind: 'stop', id: row.id }}
      input={{}}
      typed={false}
      needsReason
      danger
      done={done}
      close={close}
    />
  );
}

/** Many projects at once below a management unit, from wherever they hang. */
export function HangDialog({ row, close, done }: ActionScreenProps & { readonly row: RowData }) {
  const text = useText();
  const [projects, setProjects] = useState<readonly OptionEntry[]>([]);
  const ids = projects.map((one) => one.id);
  return (
    <RearrangeDialog
      row={row}
      verb={['挂接项目到', 'Hang projects below']}
      action="hang"
      question={ids.length > 0 ? { kind: 'hang', id: row.id, projects: ids } : undefined}
      input={{ projects: ids }}
      typed={ids.length > 0}
      needsReason={false}
      done={done}
      close={close}
    >
      <Form.Item label={text(['项目', 'Projects'])} required>
        <RemoteSelect
          target="project"
          multiple
          label={text(['项目', 'Projects'])}
          placeholder={text(['请选择项目', 'Choose projects'])}
          value={ids}
          known={Object.fromEntries(projects.map((one) => [one.id, one.title]))}
          onChange={(_ids, entries) => setProjects(entries)}
        />
      </Form.Item>
    </RearrangeDialog>
  );
}
