import type { Label } from '../../../kernel/contract/label.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import {
  asks,
  isBranching,
  type ApprovalField,
  type AskNode,
  type Branch,
  type Candidate,
  type Comparison,
  type ProcessNode,
} from '../../../domain/approval/process.rules.ts';

/** A business type as the designer knows it. */
export interface Kind {
  readonly bizType: string;
  readonly label: Label;
  readonly fields: readonly ApprovalField[];
  readonly moves: boolean;
  readonly hasObjects: boolean;
}

/** Names of what nodes point to, by id. */
export interface Names {
  readonly staff: Readonly<Record<string, string>>;
  readonly group: Readonly<Record<string, string>>;
  readonly station: Readonly<Record<string, string>>;
  readonly department: Readonly<Record<string, string>>;
}

export const NODE_TYPES: Readonly<Record<ProcessNode['type'], Label>> = {
  approve: ['审批', 'Approve'],
  handle: ['办理', 'Handle'],
  copy: ['抄送', 'Copy'],
  exclusive: ['条件分支', 'Condition'],
  parallel: ['并行分支', 'Parallel'],
  inclusive: ['包容分支', 'Inclusive'],
  delay: ['延时', 'Delay'],
};

/** A node's name in the language of the page: the names nodes come with are known, others stand as they were typed. */
export function nodeName(name: string): Label {
  return Object.values(NODE_TYPES).find((label) => label[0] === name) ?? [name, name];
}

export const MODES: Readonly<Record<AskNode['mode'], Label>> = {
  any: ['或签（一人同意即可）', 'Any one of them'],
  order: ['依次审批', 'One after the other'],
  random: ['随机一人', 'One at random'],
  ratio: ['会签（按比例）', 'A share of them'],
};

export const CANDIDATES: Readonly<Record<Candidate['kind'], Label>> = {
  leader: ['发起人的上级', 'Leader above the starter'],
  staff: ['指定人员', 'Named staff'],
  group: ['角色', 'Group'],
  station: ['岗位', 'Post'],
  department: ['部门', 'Department'],
  unitLeader: ['项目所属管理单元负责人', 'Leader of the management unit'],
  field: ['单据中的人员', 'Staff named in the record'],
  chosen: ['发起人自选', "Starter's choice"],
  byType: ['业务默认审批人', 'As the business type finds them'],
};

export const OPERATORS: Readonly<Record<Comparison['operator'], Label>> = {
  eq: ['等于', 'is'],
  ne: ['不等于', 'is not'],
  gt: ['大于', '>'],
  ge: ['大于等于', '≥'],
  lt: ['小于', '<'],
  le: ['小于等于', '≤'],
  in: ['属于', 'is one of'],
  contains: ['包含', 'contains'],
};

/** Who a candidate rule asks, in words. */
export function candidateText(candidate: Candidate, names: Names, fields: readonly ApprovalField[]): Label {
  const both = (zh: string, en: string): Label => [zh, en];
  switch (candidate.kind) {
    case 'staff': {
      const list = candidate.ids.map((id) => names.staff[id] ?? '…').join('、');
      return both(list || '未选择人员', list || 'Nobody chosen');
    }
    case 'group':
    case 'station': {
      const name = names[candidate.kind][candidate.id] ?? '…';
      const label = CANDIDATES[candidate.kind];
      return both(`${label[0]} ${name}`, `${label[1]} ${name}`);
    }
    case 'department': {
      const name = names.department[candidate.id] ?? '…';
      return candidate.who === 'leader'
        ? both(`${name}负责人`, `Leader of ${name}`)
        : both(`${name}成员`, `Members of ${name}`);
    }
    case 'leader':
      return candidate.levels === 0
        ? both('逐级上级至最高', 'All leaders up to the top')
        : both(`第 ${candidate.levels} 级上级`, `Leader ${candidate.levels} up`);
    case 'field': {
      const field = fields.find((one) => one.name === candidate.field);
      return field
        ? both(`单据「${field.label[0]}」`, `“${field.label[1]}” of the record`)
        : CANDIDATES.field;
    }
    default:
      return CANDIDATES[candidate.kind];
  }
}

/** A value of a condition in words. */
function valueText(field: ApprovalField | undefined, value: Comparison['value'], names: Names): Label {
  if (Array.isArray(value)) {
    const parts = value.map((one) => valueText(field, one as Comparison['value'], names));
    return [parts.map((one) => one[0]).join('、'), parts.map((one) => one[1]).join(', ')];
  }
  switch (field?.kind) {
    case 'money': {
      const yuan = moneyText((Number(value) / 100).toFixed(2));
      return [`${yuan} 元`, `${yuan} CNY`];
    }
    case 'boolean':
      return value ? ['是', 'yes'] : ['否', 'no'];
    case 'choice':
      return field.options?.find((one) => one.value === value)?.label ?? [String(value), String(value)];
    case 'staff': {
      const name = names.staff[String(value)] ?? '…';
      return [name, name];
    }
    default:
      return [String(value ?? ''), String(value ?? '')];
  }
}

/** What leads into a branch, in words. */
export function branchText(branch: Branch, names: Names, fields: readonly ApprovalField[]): Label {
  if (branch.otherwise) return ['默认分支', 'Default branch'];
  const groups = (branch.condition ?? []).filter((group) => group.length > 0);
  if (groups.length === 0)
    return branch.condition ? ['未设置条件', 'No condition yet'] : ['同时进行', 'At the same time'];
  const side = (index: 0 | 1) =>
    groups
      .map((group) =>
        group
          .map((one) => {
            const field = fields.find((each) => each.name === one.field);
            const name = field?.label[index] ?? one.field;
            return `${name} ${OPERATORS[one.operator][index]} ${valueText(field, one.value, names)[index]}`;
          })
          .join(index === 0 ? ' 且 ' : ' and '),
      )
      .join(index === 0 ? ' 或 ' : ' or ');
  return [side(0), side(1)];
}

/** What a node does, in one line. */
export function nodeText(node: ProcessNode, names: Names, fields: readonly ApprovalField[]): Label {
  if (isBranching(node)) return [`${node.branches.length} 个分支`, `${node.branches.length} branches`];
  if (node.type === 'delay') {
    const field = fields.find((one) => one.name === node.until);
    if (node.until !== undefined)
      return [`等到「${field?.label[0] ?? node.until}」`, `Until “${field?.label[1] ?? node.until}”`];
    return [`等待 ${node.hours ?? 0} 小时`, `Waits ${node.hours ?? 0} h`];
  }
  if (node.candidates.length === 0) return ['未设置处理人', 'Nobody is asked yet'];
  const people = node.candidates.map((one) => candidateText(one, names, fields));
  const mode: Label = !asks(node)
    ? ['', '']
    : node.mode === 'ratio'
      ? [` · 会签 ${node.ratio ?? 100}%`, ` · ${node.ratio ?? 100}%`]
      : node.mode === 'any'
        ? ['', '']
        : [` · ${MODES[node.mode][0]}`, ` · ${MODES[node.mode][1]}`];
  return [people.map((one) => one[0]).join('、') + mode[0], people.map((one) => one[1]).join(', ') + mode[1]];
}
