import './flow-canvas.css';
import { useEffect, useEffectEvent, useState } from 'react';
import { Button, Form, Select, Skeleton } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { DraftOffer } from '../../../kernel/client/form/draft-offer.tsx';
import { FieldForm } from '../../../kernel/client/form/field-form.tsx';
import {
  initialValues,
  writtenValues,
  type FormValues,
} from '../../../kernel/client/form/form-values.rules.ts';
import { StepsHead } from '../../../kernel/client/form/steps-head.tsx';
import { useDraft } from '../../../kernel/client/form/use-draft.ts';
import { useFormRow } from '../../../kernel/client/form/use-form-row.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { useLeaveQuestion } from '../../../kernel/client/parts/use-confirm.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { useTabLeaves } from '../../../kernel/client/parts/tab-leaves.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { formWords } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Fields } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ResourceSpec } from '../../../kernel/contract/resource.ts';
import { allNodes, type ProcessNode } from '../../../domain/approval/process.rules.ts';
import { approvalProcess, SCOPES } from './approval-process.contract.ts';
import { FlowCanvas, type CanvasEdit, type NodeMark } from './flow-canvas.tsx';
import {
  addBranch,
  changeNode,
  copyNode,
  insertNode,
  moveNode,
  newNode,
  redone,
  removeBranch,
  removeNode,
  stepBranch,
  stepNode,
  undone,
  withStep,
  type History,
} from './flow-edit.rules.ts';
import { NODE_TYPES, type Kind } from './flow-words.ts';
import { NodeDrawer } from './node-drawer.tsx';
import { TrialPanel } from './trial-panel.tsx';
import { useKinds } from './use-kinds.ts';
import { useNames } from './use-names.ts';

const LIST = '/publicResource/approvalProcess';
const resource = approvalProcess as unknown as ResourceSpec;
const STEPS: readonly Label[] = [
  ['基本信息', 'Basics'],
  ['流程设计', 'Flow'],
  ['检查与试运行', 'Check and trial'],
];
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5];
const BASICS = [
  'bizType',
  'nameZh',
  'nameEn',
  'scopeKind',
  'tenant',
  'unit',
  'projects',
  'admin',
  'titleZh',
  'titleEn',
  'summaryFields',
  'withdrawPolicy',
  'repeatPolicy',
];
/** Where the designer of a new process begins: one step up the line decides. */
const first = (name: string): readonly ProcessNode[] => [
  {
    ...(newNode([], 'approve', name, '') as Extract<ProcessNode, { mode: string }>),
    candidates: [{ kind: 'leader', levels: 1 }],
  },
];

/** Draws a process in three steps: a new one, one like another (`copyOf`), or the draft `id`. */
function ProcessDesigner() {
  const text = useText();
  const view = useView();
  const id = view.query.get('id') ?? undefined;
  const copyOf = view.query.get('copyOf') ?? view.query.get('copy') ?? undefined;
  const kinds = useKinds();
  const row = useFormRow(resource, id ?? copyOf);
  const nameOf = (one: RowData) => text([String(one.nameZh), String(one.nameEn || one.nameZh)]);
  const head = (name?: string) => (
    <header className="k-title">
      <h1>
        {text(id ? ['流程设计', 'Process designer'] : ['新建流程', 'New process'])}
        {name && <span className="k-title-name">{name}</span>}
      </h1>
    </header>
  );
  const frame = (body: React.ReactNode, name?: string) => (
    <div className="k-screen k-form-page">
      {head(name)}
      {body}
    </div>
  );
  const failed = kinds.isError ? kinds : row.isError ? row : undefined;
  if (failed) return frame(<ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />);
  if (!kinds.data || ((id ?? copyOf) !== undefined && !row.data))
    return frame(<Skeleton active paragraph={{ rows: 10 }} />);
  if (id && row.data && !row.data.actions.includes('update'))
    return frame(
      <div className="k-state" role="alert">
        <strong>{text(formWords.notEditable)}</strong>
        <span className="k-quiet">
          {text([
            '已发布或停用的版本不可修改，请在列表中点「设计」生成新版本草稿',
            'What was published never changes: Design in the list makes a draft of a new version',
          ])}
        </span>
        <Button onClick={() => view.open(LIST)}>{text(resource.title)}</Button>
      </div>,
      nameOf(row.data),
    );
  return frame(
    <Designer
      key={`${id ?? ''} ${copyOf ?? ''} ${row.data?.version ?? 0}`}
      id={id}
      row={row.data}
      kinds={kinds.data}
    />,
    id ? nameOf(row.data!) : undefined,
  );
}

function Designer({
  id,
  row,
  kinds,
}: {
  readonly id: string | undefined;
  readonly row: RowData | undefined;
  readonly kinds: readonly Kind[];
}) {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const held = useHeld(resource);
  const guard = useSubmitGuard();
  const mayLeave = useLeaveQuestion();
  const leaves = useTabLeaves();
  const tenantType = useSession((state) => state.info?.tenantType);
  const isPlatform = tenantType === 3;
  const [form] = Form.useForm();
  const [step, setStep] = useState(() => Math.min(2, Number(view.query.get('step') ?? 0) || 0));
  const fields = fieldsFor(kinds, isPlatform);
  const [initial] = useState<FormValues>(() =>
    row
      ? {
          ...initialValues(fields, BASICS, row),
          ...(id
            ? {}
            : {
                nameZh: `${String(row.nameZh).slice(0, 37)} 副本`,
                ...(row.nameEn ? { nameEn: `${String(row.nameEn).slice(0, 73)} (copy)` } : {}),
              }),
        }
      : {
          ...initialValues(fields, BASICS),
          scopeKind: isPlatform ? 'platform' : 'tenant',
          withdrawPolicy: 'before_first_decision',
          repeatPolicy: 'only_consecutive',
        },
  );
  const [values, setValues] = useState<FormValues>(initial);
  const [start] = useState(
    () => (row?.nodes as readonly ProcessNode[] | undefined) ?? first(text(['上级审批', 'Leader decides'])),
  );
  const [history, setHistory] = useState<History<readonly ProcessNode[]>>({
    past: [],
    now: start,
    future: [],
  });
  const [version, setVersion] = useState(row?.version);
  const [saved, setSaved] = useState(() => (id ? textOf(initial, start) : ''));
  const [opened, setOpened] = useState<{ readonly key: string; readonly branch?: string }>();
  const [problems, setProblems] = useState<readonly { node: string; text: string }[]>();
  const [trial, setTrial] = useState<ReadonlyMap<string, NodeMark>>();
  const [zoom, setZoom] = useState(1);
  const kept = useDraft(`approvalProcess:${id ?? 'new'}`);
  const nodes = history.now;
  const kind = kinds.find((one) => one.bizType === values.bizType);
  const names = useNames(nodes, kind);
  const now = textOf(values, nodes);
  const untouched = id ? now === saved : now === textOf(initial, start);
  const mark = useEffectEvent((dirty: boolean) => {
    view.setDirty(dirty);
    if (!dirty) return kept.keep(undefined, null);
    kept.keep({ ...values, nodes }, version ?? null, {
      title: resource.title,
      row: id ? [String(initial.nameZh), String(initial.nameZh)] : null,
      path: id ? `${view.path}?id=${id}` : view.path,
    });
  });
  useEffect(() => mark(!untouched), [untouched, now]);

  const checkFirst = useEffectEvent(() => step === 2 && void check());
  useEffect(() => void checkFirst(), []);

  const change = (next: readonly ProcessNode[]) => {
    setHistory((old) => withStep(old, next));
    setProblems(undefined);
    setTrial(undefined);
  };
  const goTo = async (next: number) => {
    if (next > 0 && step === 0 && !(await valid())) return;
    setStep(next);
    if (next === 2) void check();
  };
  const shown = shownBasics(values, id !== undefined, isPlatform);
  const valid = () =>
    form.validateFields(shown).then(
      () => true,
      () => false,
    );
  const body = () => ({
    ...writtenValues(fields, id ? BASICS.filter((name) => name !== 'bizType') : BASICS, values),
    ...cleared(values),
    nodes,
  });
  const designPart = () => ({
    bizType: values.bizType,
    nodes,
    ...(idOf(values.admin) ? { admin: idOf(values.admin) } : {}),
  });
  const check = async () => {
    const found = await call<readonly { node: string; text: string }[]>(
      'POST',
      '/api/jinmao/web/approvalProcess/design/check',
      { body: designPart() },
    ).catch(() => undefined);
    setProblems(found);
    return found;
  };
  /** Saves the draft; the row as it is now, or nothing when it was refused and said. */
  const save = async (): Promise<RowData | undefined> => {
    if (!(await valid())) {
      setStep(0);
      return undefined;
    }
    try {
      const answer = await call<RowData>(
        id ? 'PUT' : 'POST',
        id ? `${rootOf(resource)}/${id}` : rootOf(resource),
        {
          body: { ...body(), ...(id ? { version } : {}) },
          idempotencyKey: newIdempotencyKey(),
        },
      );
      setVersion(answer.version);
      setSaved(now);
      kept.forget();
      view.setDirty(false);
      void client.invalidateQueries({ queryKey: [...keysOf.all(resource.name), 'page'] });
      void client.invalidateQueries({ queryKey: [...keysOf.all(resource.name), 'counts'] });
      return answer;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const basics = Object.entries(error.fields).filter(([name]) => BASICS.includes(name));
      if (basics.length > 0) {
        setStep(0);
        form.setFields(basics.map(([name, problem]) => ({ name, errors: [problem] })));
      }
      return undefined;
    }
  };
  const saveOnly = async () => {
    const answer = await save();
    if (!answer) return;
    message.success(text(['草稿已保存', 'The draft is saved']), 2);
    if (!id) view.setQuery(new URLSearchParams({ id: answer.id, step: String(step) }));
  };
  const publish = async () => {
    const found = await check();
    if (!found || found.length > 0) return;
    const answer = untouched && id ? ({ id, version } as RowData) : await save();
    if (!answer) return;
    try {
      await call('POST', `${rootOf(resource)}/${answer.id}/publish`, {
        body: { version: answer.version },
        idempotencyKey: newIdempotencyKey(),
      });
      message.success(text(['已发布', 'Published']), 2);
      leave();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const told = Object.entries(error.fields).filter(([name]) => name.startsWith('nodes.'));
      if (told.length > 0)
        setProblems(
          told.map(([name, problem]) => ({
            node: name.split('.').slice(2).join('.').replace(/^-$/, ''),
            text: problem,
          })),
        );
      if (!id) view.setQuery(new URLSearchParams({ id: answer.id, step: '2' }));
    }
  };
  const leave = () => {
    kept.forget();
    view.setDirty(false);
    void client.invalidateQueries({ queryKey: keysOf.all(resource.name) });
    view.open(LIST);
    view.close();
  };
  const cancel = async () => {
    if (!untouched && !(await mayLeave())) return;
    leave();
  };
  const restore = () => {
    const { nodes: keptNodes, ...rest } = kept.found!.values as FormValues & {
      readonly nodes?: readonly ProcessNode[];
    };
    form.setFieldsValue(rest);
    setValues({ ...values, ...rest });
    if (keptNodes) change(keptNodes);
    kept.taken();
  };

  const edit: CanvasEdit = {
    open: (key) => setOpened({ key }),
    openBranch: (key, branch) => setOpened({ key, branch }),
    add: (place, type) => {
      const node = newNode(nodes, type, text(NODE_TYPES[type]), text(['分支', 'Branch']));
      change(
        insertNode(
          nodes,
          place,
          'branches' in node
            ? {
                ...node,
                branches: node.branches.map((one) =>
                  one.otherwise ? { ...one, name: text(['其他情况', 'Everything else']) } : one,
                ),
              }
            : node,
        ),
      );
      setOpened({ key: node.key });
    },
    move: (key, place) => change(moveNode(nodes, key, place)),
    step: (key, by) => change(stepNode(nodes, key, by)),
    copy: (key) => change(copyNode(nodes, key, text(['（副本）', ' (copy)']))),
    remove: (key) => {
      change(removeNode(nodes, key));
      setOpened(undefined);
      message.success(text(['已删除节点，可撤销', 'Node deleted: undo brings it back']), 2);
    },
    addBranch: (key) => change(addBranch(nodes, key, text(['新分支', 'New branch']))),
    removeBranch: (key, branch) => change(removeBranch(nodes, key, branch)),
    stepBranch: (key, branch, by) => change(stepBranch(nodes, key, branch, by)),
  };
  const node = opened && allNodes(nodes).find((one) => one.key === opened.key);
  const marks = marksOf(problems) ?? trial;

  return (
    <div
      className="k-form-host k-form-host-page"
      onKeyDown={(event) => {
        if (step !== 1 || !(event.ctrlKey || event.metaKey) || isTyping(event.target)) return;
        const key = event.key.toLowerCase();
        if (key !== 'z' && key !== 'y') return;
        event.preventDefault();
        setHistory(key === 'y' || event.shiftKey ? redone : undone);
      }}
    >
      <div className="k-form-body">
        {kept.found && untouched && (
          <DraftOffer draft={kept.found} onRestore={restore} onDrop={kept.forget} />
        )}
        <StepsHead
          titles={STEPS}
          active={step}
          free={id !== undefined}
          onChange={(next) => void goTo(next)}
        />
        <div hidden={step !== 0}>
          <FieldForm
            form={form}
            name={`approvalProcess-${id ?? 'new'}`}
            fields={fields}
            sections={[{ fields: shown }]}
            initial={initial}
            columns={2}
            inputs={{
              summaryFields: (input) => (
                <Select
                  {...leaves}
                  mode="multiple"
                  className="k-fill"
                  {...(input.id ? { id: input.id } : {})}
                  maxCount={4}
                  value={(input.value as string[] | undefined) ?? []}
                  placeholder={text(['不选则用业务自带摘要', 'Left empty, the record says its own'])}
                  options={(kind?.fields ?? [])
                    .filter((field) => field.kind !== 'staff')
                    .map((field) => ({ value: field.name, label: text(field.label) }))}
                  onChange={(next: string[]) => input.onChange?.(next)}
                />
              ),
            }}
            onChange={(next) => setValues({ ...values, ...next })}
          />
          {kind && kind.fields.length > 0 && (
            <p className="k-quiet k-small">
              {text(['标题可用字段：', 'Fields for titles: '])}
              {['title', ...kind.fields.map((field) => field.name)].map((name) => `{${name}}`).join(' ')}
            </p>
          )}
        </div>
        {step === 1 && kind && (
          <>
            <div className="pc-tools" role="toolbar" aria-label={text(['画布工具', 'Canvas tools'])}>
              <ToolButton
                label={['撤销（Ctrl+Z）', 'Undo (Ctrl+Z)']}
                icon="undo"
                disabled={history.past.length === 0}
                run={() => setHistory(undone)}
              />
              <ToolButton
                label={['重做（Ctrl+Y）', 'Redo (Ctrl+Y)']}
                icon="redo"
                disabled={history.future.length === 0}
                run={() => setHistory(redone)}
              />
              <span className="pc-space" />
              <button
                type="button"
                className="k-button"
                disabled={zoom === ZOOMS[0]}
                aria-label={text(['缩小', 'Zoom out'])}
                onClick={() => setZoom(ZOOMS[ZOOMS.indexOf(zoom) - 1] ?? zoom)}
              >
                −
              </button>
              <button
                type="button"
                className="k-button"
                aria-label={text(['恢复原大小', 'Full size'])}
                onClick={() => setZoom(1)}
              >
                {Math.round(zoom * 100)}%
              </button>
              <button
                type="button"
                className="k-button"
                disabled={zoom === ZOOMS.at(-1)}
                aria-label={text(['放大', 'Zoom in'])}
                onClick={() => setZoom(ZOOMS[ZOOMS.indexOf(zoom) + 1] ?? zoom)}
              >
                +
              </button>
            </div>
            <FlowCanvas
              nodes={nodes}
              names={names}
              fields={kind.fields}
              label={text(['流程画布', 'Canvas of the process'])}
              zoom={zoom}
              selected={opened?.key}
              {...(marks ? { marks } : {})}
              edit={edit}
            />
          </>
        )}
        {step === 2 && kind && (
          <div className="pc-two">
            <section aria-label={text(['检查', 'Check'])}>
              <h3>{text(['检查', 'Check'])}</h3>
              <Problems
                problems={problems}
                onRetry={() => void check()}
                onOpen={(key) => {
                  setStep(1);
                  if (key) setOpened({ key });
                }}
                nodes={nodes}
              />
              <FlowCanvas
                nodes={nodes}
                names={names}
                fields={kind.fields}
                label={text(['流程图', 'Graph of the process'])}
                zoom={0.75}
                {...(marks ? { marks } : {})}
              />
            </section>
            <section aria-label={text(['试运行', 'Trial run'])}>
              <h3>{text(['试运行', 'Trial run'])}</h3>
              <TrialPanel
                kind={kind}
                names={names}
                asked={{
                  ...designPart(),
                  repeatPolicy: values.repeatPolicy,
                  titleZh: String(values.titleZh ?? ''),
                  titleEn: String(values.titleEn ?? ''),
                  summaryFields: values.summaryFields ?? [],
                }}
                onAnswer={setTrial}
              />
            </section>
          </div>
        )}
      </div>
      {kind && node && step === 1 && (
        <NodeDrawer
          key={`${opened.key} ${opened.branch ?? ''}`}
          node={node}
          branch={opened.branch}
          nodes={nodes}
          kind={kind}
          names={names}
          problems={(problems ?? []).filter((one) => one.node === node.key).map((one) => one.text)}
          onChange={(next) => change(changeNode(nodes, node.key, () => next))}
          onClose={() => {
            setOpened(undefined);
            requestAnimationFrame(() => document.getElementById(`pc-${node.key}`)?.focus());
          }}
        />
      )}
      <footer className="k-submit">
        <span className="k-submit-note k-quiet">
          {untouched ? '' : text(['有未保存的修改', 'There are unsaved changes'])}
        </span>
        <Button onClick={() => void cancel()}>{text(['取消', 'Cancel'])}</Button>
        {step > 0 && <Button onClick={() => void goTo(step - 1)}>{text(['上一步', 'Back'])}</Button>}
        <Button
          disabled={guard.locked || (untouched && id !== undefined)}
          loading={guard.busy}
          onClick={() => void guard.run(saveOnly)}
        >
          {text(['保存草稿', 'Save draft'])}
        </Button>
        {step < 2 && (
          <Button type="primary" onClick={() => void goTo(step + 1)}>
            {text(['下一步', 'Next'])}
          </Button>
        )}
        {step === 2 && held('btn_publish') && (
          <Button
            type="primary"
            disabled={guard.locked || (problems?.length ?? 0) > 0}
            onClick={() => void guard.run(publish)}
          >
            {text(['发布', 'Publish'])}
          </Button>
        )}
      </footer>
    </div>
  );
}

function ToolButton(props: {
  readonly label: Label;
  readonly icon: 'undo' | 'redo';
  readonly disabled: boolean;
  readonly run: () => void;
}) {
  const text = useText();
  return (
    <button
      type="button"
      className="k-button"
      disabled={props.disabled}
      aria-label={text(props.label)}
      title={text(props.label)}
      onClick={props.run}
    >
      <Icon name={props.icon} />
    </button>
  );
}

function Problems(props: {
  readonly problems: readonly { readonly node: string; readonly text: string }[] | undefined;
  readonly nodes: readonly ProcessNode[];
  readonly onOpen: (key: string) => void;
  readonly onRetry: () => void;
}) {
  const text = useText();
  if (props.problems === undefined)
    return (
      <p>
        <button type="button" className="k-link" onClick={props.onRetry}>
          {text(['重新检查', 'Check again'])}
        </button>
      </p>
    );
  if (props.problems.length === 0)
    return (
      <p className="k-good" role="status">
        <Icon name="check" /> {text(['检查通过，可以发布', 'All is well: it can be published'])}
      </p>
    );
  return (
    <ul className="pc-list" role="alert">
      {props.problems.map((one, index) => {
        const node = allNodes(props.nodes).find((each) => each.key === one.node);
        return (
          // The same words may stand twice at a node.
          // eslint-disable-next-line react/no-array-index-key
          <li key={index}>
            <button type="button" className="k-link" onClick={() => props.onOpen(one.node)}>
              {node ? `${node.name}${text(['：', ': '])}` : ''}
              {one.text}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The fields of the first step: business types that are there, scopes the staff may set. */
function fieldsFor(kinds: readonly Kind[], isPlatform: boolean): Fields {
  const { bizType, scopeKind, ...rest } = approvalProcess.fields;
  const { platform: _platform, ...below } = SCOPES;
  return {
    ...(rest as Fields),
    bizType: {
      ...bizType,
      choices: Object.fromEntries(kinds.map((kind) => [kind.bizType, { label: kind.label }])),
    },
    scopeKind: { ...scopeKind, choices: isPlatform ? SCOPES : below },
    tenant: { ...rest.tenant, required: true },
    unit: { ...rest.unit, required: true },
    projects: { ...rest.projects, required: true },
  };
}

/** Inputs of the first step: what the scope needs, and the type while it can be chosen. */
function shownBasics(values: FormValues, isEdit: boolean, isPlatform: boolean): string[] {
  return BASICS.filter((name) => {
    if (name === 'bizType') return !isEdit;
    if (name === 'tenant') return values.scopeKind === 'tenant' && isPlatform;
    if (name === 'unit') return values.scopeKind === 'unit';
    if (name === 'projects') return values.scopeKind === 'project';
    return true;
  });
}

/** What another scope left behind is not sent. */
function cleared(values: FormValues): Record<string, unknown> {
  return {
    ...(values.scopeKind === 'tenant' ? {} : { tenant: null }),
    ...(values.scopeKind === 'unit' ? {} : { unit: null }),
    ...(values.scopeKind === 'project' ? {} : { projects: [] }),
  };
}

const idOf = (value: unknown): string | undefined => (value as { readonly id?: string } | undefined)?.id;

const textOf = (values: FormValues, nodes: readonly ProcessNode[]) =>
  JSON.stringify([BASICS.map((name) => values[name] ?? null), nodes]);

function marksOf(
  problems: readonly { readonly node: string; readonly text: string }[] | undefined,
): ReadonlyMap<string, NodeMark> | undefined {
  if (!problems || problems.length === 0) return undefined;
  return new Map(problems.map((one) => [one.node, { tone: 'bad', text: one.text } as const]));
}

function isTyping(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, [contenteditable]');
}

/** The designer of processes. */
export const screen = { contract: approvalProcess, component: ProcessDesigner };
