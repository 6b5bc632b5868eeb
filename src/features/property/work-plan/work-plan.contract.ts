import {
  choice,
  date,
  integer,
  lines,
  longText,
  ref,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { CYCLES, SIGN_INS } from '../../../domain/work-plan/work-plan.rules.ts';

const ELEMENT = 'btn_plan';

/** Who visits which points when; makes planned orders while it runs. */
export const workPlan = defineResource({
  name: 'workPlan',
  menu: 'cs_PlaneWorkOrder',
  title: ['计划', 'Plans'],
  noun: ['计划', 'Plan'],
  purpose: [
    '按周期、路线与轮值自动生成计划工单；修改只影响之后的工单',
    'Makes planned orders by cycle, route and rotation; changes concern orders to come',
  ],
  titleField: 'name',
  stamps: true,
  copy: true,
  deletable: 'unused',
  fields: {
    name: text(['计划名称', 'Plan'], { required: true, keyword: true, max: 40, width: 180 }),
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 130,
    }),
    category: treeRef('workCategory', ['分类', 'Category'], { required: true, search: 'in', width: 120 }),
    route: lines(
      ['路线', 'Route'],
      { point: ref('workPoint', ['点位', 'Point'], { required: true }) },
      { required: true, min: 1, max: 50, help: ['按顺序巡到', 'Visited in this order'] },
    ),
    rotation: lines(
      ['轮值人员', 'Rotation'],
      { staff: ref('workHandler', ['人员', 'Person'], { required: true }) },
      {
        required: true,
        min: 1,
        max: 3,
        help: ['依次轮值，休假者顺延', 'One after the other; who is on leave is passed over'],
      },
    ),
    points: integer(['点位数', 'Points'], { readOnly: true, width: 80 }),
    people: text(['轮值', 'Rotation'], { readOnly: true, width: 160 }),
    cycle: choice(['周期', 'Cycle'], CYCLES, { required: true, search: 'in', initial: 'day', width: 80 }),
    days: text(['日期', 'Days'], {
      max: 92,
      width: 140,
      pattern: {
        source: '^(\\d{1,2}(,\\d{1,2}){0,30})?$',
        message: ['请填写 1,3,5 这样的数字', 'Write figures such as 1,3,5'],
      },
      help: [
        '每周选星期，每月选日；当月没有该日时取月末',
        'Weekdays, or days of the month; a month without the day takes its last',
      ],
    }),
    startTime: text(['开始时间', 'Starts at'], {
      required: true,
      max: 5,
      width: 90,
      initial: '09:00',
      pattern: {
        source: '^([01]\\d|2[0-3]):[0-5]\\d$',
        message: ['请填写 09:00 这样的时间', 'Write a time like 09:00'],
      },
    }),
    duration: integer(['时长', 'Duration'], {
      required: true,
      min: 5,
      max: 1440,
      initial: 60,
      unit: ['分钟', 'min'],
      width: 90,
    }),
    leadMinutes: integer(['提前生成', 'Made ahead'], {
      required: true,
      min: 0,
      max: 1440,
      initial: 60,
      unit: ['分钟', 'min'],
      width: 100,
    }),
    signIn: choice(['签到方式', 'Sign-in'], SIGN_INS, {
      required: true,
      search: 'in',
      initial: 'qr',
      width: 90,
      help: ['定位签到须在点位100米内', 'By position: within 100 m of the point'],
    }),
    validFrom: date(['生效日期', 'Valid from'], {
      required: true,
      search: 'range',
      sortable: true,
      width: 110,
    }),
    validTo: date(['失效日期', 'Valid to'], { width: 110, help: ['不填为长期有效', 'Empty: without end'] }),
    remark: longText(['作业要求', 'What to do'], { max: 300 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default' },
    running: { label: ['启用', 'Running'], tone: 'success' },
    stopped: { label: ['停用', 'Stopped'], tone: 'default' },
  },
  list: {
    columns: [
      'name',
      'project',
      'category',
      'state',
      'cycle',
      'days',
      'startTime',
      'duration',
      'points',
      'people',
      'signIn',
      'validFrom',
      'validTo',
      'updatedAt',
    ],
    filters: ['project', 'state', 'category', 'cycle', 'signIn', 'validFrom'],
    sort: '-updatedAt',
    link: 'name',
    empty: ['还没有计划', 'No plans yet'],
  },
  form: {
    width: 760,
    sections: [
      { title: ['计划', 'Plan'], fields: ['name', 'project', 'category', 'remark'] },
      {
        title: ['时间', 'When'],
        fields: ['cycle', 'days', 'startTime', 'duration', 'leadMinutes', 'validFrom', 'validTo'],
      },
      { title: ['路线与签到', 'Route and sign-in'], fields: ['signIn', 'route'] },
      { title: ['人员', 'People'], fields: ['rotation'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['计划', 'Plan'],
        fields: [
          'project',
          'category',
          'state',
          'cycle',
          'days',
          'startTime',
          'duration',
          'leadMinutes',
          'signIn',
          'validFrom',
          'validTo',
          'remark',
        ],
      },
      { title: ['路线与人员', 'Route and people'], fields: ['route', 'rotation'] },
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增计划', 'Add a plan'],
      element: ELEMENT,
      tone: 'primary',
      to: 'draft',
    },
    start: {
      on: 'row',
      label: ['启用', 'Start'],
      element: ELEMENT,
      tone: 'primary',
      from: ['draft', 'stopped'],
      to: 'running',
      confirm: ['启用「{name}」？将按周期自动生成工单。', 'Start “{name}”? Orders are made by its cycle'],
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: ELEMENT },
    stop: {
      on: 'row',
      label: ['停用', 'Stop'],
      element: ELEMENT,
      from: ['running'],
      to: 'stopped',
      confirm: ['停用「{name}」？已生成的工单不受影响。', 'Stop “{name}”? Orders made already go on'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: ELEMENT,
      tone: 'danger',
      from: ['draft', 'stopped'],
    },
  },
});

/** A day of a plan's calendar. */
export interface PlannedDay {
  readonly start: string;
  readonly end: string;
  readonly plan: string;
  readonly planId: string;
  readonly project: string;
  /** Nobody: everybody of the rotation is on leave. */
  readonly person: string | null;
  /** The order, once it is made. */
  readonly order: { readonly id: string; readonly code: string; readonly state: string } | null;
}
