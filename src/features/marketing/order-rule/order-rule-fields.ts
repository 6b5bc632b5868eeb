import { choice, date, integer, refs } from '../../../kernel/contract/fields.ts';
import type { ActionSpec } from '../../../kernel/contract/resource.ts';
import { longText } from '../../../kernel/contract/fields.ts';

/** Where a rule over orders holds: fields both kinds of rules share. */
export const scopeFields = {
  projects: refs('project', ['项目', 'Projects'], {
    required: true,
    max: 200,
    search: 'in',
    width: 170,
  }),
  merchants: refs('merchant', ['商户', 'Merchants'], { max: 200, width: 160 }),
  businesses: refs('business', ['业务', 'Businesses'], { max: 50, search: 'in', width: 140 }),
  classes: refs('productClass', ['分类', 'Classes'], { max: 100, width: 140 }),
  products: refs('product', ['商品', 'Products'], { max: 200, width: 160 }),
  excluded: refs('product', ['排除商品', 'Excluded products'], { max: 200, width: 160 }),
} as const;

/** When and before which others it holds. */
export const periodFields = {
  startsOn: date(['开始日期', 'From'], { required: true, sortable: true, width: 110 }),
  endsOn: date(['结束日期', 'To'], { required: true, width: 110 }),
  period: date(['有效期', 'Period'], { readOnly: true, search: 'range' }),
  phase: choice(
    ['时段', 'Phase'],
    {
      before: { label: ['未开始', 'Not started'], tone: 'default' },
      running: { label: ['进行中', 'Running'], tone: 'success' },
      ended: { label: ['已结束', 'Ended'], tone: 'paused' },
    },
    { readOnly: true, width: 90 },
  ),
  priority: integer(['优先级', 'Priority'], {
    required: true,
    min: 1,
    max: 999,
    initial: 100,
    sortable: true,
    width: 90,
    help: ['大的先用', 'The greater one holds'],
  }),
} as const;

/** States of a rule. Source: group 16, Entities added. */
export const ruleStates = {
  draft: { label: ['草稿', 'Draft'], tone: 'default', code: 1 },
  enabled: { label: ['已启用', 'Enabled'], tone: 'success', code: 2 },
  stopped: { label: ['已停用', 'Stopped'], tone: 'paused', code: 3 },
} as const;

/** What is done with a rule. */
export const ruleActions = {
  create: {
    on: 'page',
    label: ['新增', 'Add'],
    element: 'btn_add',
    tone: 'primary',
    to: 'draft',
    // eslint-disable-next-line unicorn/no-thenable
    then: 'open',
  },
  update: {
    on: 'row',
    label: ['编辑', 'Edit'],
    element: 'btn_edit',
    from: ['draft', 'enabled', 'stopped'],
    // What is to be warned of stands above the detail.
    // eslint-disable-next-line unicorn/no-thenable
    then: 'open',
  },
  enable: {
    on: 'row',
    label: ['启用', 'Enable'],
    element: 'btn_enable',
    tone: 'primary',
    from: ['draft', 'stopped'],
    to: 'enabled',
    confirm: [
      '启用「{name}」？之后提交的订单按此规则',
      'Enable “{name}”? Orders placed from now on follow it',
    ],
  },
  stop: {
    on: 'row',
    label: ['停用', 'Stop'],
    element: 'btn_stop',
    remark: 'reason',
    tone: 'danger',
    from: ['enabled'],
    to: 'stopped',
    confirm: [
      '停用「{name}」？已提交的订单仍按原版本',
      'Stop “{name}”? Orders that were placed keep their version',
    ],
    input: { reason: longText(['停用原因', 'Reason'], { required: true, min: 2, max: 200 }) },
  },
  expire: {
    on: 'system',
    label: ['到期停用', 'Its time is over'],
    element: 'btn_stop',
    from: ['enabled'],
    to: 'stopped',
  },
  remove: {
    on: 'row',
    label: ['删除', 'Delete'],
    element: 'btn_del',
    tone: 'danger',
    from: ['draft'],
    confirm: ['删除「{name}」？', 'Delete “{name}”?'],
  },
} as const satisfies Readonly<Record<string, ActionSpec>>;

/** Another enabled rule of the same priority with some of the same goods. */
export interface RuleOverlap {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly products: readonly string[];
  readonly more: number;
}
