import {
  boolean,
  choice,
  date,
  integer,
  money,
  percent,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

/** A rule that lowers what is paid; at most one of them holds for a payment. Source: group 06, Rules of charging 7. */
export const discountRule = defineResource({
  name: 'discountRule',
  menu: CHARGING_MENU,
  title: ['优惠', 'Discounts'],
  noun: ['优惠规则', 'Discount'],
  stamps: true,
  fields: {
    name: text(['名称', 'Name'], { required: true, max: 40, keyword: true, width: 170 }),
    company: ref('company', ['公司', 'Company'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 150,
    }),
    kind: choice(
      ['类型', 'Kind'],
      {
        prepay_percent: { label: ['预缴N月折扣', 'Percent off months ahead'] },
        amount_off: { label: ['满减', 'Amount off'] },
        gift_months: { label: ['缴N赠M', 'Months given'] },
        no_arrears_percent: { label: ['无欠费折扣', 'Percent off without arrears'] },
        vacant_percent: { label: ['空置折扣', 'Percent off vacant houses'] },
      },
      {
        required: true,
        createOnly: true,
        search: 'in',
        initial: 'prepay_percent',
        width: 130,
        help: [
          '一次缴费最多使用一项，取对缴费人最优惠的；须缴清所选账单。空置折扣经审批后在出账时扣减',
          'A payment uses at most one, the one worth most to the payer, and only when its bills are paid whole. What vacant houses get is approved and applied when billing',
        ],
      },
    ),
    projects: refs('project', ['项目', 'Projects'], {
      max: 200,
      search: 'in',
      width: 150,
      help: ['留空为公司全部项目', 'Empty: all of the company'],
    }),
    items: refs('feeItem', ['收费项目', 'Fee items'], {
      max: 50,
      search: 'in',
      width: 150,
      help: ['留空为全部收费项目', 'Empty: all'],
    }),
    threshold: integer(['月数/天数', 'Months or days'], {
      min: 0,
      max: 366,
      width: 110,
      help: [
        '预缴折扣与缴N赠M：至少预缴月数；无欠费折扣：允许逾期天数',
        'Months paid ahead at least; without arrears: days a bill may be overdue',
      ],
    }),
    thresholdAmount: money(['满金额', 'From an amount of'], { min: 0, max: 100_000_000, width: 110 }),
    percent: percent(['折扣比例', 'Percent off'], { min: 0, max: 100, unit: ['%', '%'], width: 100 }),
    amountOff: money(['减金额', 'Amount off'], { min: 0, max: 100_000_000, width: 110 }),
    monthsGiven: integer(['赠送月数', 'Months given'], { min: 0, max: 12, width: 100 }),
    validFrom: date(['开始', 'From'], { required: true, sortable: true, width: 120 }),
    validTo: date(['结束', 'To'], { required: true, width: 120 }),
    uses: integer(['使用次数', 'Uses'], { readOnly: true, width: 100 }),
    given: money(['优惠合计', 'Given in all'], { readOnly: true, width: 120 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'name',
      'company',
      'kind',
      'projects',
      'items',
      'threshold',
      'thresholdAmount',
      'percent',
      'amountOff',
      'monthsGiven',
      'validFrom',
      'validTo',
      'uses',
      'given',
      'enabled',
    ],
    filters: ['company', 'kind', 'projects', 'items', 'enabled'],
    sort: '-createdAt',
    export: true,
    empty: ['还没有优惠规则', 'There are no discounts yet'],
  },
  form: {
    sections: [
      {
        title: ['适用', 'Where'],
        fields: ['name', 'company', 'kind', 'projects', 'items', 'validFrom', 'validTo'],
      },
      {
        title: ['条件与优惠', 'Condition and worth'],
        fields: ['threshold', 'thresholdAmount', 'percent', 'amountOff', 'monthsGiven'],
      },
    ],
  },
  actions: {
    create: { label: ['新增', 'Add'], on: 'page', element: 'btn_discount', tone: 'primary' },
    update: { label: ['编辑', 'Edit'], on: 'row', element: 'btn_discount' },
    enable: { label: ['启用', 'Enable'], on: 'row', element: 'btn_discount' },
    disable: { label: ['停用', 'Disable'], on: 'row', element: 'btn_discount' },
    remove: {
      label: ['删除', 'Delete'],
      on: 'row',
      element: 'btn_discount',
      tone: 'danger',
      confirm: ['删除优惠“{name}”？', 'Delete the discount “{name}”?'],
    },
  },
  deletable: 'unused',
});

export type DiscountRuleRow = Row<typeof discountRule>;
