import { choice, dateRange, integer, json, percent, ref } from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';

/**
 * Houses and members of each project: how many are registered now, how many came in the period. Source: group 09, Reports
 * and drill.
 */
export const registrationReport = defineReport({
  name: 'registrationReport',
  menu: 'ssm_registrationReport',
  title: ['注册统计', 'Registration report'],
  purpose: [
    '户数、会员数为当前值；新增按所选期间统计',
    'Houses and members as they are now; new ones of the chosen period',
  ],
  parameters: {
    range: dateRange(['期间', 'Period'], { required: true }),
    centreCity: ref('centreCity', ['中心城市', 'Centre city'], { search: 'in' }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    step: choice(
      ['步长', 'Step'],
      {
        day: { label: ['日', 'Day'] },
        week: { label: ['周', 'Week'] },
        month: { label: ['月', 'Month'] },
      },
      { search: 'equals', placeholder: ['日', 'Day'] },
    ),
  },
  figures: {
    allHouses: {
      label: ['总户数', 'Houses'],
      kind: 'integer',
      formula: ['范围内全部房屋', 'All houses of the scope'],
    },
    allRegistered: {
      label: ['已注册户数', 'Registered houses'],
      kind: 'integer',
      formula: ['至少有一个正常住户的房屋', 'Houses with at least one normal household'],
    },
    allRate: {
      label: ['户注册率', 'Registration rate'],
      kind: 'percent',
      formula: ['已注册户数 ÷ 总户数，按合计计算', 'Registered ÷ all houses, from the sums'],
    },
    allMembers: {
      label: ['会员数', 'Members'],
      kind: 'integer',
      formula: ['注册于这些项目的会员', 'Members registered in these projects'],
    },
    allNewMembers: {
      label: ['期间新增会员', 'New members'],
      kind: 'integer',
      formula: ['注册时间在期间内的会员', 'Members registered in the period'],
    },
    allNewHouses: {
      label: ['新增户', 'New houses'],
      kind: 'integer',
      formula: ['首个正常住户出现在期间内的房屋', 'Houses whose first normal household began in the period'],
    },
  },
  charts: [
    {
      key: 'trend',
      title: ['新增会员走势', 'New members'],
      kind: 'line',
      measures: ['newMembers', 'newHouses'],
      drillFilter: 'range',
    },
    {
      key: 'project',
      title: ['项目注册率（前八）', 'Rate by project (top 8)'],
      kind: 'bar',
      measures: ['rate', 'registered'],
      drillFilter: 'project',
    },
    {
      key: 'channel',
      title: ['注册渠道', 'Channels'],
      kind: 'ring',
      measures: ['members', 'newMembers'],
    },
  ],
  fields: {
    project: ref('project', ['项目', 'Project'], { sortable: true, width: 180 }),
    houses: integer(['总户数', 'Houses'], { sortable: true, width: 100 }),
    registered: integer(['已注册户数', 'Registered'], { sortable: true, width: 120 }),
    rate: percent(['户注册率', 'Rate'], { sortable: true, width: 110 }),
    unregistered: integer(['未注册', 'Not registered'], { sortable: true, width: 130 }),
    members: integer(['会员数', 'Members'], { sortable: true, width: 110 }),
    newMembers: integer(['期间新增', 'New members'], { sortable: true, width: 130 }),
    newHouses: integer(['新增户', 'New houses'], { sortable: true, width: 120 }),
    owners: integer(['业主', 'Owners'], {
      sortable: true,
      width: 100,
      help: [
        '以正常住户身份计，未绑定的会员不计入',
        'By normal households; members without one do not count',
      ],
    }),
    families: integer(['家属', 'Families'], { sortable: true, width: 100 }),
    tenants: integer(['租客', 'Tenants'], { sortable: true, width: 100 }),
    /** Filters of the screens a figure opens, by column. */
    drill: json(['下钻条件', 'Drill']),
  },
  columns: [
    'project',
    'houses',
    'registered',
    'rate',
    'unregistered',
    'members',
    'newMembers',
    'newHouses',
    'owners',
    'families',
    'tenants',
  ],
  sort: '-rate',
  drills: [
    { column: 'houses', menu: 'ssm_registerByHouse' },
    { column: 'registered', menu: 'ssm_registerByHouse' },
    { column: 'unregistered', menu: 'ssm_registerByHouse' },
    { column: 'newHouses', menu: 'ssm_registerByHouse' },
    { column: 'members', menu: 'ssm_registrationDetails' },
    { column: 'newMembers', menu: 'ssm_registrationDetails' },
    { column: 'owners', menu: 'ssm_registrationDetails' },
    { column: 'families', menu: 'ssm_registrationDetails' },
    { column: 'tenants', menu: 'ssm_registrationDetails' },
  ],
  maxDays: 366,
  export: true,
});
