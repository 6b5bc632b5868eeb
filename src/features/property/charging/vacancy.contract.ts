import { date, images, instant, longText, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

/** Days a house stood empty by an inspection: once somebody else approved it, its bills of these days cost less. */
export const vacancy = defineResource({
  name: 'vacancy',
  menu: CHARGING_MENU,
  title: ['空置折扣申请', 'Vacant houses'],
  noun: ['空置申请', 'Vacancy'],
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
    rule: ref('discountRule', ['优惠规则', 'Discount'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 160,
      help: ['类型为空置折扣的规则', 'One for vacant houses'],
    }),
    validFrom: date(['空置自', 'Vacant from'], {
      required: true,
      createOnly: true,
      search: 'range',
      sortable: true,
      width: 120,
    }),
    validTo: date(['至', 'To'], { required: true, createOnly: true, width: 120 }),
    inspectedOn: date(['查验日期', 'Inspected on'], { required: true, createOnly: true, width: 120 }),
    photos: images(['查验照片', 'Inspection photos'], {
      required: true,
      createOnly: true,
      max: 9,
      width: 120,
    }),
    remark: text(['备注', 'Remark'], { createOnly: true, max: 200, width: 160 }),
    creator: ref('staff', ['申请人', 'Asked by'], { readOnly: true, width: 100 }),
    createdAt: instant(['申请时间', 'Asked'], { readOnly: true, sortable: true, width: 150 }),
  },
  states: {
    waiting: { label: ['待审批', 'Waiting'], tone: 'warning' },
    approved: { label: ['已通过', 'Approved'], tone: 'success' },
    refused: { label: ['已驳回', 'Refused'], tone: 'error' },
    withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused' },
  },
  list: {
    columns: [
      'house',
      'project',
      'rule',
      'validFrom',
      'validTo',
      'inspectedOn',
      'photos',
      'state',
      'creator',
      'createdAt',
    ],
    hidden: ['remark'],
    filters: ['project', 'house', 'rule', 'state', 'validFrom'],
    sort: '-createdAt',
    export: true,
    empty: ['还没有空置申请', 'No vacant house was reported'],
  },
  form: {
    sections: [
      { title: ['空置', 'Vacancy'], fields: ['house', 'rule', 'validFrom', 'validTo'] },
      { title: ['查验', 'Inspection'], fields: ['inspectedOn', 'photos', 'remark'] },
    ],
  },
  elements: { btn_vacancyAudit: ['审批空置折扣', 'Approve vacancies'] },
  actions: {
    create: { label: ['申请', 'Ask'], on: 'page', element: 'btn_vacancy', tone: 'primary', to: 'waiting' },
    approve: {
      label: ['通过', 'Approve'],
      on: 'row',
      element: 'btn_vacancyAudit',
      tone: 'primary',
      from: ['waiting'],
      to: ['approved', 'waiting'],
      input: { opinion: longText(['意见', 'Opinion'], { max: 200 }) },
    },
    reject: {
      label: ['驳回', 'Refuse'],
      on: 'row',
      element: 'btn_vacancyAudit',
      tone: 'danger',
      from: ['waiting'],
      to: ['refused', 'waiting'],
      input: { opinion: longText(['驳回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    withdraw: {
      label: ['撤回', 'Withdraw'],
      on: 'row',
      element: 'btn_vacancy',
      from: ['waiting'],
      to: 'withdrawn',
    },
  },
});

export type VacancyRow = Row<typeof vacancy>;
