import {
  boolean,
  choice,
  date,
  decimal,
  email,
  image,
  integer,
  longText,
  phone,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';

const MENU = 'cs_housekeepManager';
const seen = { readOnly: true } as const;

/** A building, unit or range of houses a housekeeper looks after, with its days. */
export const housekeeperAssignment = defineResource({
  name: 'housekeeperAssignment',
  menu: MENU,
  title: ['管辖范围', 'Assignments'],
  noun: ['管辖', 'Assignment'],
  titleField: 'range',
  fields: {
    housekeeper: ref('housekeeper', ['管家', 'Housekeeper'], { search: 'in', width: 100 }),
    project: ref('project', ['项目', 'Project'], { search: 'in', width: 130 }),
    building: ref('building', ['楼栋', 'Building'], { search: 'in', width: 90 }),
    unit: ref('buildingUnit', ['单元', 'Unit'], { width: 90 }),
    range: text(['房号', 'Houses'], { width: 120 }),
    houses: integer(['户数', 'Houses'], { width: 70 }),
    kind: choice(
      ['类型', 'Kind'],
      {
        main: { label: ['主管家', 'Main'], tone: 'processing' },
        stand_in: { label: ['代班', 'Stand-in'], tone: 'warning' },
      },
      { search: 'in', width: 84 },
    ),
    validFrom: date(['开始', 'From'], { sortable: true, width: 106 }),
    validTo: date(['结束', 'Until'], { width: 106 }),
    reason: text(['原因', 'Reason'], { width: 140 }),
  },
  list: {
    columns: [
      'housekeeper',
      'project',
      'building',
      'unit',
      'range',
      'houses',
      'kind',
      'validFrom',
      'validTo',
      'reason',
    ],
    filters: ['housekeeper', 'project', 'building', 'kind'],
    sort: '-validFrom',
    empty: ['还没有管辖范围', 'Nothing is assigned yet'],
  },
});

/** A unit with houses that have no main housekeeper today. */
export const housekeeperGap = defineResource({
  name: 'housekeeperGap',
  menu: MENU,
  title: ['覆盖', 'Coverage'],
  noun: ['单元', 'Unit'],
  purpose: [
    '今天没有主管家的楼栋、单元与房屋',
    'Buildings, units and houses without a main housekeeper today',
  ],
  titleField: 'name',
  fields: {
    project: ref('project', ['项目', 'Project'], { search: 'in', width: 160 }),
    building: {
      ...ref('building', ['楼栋', 'Building'], { search: 'in', sortable: true, width: 120 }),
      within: 'project',
    },
    name: text(['单元', 'Unit'], { keyword: true, width: 110 }),
    scope: choice(
      ['缺口', 'Gap'],
      {
        building: { label: ['整栋', 'Whole building'], tone: 'error' },
        unit: { label: ['整单元', 'Whole unit'], tone: 'warning' },
        houses: { label: ['部分房屋', 'Some houses'], tone: 'default' },
      },
      { width: 100 },
    ),
    houses: integer(['总户数', 'Houses'], { width: 80 }),
    uncovered: integer(['无管家户数', 'Without'], { width: 100 }),
    numbers: text(['房号', 'Numbers'], { width: 320 }),
  },
  list: {
    columns: ['project', 'building', 'name', 'scope', 'houses', 'uncovered', 'numbers'],
    filters: ['project', 'building'],
    sort: 'building',
    link: 'name',
    export: true,
    empty: ['所有房屋都有主管家', 'Every house has a main housekeeper'],
  },
});

const places = {
  buildings: refs('building', ['楼栋', 'Buildings'], { max: 200 }),
  units: refs('buildingUnit', ['单元', 'Units'], { max: 500 }),
  houses: refs('housekeeperHouse', ['房屋', 'Houses'], { max: 500 }),
};

/** A staff of the company who looks after houses. */
export const housekeeper = defineResource({
  name: 'housekeeper',
  menu: MENU,
  title: ['管家管理', 'Housekeepers'],
  noun: ['管家', 'Housekeeper'],
  purpose: [
    '每套房每天只有一名主管家，可另有代班；移交当日起由新管家负责，之前的评价与业绩归原管家',
    'One main housekeeper per house and day, a stand-in besides; a transfer counts from its day on, what was before stays with the former',
  ],
  titleField: 'name',
  sensitive: true,
  stamps: true,
  fields: {
    staff: ref('housekeeperCandidate', ['员工', 'Staff'], {
      required: true,
      createOnly: true,
      help: ['从本公司在职员工中选择', 'Somebody who works for the company'],
    }),
    name: text(['姓名', 'Name'], { ...seen, keyword: true, width: 90 }),
    photo: image(['照片', 'Photo'], { required: true, width: 72 }),
    sex: choice(
      ['性别', 'Sex'],
      {
        '1': { label: ['男', 'Male'] },
        '0': { label: ['女', 'Female'] },
        '2': { label: ['未知', 'Unknown'] },
      },
      { ...seen, width: 64 },
    ),
    phone: phone(['电话', 'Phone'], { ...seen, search: 'equals', width: 126 }),
    email: email(['邮箱', 'E-mail'], { ...seen, width: 160 }),
    introduction: longText(['简介', 'Introduction'], { max: 200 }),
    serviceHours: text(['服务时间', 'Service hours'], {
      max: 60,
      placeholder: ['每日 09:00–18:00', 'Daily 09:00–18:00'],
    }),
    qr: text(['二维码', 'QR'], { ...seen, width: 80 }),
    projects: refs('project', ['项目', 'Projects'], { ...seen, search: 'in', width: 140 }),
    buildings: refs('building', ['楼栋', 'Buildings'], { ...seen, width: 180 }),
    houses: integer(['管辖户数', 'Houses'], { ...seen, width: 86 }),
    score: decimal(['评分', 'Score'], {
      ...seen,
      scale: 2,
      width: 70,
      help: [
        '住户评价平均分，满意3、一般2、不满意1',
        'Average of ratings: satisfied 3, fair 2, unsatisfied 1',
      ],
    }),
    onLeave: boolean(['请假', 'On leave'], { ...seen, width: 66 }),
    standIn: ref('housekeeper', ['代班人', 'Stand-in'], {
      width: 90,
      help: ['在代班期内代管全部房屋', 'Acts for all houses in the period'],
    }),
    standInFrom: date(['代班开始', 'Stand-in from'], { width: 106 }),
    standInTo: date(['代班结束', 'Stand-in until'], { width: 106 }),
    enabled: boolean(['启用', 'Enabled'], { ...seen, search: 'equals', width: 66 }),
  },
  list: {
    columns: [
      'name',
      'photo',
      'sex',
      'phone',
      'email',
      'projects',
      'buildings',
      'houses',
      'score',
      'qr',
      'onLeave',
      'standIn',
      'standInTo',
      'enabled',
    ],
    hidden: ['email', 'standInTo'],
    filters: ['projects', 'enabled', 'phone'],
    sort: '-createdAt',
    link: 'name',
    empty: ['还没有管家', 'There is no housekeeper yet'],
  },
  form: {
    width: 640,
    sections: [
      { title: ['管家', 'Person'], fields: ['staff', 'photo', 'introduction', 'serviceHours'] },
      { title: ['代班', 'Stand-in'], fields: ['standIn', 'standInFrom', 'standInTo'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['管家', 'Person'],
        fields: ['name', 'photo', 'sex', 'phone', 'email', 'introduction', 'serviceHours', 'enabled'],
      },
      {
        title: ['管辖', 'Houses'],
        fields: [
          'projects',
          'buildings',
          'houses',
          'score',
          'onLeave',
          'standIn',
          'standInFrom',
          'standInTo',
        ],
      },
    ],
    parts: [
      part({
        key: 'assignments',
        title: housekeeperAssignment.title,
        resource: housekeeperAssignment as unknown as Resource,
        by: 'housekeeper',
      }),
    ],
  },
  elements: { btn_qr: ['二维码', 'QR code'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    assign: {
      on: 'row',
      label: ['分配', 'Assign'],
      element: 'btn_assign',
      opens: 'screen',
      input: {
        ...places,
        from: date(['开始日期', 'From'], { required: true }),
        to: date(['结束日期', 'Until']),
        note: text(['说明', 'Note'], { max: 200 }),
      },
      message: ['已分配 {houses} 户', '{houses} houses assigned'],
    },
    transfer: {
      on: 'row',
      label: ['移交', 'Transfer'],
      element: 'btn_transfer',
      opens: 'screen',
      input: {
        to: ref('housekeeper', ['新管家', 'To'], { required: true }),
        ...places,
        from: date(['移交日期', 'From'], { required: true }),
        note: text(['说明', 'Note'], { max: 200 }),
      },
      message: ['已移交 {houses} 户', '{houses} houses transferred'],
    },
    leave: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: [
        '删除管家「{name}」？员工账号保留，历史评价与业绩保留。',
        'Delete the housekeeper “{name}”? The account stays, ratings and performance stay.',
      ],
    },
  },
});

export interface Housekeeper extends Row<typeof housekeeper> {}

/** A node of the tree of places as assigning shows it. */
export interface KeptPlace {
  readonly key: string;
  readonly id: string;
  readonly kind: 'project' | 'building' | 'unit' | 'house';
  readonly name: string;
  readonly houses: number;
  /** Houses with a main housekeeper on the day or later. */
  readonly taken: number;
  /** Houses of the housekeeper who is asked for. */
  readonly mine: number;
  readonly holders: readonly string[];
  /** 1: somebody looks after it already. */
  readonly isChoose: 0 | 1;
}
