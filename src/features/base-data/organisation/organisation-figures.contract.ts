import { choice, dateRange, integer, text } from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import { KINDS } from './organisation.contract.ts';

/** Projects, houses and staff per organisation in the tree as it stood when the period ended. */
export const organisationFigures = defineReport({
  name: 'organisationFigures',
  menu: 'mechanism',
  title: ['机构统计', 'Organisation table'],
  purpose: [
    '按所选期间最后一刻的机构树归集，已关闭月份不随后来的调整变化；项目、户数和员工为当前数据',
    'Gathered by the tree as it stood at the end of the period, so that closed months keep theirs; projects, houses and staff are those of today',
  ],
  parameters: {
    range: dateRange(['期间', 'Period'], { required: true }),
    kind: choice(['类型', 'Kind'], KINDS, { search: 'equals' }),
    keyword: text(['名称/编码', 'Name or code'], { search: 'contains', max: 60 }),
  },
  figures: {
    projects: {
      label: ['项目', 'Projects'],
      kind: 'integer',
      formula: ['Σ 最上级机构的项目', 'Σ projects of the topmost organisations'],
    },
    houses: {
      label: ['户数', 'Houses'],
      kind: 'integer',
      formula: ['Σ 最上级机构的户数', 'Σ houses of the topmost organisations'],
    },
    staff: {
      label: ['员工', 'Staff'],
      kind: 'integer',
      formula: [
        'Σ 最上级机构的员工；每人只计入其全部项目共同的最低一级机构',
        'Σ staff of the topmost organisations; everybody counts once, at the lowest one above all own projects',
      ],
    },
  },
  charts: [
    {
      key: 'centres',
      title: ['各中心城市', 'By centre city'],
      kind: 'bar',
      measures: ['houses', 'projects', 'staff'],
    },
  ],
  fields: {
    place: text(['机构', 'Organisation'], { width: 240, sortable: true }),
    code: text(['编码', 'Code'], { width: 120, sortable: true }),
    kind: choice(['类型', 'Kind'], KINDS, { width: 100 }),
    parent: text(['上级', 'Parent'], { width: 180 }),
    projects: integer(['项目数', 'Projects'], { sortable: true, width: 90 }),
    houses: integer(['户数', 'Houses'], { sortable: true, width: 90 }),
    staff: integer(['员工数', 'Staff'], { sortable: true, width: 90 }),
    ownStaff: integer(['其中本级', 'Of these here'], { sortable: true, width: 90 }),
    order: integer(['顺序', 'Order'], { sortable: true }),
  },
  columns: ['place', 'code', 'kind', 'parent', 'projects', 'houses', 'staff', 'ownStaff'],
  sort: 'order',
  drills: [
    { column: 'projects', menu: 'mechanism' },
    { column: 'houses', menu: 'mechanism' },
    { column: 'staff', menu: 'mechanism' },
  ],
  export: true,
});
