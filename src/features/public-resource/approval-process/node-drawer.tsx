import { useState } from 'react';
import { Checkbox, Input, Switch } from 'antd';
import type { Label } from '../../../kernel/contract/label.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import {
  allNodes,
  asks,
  isBranching,
  type AskNode,
  type Branch,
  type BranchNode,
  type Candidate,
  type DelayNode,
  type ProcessNode,
  type TimeLimit,
} from '../../../domain/approval/process.rules.ts';
import { ConditionEditor } from './condition-editor.tsx';
import { branchText, CANDIDATES, MODES, NODE_TYPES, type Kind, type Names } from './flow-words.ts';
import { Named, StaffInput, Words } from './node-inputs.tsx';

interface DrawerProps {
  readonly node: ProcessNode;
  /** The branch that is set up instead of the node. */
  readonly branch: string | undefined;
  readonly nodes: readonly ProcessNode[];
  readonly kind: Kind;
  readonly names: Names;
  readonly problems: readonly string[];
  readonly onChange: (node: ProcessNode) => void;
  readonly onClose: () => void;
}

/** Everything of a node, or of one of its branches. What is set is in the tree at once; undo takes it back. */
export function NodeDrawer(props: DrawerProps) {
  const text = useText();
  const { node, branch } = props;
  const one = isBranching(node) ? node.branches.find((each) => each.key === branch) : undefined;
  return (
    <AppDrawer
      open
      size={560}
      title={`${text(one ? ['分支', 'Branch'] : NODE_TYPES[node.type])} · ${one ? one.name : node.name}`}
      onClose={props.onClose}
    >
      {props.problems.length > 0 && (
        <ul className="pc-list k-problem" role="alert">
          {props.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <div className="pc-fields">
        {one ? (
          <BranchInputs {...props} node={node as BranchNode} one={one} />
        ) : (
          <>
            <Named label={['名称', 'Name']}>
              <Input
                aria-label={text(['名称', 'Name'])}
                maxLength={40}
                value={node.name}
                onChange={(event) => props.onChange({ ...node, name: event.target.value })}
              />
            </Named>
            {asks(node) ? (
              <AskInputs {...props} node={node} />
            ) : node.type === 'copy' ? (
              <Candidates
                {...props}
                candidates={node.candidates}
                onCandidates={(candidates) => props.onChange({ ...node, candidates })}
              />
            ) : node.type === 'delay' ? (
              <DelayInputs {...props} node={node} />
            ) : (
              <BranchList {...props} node={node} />
            )}
          </>
        )}
      </div>
    </AppDrawer>
  );
}

function BranchInputs({
  node,
  one,
  ...props
}: DrawerProps & { readonly node: BranchNode; readonly one: Branch }) {
  const text = useText();
  const set = (next: Branch) =>
    props.onChange({
      ...node,
      branches: node.branches.map((each) => (each.key === one.key ? next : each)),
    });
  return (
    <>
      <Named label={['分支名称', 'Name of the branch']}>
        <Input
          aria-label={text(['分支名称', 'Name of the branch'])}
          maxLength={40}
          value={one.name}
          onChange={(event) => set({ ...one, name: event.target.value })}
        />
      </Named>
      {node.type === 'parallel' ? (
        <p className="k-quiet">
          {text([
            '并行分支同时进行，全部完成后继续',
            'Parallel branches run at the same time and join at the end',
          ])}
        </p>
      ) : one.otherwise ? (
        <p className="k-quiet">{text(['其他分支都不满足时走默认分支', 'Taken when no other branch is'])}</p>
      ) : (
        <Named
          label={['条件', 'Condition']}
          note={
            node.type === 'exclusive'
              ? [
                  '按分支顺序判断，走第一个满足的',
                  'Branches are tested in their order: the first that holds is taken',
                ]
              : ['满足条件的分支都会走', 'Every branch whose condition holds is taken']
          }
        >
          <ConditionEditor
            condition={one.condition ?? [[]]}
            fields={props.kind.fields}
            names={props.names}
            onChange={(condition) => set({ ...one, condition })}
          />
        </Named>
      )}
    </>
  );
}

function BranchList({ node, names, kind }: DrawerProps & { readonly node: BranchNode }) {
  const text = useText();
  return (
    <Named
      label={['分支', 'Branches']}
      note={['在画布中点击分支设置条件', 'Press a branch on the canvas to set its condition']}
    >
      <ul className="pc-list">
        {node.branches.map((branch) => (
          <li key={branch.key}>
            <strong>{branch.name}</strong>{' '}
            <span className="k-quiet">{text(branchText(branch, names, kind.fields))}</span>
          </li>
        ))}
      </ul>
    </Named>
  );
}

function DelayInputs({ node, ...props }: DrawerProps & { readonly node: DelayNode }) {
  const text = useText();
  const dates = props.kind.fields.filter((field) => field.kind === 'date');
  const { hours: _hours, until: _until, ...rest } = node;
  return (
    <>
      <Named label={['延时方式', 'Waits']}>
        <Words
          label={text(['延时方式', 'Waits'])}
          value={node.until === undefined ? 'hours' : 'until'}
          options={[
            ['hours', ['固定小时（自然时间）', 'Some hours by the clock']],
            ...(dates.length > 0
              ? ([['until', ['直到单据中的日期', 'Until a date of the record']]] as const)
              : []),
          ]}
          onChange={(way: 'hours' | 'until') =>
            props.onChange(way === 'hours' ? { ...rest, hours: 24 } : { ...rest, until: dates[0]!.name })
          }
        />
      </Named>
      {node.until === undefined ? (
        <Named label={['小时', 'Hours']}>
          <NumberText
            label={text(['小时', 'Hours'])}
            value={node.hours ? String(node.hours) : ''}
            scale={1}
            min={0}
            max={8760}
            onChange={(hours) => props.onChange({ ...rest, hours: Number(hours) })}
          />
        </Named>
      ) : (
        <Named label={['日期字段', 'Date']}>
          <Words
            label={text(['日期字段', 'Date'])}
            value={node.until}
            options={dates.map((field) => [field.name, field.label] as const)}
            onChange={(until) => props.onChange({ ...rest, until })}
          />
        </Named>
      )}
    </>
  );
}

const ALLOWED: Readonly<Record<AskNode['allowed'][number], Label>> = {
  transfer: ['转办', 'Transfer'],
  addSign: ['加签', 'Add people'],
  return: ['退回', 'Return'],
};

const ACTIONS: Readonly<Record<TimeLimit['action'], Label>> = {
  remind: ['提醒，多次后转上级', 'Remind, then the leader'],
  leader: ['转给上级', 'Hand to the leader'],
  pass: ['自动同意', 'Agree by itself'],
  refuse: ['自动驳回', 'Refuse by itself'],
};

function AskInputs({ node, ...props }: DrawerProps & { readonly node: AskNode }) {
  const text = useText();
  const set = (values: Partial<AskNode>) => props.onChange({ ...node, ...values });
  const without = (name: 'ratio' | 'nobodyStaff' | 'limit', values: Partial<AskNode> = {}) => {
    const { [name]: _gone, ...rest } = node;
    props.onChange({ ...rest, ...values } as AskNode);
  };
  const every = allNodes(props.nodes);
  const earlier = every
    .slice(
      0,
      every.findIndex((one) => one.key === node.key),
    )
    .filter(asks);
  return (
    <>
      <Candidates
        {...props}
        node={node}
        candidates={node.candidates}
        onCandidates={(candidates) => set({ candidates })}
      />
      <Named label={['审批方式', 'Mode']}>
        <Words
          label={text(['审批方式', 'Mode'])}
          value={node.mode}
          options={MODES}
          onChange={(mode) =>
            mode === 'ratio' ? set({ mode, ratio: node.ratio ?? 100 }) : without('ratio', { mode })
          }
        />
      </Named>
      {node.mode === 'ratio' && (
        <Named
          label={['同意比例', 'Share that has to agree']}
          note={['需同意人数按比例向上取整', 'The number of people is rounded up']}
        >
          <NumberText
            label={text(['同意比例', 'Share that has to agree'])}
            value={node.ratio === undefined ? '' : String(node.ratio)}
            scale={0}
            min={1}
            max={100}
            unit="%"
            onChange={(ratio) => (ratio === '' ? without('ratio') : set({ ratio: Number(ratio) }))}
          />
        </Named>
      )}
      <Named label={['发起人是审批人时', 'Where the starter is asked']}>
        <Words
          label={text(['发起人是审批人时', 'Where the starter is asked'])}
          value={node.starterRule}
          options={[
            ['head', ['由其上级审批', 'The leader decides']],
            ['skip', ['跳过', 'Left out']],
            ...(props.kind.moves && node.starterRule !== 'self'
              ? []
              : ([['self', ['本人审批', 'Decides by oneself']]] as const)),
          ]}
          onChange={(starterRule) => set({ starterRule })}
        />
      </Named>
      <Named label={['找不到审批人时', 'Where nobody is found']}>
        <Words
          label={text(['找不到审批人时', 'Where nobody is found'])}
          value={node.nobody}
          options={{
            admin: ['由流程管理员处理', 'The administrator decides'],
            staff: ['由指定人员处理', 'Somebody named decides'],
            auto_pass: ['自动通过', 'Passes by itself'],
            auto_refuse: ['自动驳回', 'Is refused by itself'],
          }}
          onChange={(nobody) => (nobody === 'staff' ? set({ nobody }) : without('nobodyStaff', { nobody }))}
        />
      </Named>
      {node.nobody === 'staff' && (
        <Named label={['指定处理人', 'Who decides']}>
          <StaffInput
            label={text(['指定处理人', 'Who decides'])}
            value={node.nobodyStaff === undefined ? [] : [node.nobodyStaff]}
            names={props.names}
            multiple={false}
            onChange={([id]) => (id === undefined ? without('nobodyStaff') : set({ nobodyStaff: id }))}
          />
        </Named>
      )}
      {node.type === 'approve' && (
        <Named label={['不同意时', 'On refusal']}>
          <Words
            label={text(['不同意时', 'On refusal'])}
            value={node.onRefuse}
            options={[
              ['end', ['结束流程', 'It ends']],
              ...earlier.map((one) => [one.key, [`退回到「${one.name}」`, `Back to “${one.name}”`]] as const),
            ]}
            onChange={(onRefuse) => set({ onRefuse })}
          />
        </Named>
      )}
      <Named label={['退回后重新提交', 'Handed in again after a return']}>
        <Words
          label={text(['退回后重新提交', 'Handed in again after a return'])}
          value={node.resubmit}
          options={{
            all: ['重新走全部节点', 'Through all nodes again'],
            straight: ['直接回到本节点', 'Straight to this node'],
          }}
          onChange={(resubmit) => set({ resubmit })}
        />
      </Named>
      <LimitInputs node={node} onLimit={(limit) => (limit ? set({ limit }) : without('limit'))} />
      <Named label={['允许的操作', 'What is allowed']}>
        <Checkbox.Group
          value={[...node.allowed]}
          options={Object.entries(ALLOWED).map(([value, label]) => ({ value, label: text(label) }))}
          onChange={(allowed) => set({ allowed: allowed as AskNode['allowed'][number][] })}
        />
      </Named>
      <Tick
        label={['允许批量审批', 'Bulk approval']}
        value={node.batch}
        onChange={(batch) => set({ batch })}
      />
      <Tick
        label={['同意时必须填写意见', 'An opinion is required to agree']}
        value={node.opinionRequired}
        onChange={(opinionRequired) => set({ opinionRequired })}
      />
      {props.kind.fields.length > 0 && (
        <Named label={['对此节点隐藏的字段', 'Fields hidden from this node']}>
          <Checkbox.Group
            value={[...node.hidden]}
            options={props.kind.fields.map((field) => ({ value: field.name, label: text(field.label) }))}
            onChange={(hidden) => set({ hidden: hidden.map(String) })}
          />
        </Named>
      )}
    </>
  );
}

function Tick(props: {
  readonly label: Label;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}) {
  const text = useText();
  return (
    <span className="pc-row">
      <Switch aria-label={text(props.label)} checked={props.value} onChange={props.onChange} />
      <span aria-hidden="true">{text(props.label)}</span>
    </span>
  );
}

function LimitInputs({
  node,
  onLimit,
}: {
  readonly node: AskNode;
  readonly onLimit: (limit: TimeLimit | undefined) => void;
}) {
  const text = useText();
  const { limit } = node;
  return (
    <Named
      label={['时限', 'Time limit']}
      note={['按工作日历的工作小时计算', 'In business hours of the calendar']}
    >
      <span className="pc-row">
        <Switch
          aria-label={text(['设置时限', 'Set a time limit'])}
          checked={limit !== undefined}
          onChange={(on) => onLimit(on ? { hours: 8, action: 'remind', every: 4, most: 2 } : undefined)}
        />
        {limit && (
          <>
            <span className="pc-grow">
              <NumberText
                label={text(['时限小时', 'Hours'])}
                value={limit.hours ? String(limit.hours) : ''}
                scale={1}
                min={0}
                max={720}
                unit={text(['小时', 'h'])}
                onChange={(hours) => onLimit({ ...limit, hours: Number(hours) })}
              />
            </span>
            <span className="pc-grow">
              <Words
                label={text(['超时后', 'When it is over'])}
                value={limit.action}
                options={(Object.keys(ACTIONS) as TimeLimit['action'][])
                  .filter((action) => node.type === 'approve' || action !== 'refuse')
                  .map((action) => [action, ACTIONS[action]] as const)}
                onChange={(action) =>
                  onLimit(
                    action === 'remind'
                      ? { hours: limit.hours, action, every: 4, most: 2 }
                      : { hours: limit.hours, action },
                  )
                }
              />
            </span>
          </>
        )}
      </span>
      {limit?.action === 'remind' && (
        <span className="pc-row">
          <span className="pc-grow">
            <NumberText
              label={text(['提醒间隔小时', 'Hours between reminders'])}
              prefix={text(['每', 'Every'])}
              value={limit.every ? String(limit.every) : ''}
              scale={1}
              min={0}
              max={720}
              unit={text(['小时提醒', 'h'])}
              onChange={(every) => onLimit({ ...limit, every: Number(every) })}
            />
          </span>
          <span className="pc-grow">
            <NumberText
              label={text(['最多提醒次数', 'Most reminders'])}
              prefix={text(['最多', 'At most'])}
              value={limit.most ? String(limit.most) : ''}
              scale={0}
              min={0}
              max={20}
              unit={text(['次', 'times'])}
              onChange={(most) => onLimit({ ...limit, most: Number(most) })}
            />
          </span>
        </span>
      )}
    </Named>
  );
}

const TARGETS = {
  group: 'approvalGroup',
  station: 'approvalStation',
  department: 'approvalDepartment',
} as const;

/** Who is asked: several rules together. One that points to a row joins the node once the row is chosen. */
function Candidates({
  candidates,
  names,
  kind,
  node,
  onCandidates,
}: DrawerProps & {
  readonly candidates: readonly Candidate[];
  readonly onCandidates: (candidates: readonly Candidate[]) => void;
}) {
  const text = useText();
  const [begun, setBegun] = useState<keyof typeof TARGETS>();
  const people = kind.fields.filter((field) => field.kind === 'staff');
  const set = (index: number, next: Candidate) =>
    onCandidates(candidates.map((one, at) => (at === index ? next : one)));
  const add = (what: Candidate['kind']) => {
    setBegun(undefined);
    switch (what) {
      case 'group':
      case 'station':
      case 'department':
        return setBegun(what);
      case 'staff':
        return onCandidates([...candidates, { kind: 'staff', ids: [] }]);
      case 'leader':
        return onCandidates([...candidates, { kind: 'leader', levels: 1 }]);
      case 'field':
        return onCandidates([...candidates, { kind: 'field', field: people[0]!.name }]);
      default:
        return onCandidates([...candidates, { kind: what }]);
    }
  };
  const offered = (Object.keys(CANDIDATES) as Candidate['kind'][]).filter(
    (one) => (one !== 'field' || people.length > 0) && (node.type !== 'copy' || one !== 'byType'),
  );
  return (
    <Named
      label={node.type === 'copy' ? ['抄送给', 'Copied to'] : ['处理人', 'Who is asked']}
      note={['可组合多条规则，人员去重', 'Rules are combined, people counted once']}
    >
      <ul className="pc-list">
        {candidates.map((one, index) => (
          // Rules have no name of their own.
          // eslint-disable-next-line react/no-array-index-key
          <li key={index} className="pc-row">
            <span className="k-small k-quiet">{text(CANDIDATES[one.kind])}</span>
            <span className="pc-grow">
              <CandidateInput one={one} names={names} kind={kind} onChange={(next) => set(index, next)} />
            </span>
            <button
              type="button"
              className="k-eye"
              aria-label={text([`删除「${CANDIDATES[one.kind][0]}」`, `Delete “${CANDIDATES[one.kind][1]}”`])}
              onClick={() => onCandidates(candidates.filter((_, at) => at !== index))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
        {begun && (
          <li className="pc-row">
            <span className="k-small k-quiet">{text(CANDIDATES[begun])}</span>
            <span className="pc-grow">
              <RemoteSelect
                target={TARGETS[begun]}
                label={text(CANDIDATES[begun])}
                value={[]}
                known={{}}
                placeholder={text(['请选择', 'Please choose'])}
                opened
                onChange={([id]) => {
                  setBegun(undefined);
                  if (id === undefined) return;
                  onCandidates([
                    ...candidates,
                    begun === 'department'
                      ? { kind: 'department', id: Number(id), who: 'leader' }
                      : { kind: begun, id: Number(id) },
                  ]);
                }}
              />
            </span>
          </li>
        )}
      </ul>
      <Words
        label={text(['添加处理人规则', 'Add a rule'])}
        placeholder={text(['添加处理人规则', 'Add a rule'])}
        value={undefined}
        options={offered.map((one) => [one, CANDIDATES[one]] as const)}
        onChange={add}
      />
    </Named>
  );
}

function CandidateInput({
  one,
  names,
  kind,
  onChange,
}: {
  readonly one: Candidate;
  readonly names: Names;
  readonly kind: Kind;
  readonly onChange: (next: Candidate) => void;
}) {
  const text = useText();
  const label = text(CANDIDATES[one.kind]);
  switch (one.kind) {
    case 'staff':
      return (
        <StaffInput
          label={label}
          value={one.ids}
          names={names}
          onChange={(ids) => onChange({ ...one, ids })}
        />
      );
    case 'leader':
      return (
        <Words
          label={label}
          value={String(one.levels)}
          options={[
            ...[1, 2, 3, 4, 5].map((n) => [String(n), [`第 ${n} 级上级`, `Leader ${n} up`]] as const),
            ['0', ['逐级至最高', 'All up to the top']] as const,
          ]}
          onChange={(levels) => onChange({ kind: 'leader', levels: Number(levels) })}
        />
      );
    case 'group':
    case 'station':
    case 'department':
      return (
        <span className="pc-row">
          <span className="pc-grow">{names[one.kind][one.id] ?? '…'}</span>
          {one.kind === 'department' && (
            <span className="pc-grow">
              <Words
                label={text(['部门中的谁', 'Who of the department'])}
                value={one.who}
                options={{ leader: ['负责人', 'Leader'], members: ['全部成员', 'Members'] }}
                onChange={(who) => onChange({ ...one, who })}
              />
            </span>
          )}
        </span>
      );
    case 'field':
      return (
        <Words
          label={label}
          value={one.field}
          options={kind.fields
            .filter((field) => field.kind === 'staff')
            .map((field) => [field.name, field.label] as const)}
          onChange={(field) => onChange({ kind: 'field', field })}
        />
      );
    default:
      return null;
  }
}
