import type { Label } from '../../kernel/contract/label.ts';

/** Who is asked at a node; several are combined. Source: group 17, candidates. */
export type Candidate =
  | { readonly kind: 'staff'; readonly ids: readonly number[] }
  | { readonly kind: 'group' | 'station'; readonly id: number }
  | { readonly kind: 'department'; readonly id: number; readonly who: 'members' | 'leader' }
  /** Leader n levels above the starter; 0 is everybody up to the top. */
  | { readonly kind: 'leader'; readonly levels: number }
  /** Who leads the management unit of the object's project. */
  | { readonly kind: 'unitLeader' }
  /** Staff named in a field of the object. */
  | { readonly kind: 'field'; readonly field: string }
  /** Named by the starter when it is handed in. */
  | { readonly kind: 'chosen' }
  /** As the business type finds them: the built-in process. */
  | { readonly kind: 'byType' };

/** One comparison of a condition field. */
export interface Comparison {
  readonly field: string;
  readonly operator: 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le' | 'in' | 'contains';
  readonly value: FactValue | readonly FactValue[];
}

/** Groups joined by OR, comparisons inside of a group by AND. */
export type Condition = readonly (readonly Comparison[])[];

/** A value of a condition field: money in fen, dates as `yyyy-MM-dd`, staff by id. */
export type FactValue = number | string | boolean | null;
export type Facts = Readonly<Record<string, FactValue | readonly number[]>>;

/** What happens when a node's time is over. Hours are business hours. */
export interface TimeLimit {
  readonly hours: number;
  readonly action: 'remind' | 'pass' | 'refuse' | 'leader';
  /** `remind`: again every so many hours, at most so often, then the assignee's leader is asked. */
  readonly every?: number;
  readonly most?: number;
}

/** A node that asks people. `handle` reports instead of judging and cannot refuse. */
export interface AskNode {
  readonly key: string;
  readonly type: 'approve' | 'handle';
  readonly name: string;
  readonly candidates: readonly Candidate[];
  readonly mode: 'any' | 'order' | 'random' | 'ratio';
  /** Percent of the seats that have to agree, 1–100; only with `ratio`. */
  readonly ratio?: number;
  readonly starterRule: 'self' | 'skip' | 'head';
  readonly nobody: 'auto_pass' | 'auto_refuse' | 'staff' | 'admin';
  readonly nobodyStaff?: number;
  /** `end` or the key of a node to go back to. */
  readonly onRefuse: string;
  readonly resubmit: 'all' | 'straight';
  readonly limit?: TimeLimit;
  readonly allowed: readonly ('transfer' | 'addSign' | 'return')[];
  readonly batch: boolean;
  readonly opinionRequired: boolean;
  /** Fields of the object that are not shown at this node. */
  readonly hidden: readonly string[];
}

export interface CopyNode {
  readonly key: string;
  readonly type: 'copy';
  readonly name: string;
  readonly candidates: readonly Candidate[];
}

export interface Branch {
  readonly key: string;
  readonly name: string;
  /** Taken when nothing else is. Parallel branches have neither. */
  readonly otherwise?: boolean;
  readonly condition?: Condition;
  readonly nodes: readonly ProcessNode[];
}

export interface BranchNode {
  readonly key: string;
  readonly type: 'exclusive' | 'parallel' | 'inclusive';
  readonly name: string;
  readonly branches: readonly Branch[];
}

export interface DelayNode {
  readonly key: string;
  readonly type: 'delay';
  readonly name: string;
  /** Hours by the clock, or a date field of the object; one of the two. */
  readonly hours?: number;
  readonly until?: string;
}

export type ProcessNode = AskNode | CopyNode | BranchNode | DelayNode;

/** A field of a business type that conditions may ask for and summaries may show. */
export interface ApprovalField {
  readonly name: string;
  readonly label: Label;
  readonly kind: 'money' | 'number' | 'text' | 'boolean' | 'choice' | 'date' | 'staff';
  readonly options?: readonly { readonly value: string; readonly label: Label }[];
}

/** What stands wrong in a process, by node key; `''` is the process itself. */
export interface ProcessProblem {
  readonly node: string;
  readonly text: Label;
}

/** The process of business types nobody designed one for: one node, any one of those the type finds. */
export const BUILT_IN: readonly ProcessNode[] = [
  {
    key: 'leader',
    type: 'approve',
    name: '审批',
    candidates: [{ kind: 'byType' }],
    mode: 'any',
    starterRule: 'skip',
    nobody: 'admin',
    onRefuse: 'end',
    resubmit: 'all',
    allowed: ['transfer', 'addSign', 'return'],
    batch: true,
    opinionRequired: false,
    hidden: [],
  },
];

/** Most nodes of a process. */
export const MOST_NODES = 100;

/** Whether a node has branches. */
export function isBranching(node: ProcessNode): node is BranchNode {
  return node.type === 'exclusive' || node.type === 'parallel' || node.type === 'inclusive';
}

/** Whether a node asks people for a decision. */
export function asks(node: ProcessNode): node is AskNode {
  return node.type === 'approve' || node.type === 'handle';
}

/** Every node, branches included, in the order they are written. */
export function allNodes(nodes: readonly ProcessNode[]): ProcessNode[] {
  return nodes.flatMap((node) => [
    node,
    ...(isBranching(node) ? node.branches.flatMap((branch) => allNodes(branch.nodes)) : []),
  ]);
}

/** The node with a key. Throws for an unknown one: runs name nodes of their own version only. */
export function nodeOf(nodes: readonly ProcessNode[], key: string): ProcessNode {
  const found = allNodes(nodes).find((node) => node.key === key);
  if (!found) throw new Error(`no node ${key}`);
  return found;
}

/** How many of n seats have to agree at x percent. Source: group 17, ratio. */
export function needOf(seats: number, percent: number): number {
  return Math.ceil((seats * percent) / 100);
}

/** What n seats of which a agreed and r refused come to when `need` have to agree; undefined while it is open. */
export function ratioResult(
  seats: number,
  need: number,
  agreed: number,
  refused: number,
): 'passed' | 'refused' | undefined {
  if (agreed >= need) return 'passed';
  return agreed + (seats - agreed - refused) < need ? 'refused' : undefined;
}

/** Whether a condition holds for the facts; a missing value fulfils only `ne`. */
export function conditionHolds(condition: Condition, facts: Facts): boolean {
  return condition.some((group) => group.length > 0 && group.every((one) => comparisonHolds(one, facts)));
}

function comparisonHolds({ field, operator, value }: Comparison, facts: Facts): boolean {
  const fact = facts[field] ?? null;
  if (operator === 'ne') return !same(fact, value);
  if (fact === null) return false;
  switch (operator) {
    case 'eq':
      return same(fact, value);
    case 'in':
      return Array.isArray(value) && value.some((one) => same(fact, one as FactValue));
    case 'contains':
      return Array.isArray(fact) ? fact.includes(Number(value)) : String(fact).includes(String(value));
    default:
      return ordered(fact, operator, value);
  }
}

function same(fact: FactValue | readonly number[], value: Comparison['value']): boolean {
  return Array.isArray(fact)
    ? fact.length === 1 && String(fact[0]) === String(value)
    : String(fact) === String(value);
}

function ordered(
  fact: FactValue | readonly number[],
  operator: 'gt' | 'ge' | 'lt' | 'le',
  value: Comparison['value'],
): boolean {
  // Dates are ISO texts, which compare as texts; all else as numbers.
  const texts = typeof fact === 'string' && typeof value === 'string';
  const left = texts ? fact : Number(fact);
  const right = texts ? value : Number(value);
  if (!texts && (Number.isNaN(left) || Number.isNaN(right))) return false;
  if (operator === 'gt') return left > right;
  if (operator === 'ge') return left >= right;
  return operator === 'lt' ? left < right : left <= right;
}

/** The branches of a node that are taken. */
export function branchesTaken(node: BranchNode, facts: Facts): Branch[] {
  if (node.type === 'parallel') return [...node.branches];
  const holding = node.branches.filter(
    (branch) => !branch.otherwise && conditionHolds(branch.condition ?? [], facts),
  );
  const taken = node.type === 'exclusive' ? holding.slice(0, 1) : holding;
  return taken.length > 0 ? taken : node.branches.filter((branch) => branch.otherwise);
}

/** Operators that fit a kind of field. */
export function operatorsOf(kind: ApprovalField['kind']): readonly Comparison['operator'][] {
  switch (kind) {
    case 'money':
    case 'number':
    case 'date':
      return ['eq', 'ne', 'gt', 'ge', 'lt', 'le'];
    case 'text':
      return ['eq', 'ne', 'contains'];
    case 'choice':
    case 'staff':
      return ['eq', 'ne', 'in'];
    case 'boolean':
      return ['eq'];
  }
}

/** What a process is checked against before it is published. */
export interface ProcessCheck {
  readonly fields: readonly ApprovalField[];
  /** The type moves money or points, or binds by contract: nobody approves the own. */
  readonly moves: boolean;
  /** Staff named anywhere who are not working: told by name. */
  readonly resting: ReadonlyMap<number, string>;
}

/** Everything that keeps a process from being published, in the order of its nodes. Source: group 17, createProcess. */
export function processProblems(nodes: readonly ProcessNode[], check: ProcessCheck): ProcessProblem[] {
  const problems: ProcessProblem[] = [];
  const every = allNodes(nodes);
  const tell = (node: string, zh: string, en: string) => problems.push({ node, text: [zh, en] });
  if (!every.some(asks))
    tell('', '至少需要一个审批或办理节点', 'At least one approve or handle node is needed');
  if (every.length > MOST_NODES) tell('', `节点不能超过 ${MOST_NODES} 个`, `At most ${MOST_NODES} nodes`);
  const keys = new Set<string>();
  for (const node of every) {
    if (keys.has(node.key)) tell(node.key, '节点标识重复', 'The node key is used twice');
    keys.add(node.key);
    if (node.name.trim() === '') tell(node.key, '节点名称必填', 'The node needs a name');
    if (asks(node)) askProblems(node, every, check, tell);
    else if (node.type === 'copy') candidateProblems(node, check, tell);
    else if (node.type === 'delay') delayProblems(node, check, tell);
    else branchProblems(node, check, tell);
  }
  return problems;
}

type Tell = (node: string, zh: string, en: string) => void;

function askProblems(node: AskNode, every: readonly ProcessNode[], check: ProcessCheck, tell: Tell): void {
  candidateProblems(node, check, tell);
  if (node.mode === 'ratio' && !(Number.isInteger(node.ratio) && node.ratio! >= 1 && node.ratio! <= 100))
    tell(node.key, '会签比例须在 1–100 之间', 'The ratio must be 1–100');
  if (check.moves && node.starterRule === 'self')
    tell(node.key, '该业务不允许发起人审批自己', 'Nobody approves the own here');
  if (node.nobody === 'staff' && node.nobodyStaff === undefined)
    tell(node.key, '请指定无审批人时的处理人', 'Name who decides when nobody is found');
  if (node.nobodyStaff !== undefined && check.resting.has(node.nobodyStaff))
    tell(
      node.key,
      `${check.resting.get(node.nobodyStaff)} 已停用`,
      `${check.resting.get(node.nobodyStaff)} is not enabled`,
    );
  if (node.onRefuse !== 'end') {
    const at = every.findIndex((one) => one.key === node.onRefuse);
    if (at < 0 || !asks(every[at]!) || at >= every.indexOf(node))
      tell(node.key, '驳回后只能退回到之前的审批节点', 'A refusal goes back to an earlier approve node only');
  }
  if (node.limit && !(node.limit.hours > 0 && node.limit.hours <= 720))
    tell(node.key, '时限须在 1–720 小时之间', 'The time limit must be 1–720 hours');
  if (node.limit?.action === 'remind' && !((node.limit.every ?? 0) > 0 && (node.limit.most ?? 0) > 0))
    tell(node.key, '请设置提醒间隔和次数', 'Set how often to remind');
  if (node.type === 'handle' && node.limit?.action === 'refuse')
    tell(node.key, '办理节点不能驳回', 'A handle node cannot refuse');
}

function candidateProblems(node: AskNode | CopyNode, check: ProcessCheck, tell: Tell): void {
  if (node.candidates.length === 0) tell(node.key, '请设置处理人', 'Say who is asked');
  for (const candidate of node.candidates) {
    if (candidate.kind === 'staff' && candidate.ids.length === 0)
      tell(node.key, '请选择人员', 'Choose the people');
    if (candidate.kind === 'staff')
      for (const id of candidate.ids)
        if (check.resting.has(id))
          tell(node.key, `${check.resting.get(id)} 已停用`, `${check.resting.get(id)} is not enabled`);
    if (candidate.kind === 'leader' && !(candidate.levels >= 0 && candidate.levels <= 5))
      tell(node.key, '上级层数须在 1–5 之间', 'Levels must be 1–5');
    if (
      candidate.kind === 'field' &&
      !check.fields.some((field) => field.name === candidate.field && field.kind === 'staff')
    )
      tell(node.key, '没有该人员字段', 'There is no such staff field');
  }
}

function delayProblems(node: DelayNode, check: ProcessCheck, tell: Tell): void {
  if (node.until !== undefined) {
    if (!check.fields.some((field) => field.name === node.until && field.kind === 'date'))
      tell(node.key, '没有该日期字段', 'There is no such date field');
  } else if (!((node.hours ?? 0) > 0)) tell(node.key, '延时须大于 0', 'The delay must be more than 0');
}

function branchProblems(node: BranchNode, check: ProcessCheck, tell: Tell): void {
  if (node.branches.length < 2) tell(node.key, '至少需要两个分支', 'At least two branches are needed');
  const others = node.branches.filter((branch) => branch.otherwise).length;
  if (node.type === 'parallel') {
    for (const branch of node.branches)
      if (branch.nodes.length === 0)
        tell(node.key, `并行分支「${branch.name}」为空`, `Parallel branch “${branch.name}” is empty`);
    return;
  }
  if (others !== 1) tell(node.key, '必须有一个默认分支', 'Exactly one default branch is needed');
  for (const branch of node.branches) {
    if (branch.otherwise) continue;
    const comparisons = (branch.condition ?? []).flat();
    if (comparisons.length === 0 || branch.condition!.some((group) => group.length === 0))
      tell(node.key, `分支「${branch.name}」缺少条件`, `Branch “${branch.name}” has no condition`);
    for (const one of comparisons) {
      const field = check.fields.find((each) => each.name === one.field);
      if (!field)
        tell(
          node.key,
          `分支「${branch.name}」使用了未知字段`,
          `Branch “${branch.name}” asks for an unknown field`,
        );
      else if (!operatorsOf(field.kind).includes(one.operator) || !fits(field, one.value))
        tell(
          node.key,
          `分支「${branch.name}」的「${field.label[0]}」条件类型不符`,
          `Branch “${branch.name}”: the value does not fit “${field.label[1]}”`,
        );
    }
  }
}

function fits(field: ApprovalField, value: Comparison['value']): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => fits(field, one as FactValue));
  switch (field.kind) {
    case 'money':
      return Number.isSafeInteger(value);
    case 'number':
    case 'staff':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
    case 'choice':
      return field.options?.some((option) => option.value === value) ?? false;
    case 'text':
      return typeof value === 'string' && value !== '';
  }
}

/** Staff a process names itself. */
export function staffNamed(nodes: readonly ProcessNode[]): number[] {
  const ids = allNodes(nodes).flatMap((node) => [
    ...(asks(node) || node.type === 'copy'
      ? node.candidates.flatMap((one) => (one.kind === 'staff' ? [...one.ids] : []))
      : []),
    ...(asks(node) && node.nobodyStaff !== undefined ? [node.nobodyStaff] : []),
  ]);
  return [...new Set(ids)];
}
