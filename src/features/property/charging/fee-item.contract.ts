import {
  boolean,
  choice,
  date,
  decimal,
  integer,
  lines,
  money,
  percent,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { FORMULAS } from '../../../domain/charging/principal.rules.ts';
import { PREPAID } from './charging-words.rules.ts';

/** Menu of the charging page; each tab has an element of its own. */
export const CHARGING_MENU = 'cs_propertyChargingBill';

const CYCLES = {
  once: { label: ['一次性', 'Once'] },
  month: { label: ['按月', 'Monthly'] },
  quarter: { label: ['按季', 'Quarterly'] },
  half_year: { label: ['半年', 'Half-yearly'] },
  year: { label: ['按年', 'Yearly'] },
  indirect: { label: ['按读数', 'By readings'] },
} as const;

/** What fee items are about. */
export const FEE_KINDS = {
  management: { label: ['物业管理费', 'Management fee'], code: 1 },
  parking: { label: ['车位费', 'Parking fee'], code: 2 },
  other: { label: ['其他', 'Other'], code: 3 },
} as const;

/** What a company charges houses for: formula, prices from a day on, cycle, rounding and late fee. */
export const feeItem = defineResource({
  name: 'feeItem',
  menu: CHARGING_MENU,
  title: ['收费项目', 'Fee items'],
  noun: ['收费项目', 'Fee item'],
  stamps: true,
  fields: {
    name: text(['名称', 'Name'], { required: true, max: 40, keyword: true, width: 170 }),
    company: ref('company', ['公司', 'Company'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 150,
    }),
    kind: choice(['类别', 'Kind'], FEE_KINDS, {
      required: true,
      search: 'in',
      initial: 'management',
      width: 110,
    }),
    formula: choice(['计费方式', 'Formula'], FORMULAS, {
      required: true,
      search: 'in',
      initial: 'built_area',
      width: 150,
      help: ['已出账后不能修改', 'Fixed once it was billed'],
    }),
    expression: text(['自定义公式', 'Custom formula'], {
      max: 200,
      width: 200,
      help: [
        '可用：+ − * / ( ) 比较、min max round ceil floor if，变量 builtArea innerArea price extra months days daysInPeriod floor residents rent；周期为按读数时另有 usage lastReading thisReading multiplier',
        'Allowed: + − * / ( ), comparisons, min max round ceil floor if, and builtArea innerArea price extra months days daysInPeriod floor residents rent; by readings also usage lastReading thisReading multiplier',
      ],
    }),
    price: decimal(['现价', 'Price now'], { readOnly: true, scale: 4, unit: ['元', 'yuan'], width: 110 }),
    prices: lines(
      ['单价版本', 'Price versions'],
      {
        effectiveFrom: date(['生效日', 'From'], { required: true, width: 150 }),
        price: decimal(['单价（元/月）', 'Price (yuan a month)'], {
          required: true,
          min: 0,
          max: 100_000,
          scale: 4,
          width: 150,
        }),
        extra: money(['附加（元/月）', 'Extra (yuan a month)'], {
          min: 0,
          max: 100_000_000,
          initial: '0.00',
          width: 150,
        }),
      },
      { required: true, min: 1, max: 50 },
    ),
    cycle: choice(['周期', 'Cycle'], CYCLES, {
      required: true,
      search: 'in',
      initial: 'month',
      width: 90,
      help: ['用量、抄表、阶梯、公摊须按读数', 'Usage, meters, tiers and shared amounts go by readings'],
    }),
    tiers: lines(
      ['阶梯', 'Tiers'],
      {
        above: decimal(['用量超过', 'Above a usage of'], {
          required: true,
          min: 0.001,
          max: 999_999,
          scale: 3,
          width: 150,
        }),
        more: decimal(['加价（元）', 'More a unit (yuan)'], {
          required: true,
          min: 0,
          max: 100_000,
          scale: 4,
          width: 150,
        }),
      },
      { max: 9 },
    ),
    shareBy: choice(
      ['分摊方式', 'Shared by'],
      {
        area: { label: ['建筑面积', 'Built area'] },
        house: { label: ['户数', 'House'] },
        usage: { label: ['用量', 'Usage'] },
      },
      { width: 100 },
    ),
    shareItem: ref('feeItem', ['用量取自', 'Usage of'], {
      width: 120,
      help: ['按用量分摊时，各户该项目当月用量', 'Shared by usage: what each house used of this item'],
    }),
    timing: choice(
      ['计费时点', 'Timing'],
      { pre: { label: ['预收', 'In advance'] }, post: { label: ['后收', 'Afterwards'] } },
      { required: true, initial: 'pre', width: 90 },
    ),
    billDay: integer(['出账日', 'Bill day'], { required: true, min: 1, max: 28, initial: 1, width: 90 }),
    rounding: choice(
      ['取整', 'Rounding'],
      {
        fen: { label: ['到分', 'To the fen'] },
        jiao: { label: ['到角', 'To the jiao'] },
        yuan: { label: ['到元', 'To the yuan'] },
        yuan_up: { label: ['进位到元', 'Up to the yuan'] },
      },
      { required: true, initial: 'fen', width: 100 },
    ),
    stepPercent: percent(['每次递增', 'Rise'], { min: 0, max: 100, unit: ['%', '%'], width: 100 }),
    stepMonths: integer(['递增间隔（月）', 'Rise every (months)'], { min: 0, max: 120, width: 120 }),
    lateFeePolicy: ref('lateFeePolicy', ['滞纳金规则', 'Late-fee policy'], {
      width: 150,
      help: ['留空按项目、公司规则，都没有按默认', 'Empty: that of the project or company, else the default'],
    }),
    prepaidKind: choice(['预存类型', 'Prepaid account'], PREPAID, {
      required: true,
      initial: 'general',
      width: 110,
    }),
    deductible: boolean(['允许预存抵扣', 'Paid from prepaid'], { initial: true, width: 110 }),
    autoBill: boolean(['自动出账', 'Billed automatically'], { initial: true, search: 'equals', width: 100 }),
    receiptTitle: text(['收据抬头', 'Receipt title'], { max: 40, width: 150 }),
    position: integer(['抵扣顺序', 'Paid in order'], {
      min: 0,
      max: 9_999,
      initial: 0,
      sortable: true,
      width: 100,
    }),
    bills: integer(['账单数', 'Bills'], { readOnly: true, width: 90 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'name',
      'company',
      'kind',
      'formula',
      'price',
      'cycle',
      'timing',
      'billDay',
      'prepaidKind',
      'autoBill',
      'bills',
      'enabled',
    ],
    filters: ['company', 'kind', 'formula', 'cycle', 'enabled'],
    sort: 'position',
    export: true,
    empty: ['还没有收费项目', 'There are no fee items yet'],
  },
  form: {
    width: 720,
    sections: [
      { title: ['基本', 'Basics'], fields: ['name', 'company', 'kind', 'receiptTitle', 'position'] },
      {
        title: ['计费', 'Amount'],
        fields: [
          'formula',
          'expression',
          'prices',
          'tiers',
          'shareBy',
          'shareItem',
          'rounding',
          'stepPercent',
          'stepMonths',
        ],
      },
      { title: ['出账', 'Billing'], fields: ['cycle', 'timing', 'billDay', 'autoBill'] },
      {
        title: ['滞纳金与预存', 'Late fee and prepaid'],
        fields: ['lateFeePolicy', 'prepaidKind', 'deductible'],
      },
    ],
  },
  actions: {
    create: { label: ['新增', 'Add'], on: 'page', element: 'btn_item', tone: 'primary' },
    update: { label: ['编辑', 'Edit'], on: 'row', element: 'btn_item' },
    enable: { label: ['启用', 'Enable'], on: 'rowAndBulk', element: 'btn_item' },
    disable: { label: ['停用', 'Disable'], on: 'rowAndBulk', element: 'btn_item' },
    remove: {
      label: ['删除', 'Delete'],
      on: 'row',
      element: 'btn_item',
      tone: 'danger',
      confirm: ['删除收费项目“{name}”？', 'Delete the fee item “{name}”?'],
    },
  },
  deletable: 'unused',
});

/** What is overdue costs by these rules; a bill keeps those of its time. */
export const lateFeePolicy = defineResource({
  name: 'lateFeePolicy',
  menu: CHARGING_MENU,
  title: ['滞纳金规则', 'Late-fee policies'],
  noun: ['滞纳金规则', 'Late-fee policy'],
  stamps: true,
  fields: {
    name: text(['名称', 'Name'], { required: true, max: 40, keyword: true, width: 170 }),
    company: ref('company', ['公司', 'Company'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 150,
    }),
    project: ref('project', ['项目', 'Project'], {
      search: 'in',
      width: 150,
      help: [
        '留空为公司规则；被收费项目选用的只对该项目收费生效',
        'Empty: of the company. One chosen by fee items holds for these only',
      ],
    }),
    graceDays: integer(['宽限天数', 'Grace days'], {
      required: true,
      min: 0,
      max: 365,
      initial: 5,
      width: 100,
    }),
    dailyPercent: percent(['日费率', 'A day'], {
      required: true,
      min: 0,
      max: 1,
      scale: 4,
      initial: '0.05',
      unit: ['%', '%'],
      width: 100,
    }),
    onceFen: money(['一次性金额', 'Once'], { min: 0, max: 1_000_000, initial: '0.00', width: 110 }),
    oncePercent: percent(['一次性比例', 'Once, percent'], {
      min: 0,
      max: 100,
      initial: '0',
      unit: ['%', '%'],
      width: 110,
    }),
    capPercent: integer(['封顶比例', 'At most'], {
      required: true,
      min: 0,
      max: 100,
      initial: 30,
      unit: ['%', '%'],
      width: 100,
    }),
    monthCap: money(['每月封顶', 'At most a month'], { min: 1, max: 100_000_000, width: 110 }),
    items: integer(['选用项目数', 'Fee items'], { readOnly: true, width: 100 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'name',
      'company',
      'project',
      'graceDays',
      'dailyPercent',
      'onceFen',
      'oncePercent',
      'capPercent',
      'monthCap',
      'items',
      'enabled',
    ],
    filters: ['company', 'project', 'enabled'],
    sort: '-createdAt',
    export: true,
    empty: [
      '没有规则，按默认：宽限5天、每日0.05%、封顶30%',
      'Without one: five days of grace, 0.05 % a day, at most 30 %',
    ],
  },
  form: {
    sections: [
      { title: ['适用', 'Where'], fields: ['name', 'company', 'project'] },
      {
        title: ['费率', 'Rates'],
        fields: ['graceDays', 'dailyPercent', 'onceFen', 'oncePercent', 'capPercent', 'monthCap'],
      },
    ],
  },
  actions: {
    create: { label: ['新增', 'Add'], on: 'page', element: 'btn_lateFee', tone: 'primary' },
    update: { label: ['编辑', 'Edit'], on: 'row', element: 'btn_lateFee' },
    enable: { label: ['启用', 'Enable'], on: 'row', element: 'btn_lateFee' },
    disable: { label: ['停用', 'Disable'], on: 'row', element: 'btn_lateFee' },
    remove: {
      label: ['删除', 'Delete'],
      on: 'row',
      element: 'btn_lateFee',
      tone: 'danger',
      confirm: ['删除规则“{name}”？', 'Delete the policy “{name}”?'],
    },
  },
  deletable: 'unused',
});

/** A house is charged an item from a day on, at the item's price or one of its own. */
export const feeAssignment = defineResource({
  name: 'feeAssignment',
  menu: CHARGING_MENU,
  title: ['收费标准', 'Assignments'],
  noun: ['收费标准', 'Assignment'],
  titleField: 'house',
  stamps: true,
  fields: {
    project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 150 }),
    house: ref('chargedHouse', ['房屋', 'House'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 170,
    }),
    item: ref('feeItem', ['收费项目', 'Fee item'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 150,
    }),
    validFrom: date(['开始', 'From'], { required: true, search: 'range', sortable: true, width: 120 }),
    validTo: date(['结束', 'To'], { width: 120 }),
    price: decimal(['单独定价', 'Own price'], {
      min: 0,
      max: 100_000,
      scale: 4,
      unit: ['元', 'yuan'],
      width: 120,
    }),
    area: decimal(['建筑面积', 'Built area'], { readOnly: true, unit: ['m²', 'm²'], width: 110 }),
  },
  list: {
    columns: ['project', 'house', 'area', 'item', 'price', 'validFrom', 'validTo', 'createdAt'],
    filters: ['project', 'house', 'item', 'validFrom'],
    sort: '-createdAt',
    export: true,
    empty: ['还没有房屋收费标准', 'No house is charged yet'],
  },
  form: {
    sections: [
      { title: ['收费标准', 'Assignment'], fields: ['house', 'item', 'validFrom', 'validTo', 'price'] },
    ],
  },
  actions: {
    building: {
      label: ['按楼栋批量', 'By building'],
      on: 'page',
      element: 'btn_assign',
      input: {
        building: ref('building', ['楼栋', 'Building'], { required: true }),
        item: ref('feeItem', ['收费项目', 'Fee item'], { required: true }),
        validFrom: date(['开始', 'From'], { required: true }),
        validTo: date(['结束', 'To']),
      },
      message: ['已为 {made} 户设置，{skipped} 户已有', 'Set for {made} houses, {skipped} had it already'],
    },
    create: { label: ['新增', 'Add'], on: 'page', element: 'btn_assign', tone: 'primary' },
    update: { label: ['编辑', 'Edit'], on: 'row', element: 'btn_assign' },
    remove: {
      label: ['删除', 'Delete'],
      on: 'row',
      element: 'btn_assign',
      tone: 'danger',
      confirm: ['删除该收费标准？', 'Delete this assignment?'],
    },
  },
  deletable: 'unused',
});

export type FeeItemRow = Row<typeof feeItem>;
