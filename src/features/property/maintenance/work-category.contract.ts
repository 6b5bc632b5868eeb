import { boolean, choice, code, ref, text, treeRef } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { WORK_CLASSES } from '../../../domain/work-order/work-order-words.rules.ts';

const ELEMENT = 'btn_category';

/** What a work order is about, three levels deep; standard ones of the platform serve every company beside its own. */
export const workCategory = defineResource({
  name: 'workCategory',
  menu: 'cs_maintenance',
  title: ['报修分类', 'Categories'],
  noun: ['分类', 'Category'],
  purpose: [
    '三级分类决定技能、证件、照片与时效要求；标准分类由平台维护',
    'Three levels that say which skill, certificate, photos and times an order needs; the platform keeps the standard ones',
  ],
  stamps: true,
  tree: { parent: 'parent', maxDepth: 3 },
  fields: {
    name: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 30, width: 160 }),
    nameEn: text(['英文名称', 'English name'], { max: 60, width: 160 }),
    code: code(['编码', 'Code'], { required: true, keyword: true, sortable: true, max: 30, width: 140 }),
    parent: treeRef('workCategory', ['上级分类', 'Above'], { search: 'in', width: 120 }),
    class: choice(['工单类别', 'Class'], WORK_CLASSES, {
      required: true,
      createOnly: true,
      search: 'in',
      initial: 'repair',
      width: 80,
    }),
    skill: ref('workSkill', ['所需技能', 'Skill'], {
      width: 100,
      help: ['不填则同上级分类', 'Empty: that of the category above'],
    }),
    certificate: text(['所需证件', 'Certificate'], {
      max: 40,
      width: 100,
      help: ['与员工证件类型一致，如：电工证', 'As the kind of certificate of the staff is called'],
    }),
    feeAllowed: boolean(['可收费', 'Fee allowed'], { search: 'equals', width: 80 }),
    afterPhoto: boolean(['需完成照片', 'Photo after'], { search: 'equals', width: 96 }),
    slaPolicy: ref('slaPolicy', ['时效策略', 'SLA policy'], {
      width: 120,
      help: ['仅在紧急程度相同时适用', 'Used for orders of its urgency'],
    }),
    standard: boolean(['标准分类', 'Standard'], { readOnly: true, search: 'equals', width: 90 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 72 }),
  },
  list: {
    columns: [
      'name',
      'code',
      'class',
      'parent',
      'skill',
      'certificate',
      'afterPhoto',
      'feeAllowed',
      'slaPolicy',
      'standard',
      'enabled',
      'nameEn',
    ],
    hidden: ['nameEn'],
    filters: ['class', 'parent', 'afterPhoto', 'feeAllowed', 'standard', 'enabled'],
    sort: 'code',
    link: 'name',
  },
  form: {
    sections: [
      { title: ['分类', 'Category'], fields: ['parent', 'class', 'name', 'nameEn', 'code'] },
      {
        title: ['要求', 'What it needs'],
        fields: ['skill', 'certificate', 'afterPhoto', 'feeAllowed', 'slaPolicy'],
      },
    ],
  },
  deletable: 'unused',
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: ELEMENT, tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: ELEMENT },
    enable: { on: 'row', label: ['启用', 'Enable'], element: ELEMENT },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: ELEMENT,
      tone: 'danger',
      confirm: ['停用「{name}」？新工单不能再选', 'Disable “{name}”? New orders cannot use it'],
    },
    remove: { on: 'row', label: ['删除', 'Delete'], element: ELEMENT, tone: 'danger' },
  },
});
