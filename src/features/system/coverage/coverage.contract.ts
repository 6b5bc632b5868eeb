import { choice, dateRange, integer, json, percent, ref } from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';

/** How many of the delivered houses the app reaches, by project, building or unit. Source: group 09, Reports and drill. */
export const coverage = defineReport({
  name: 'coverage',
  menu: 'ssm_coverageStat',
  title: ['覆盖率统计', 'Coverage'],
  purpose: [
    '户数为当前值；走势与环比取月末快照，快照不再重算',
    'Houses as they are now; the line and the change come from month-end figures, which are never recalculated',
  ],
  parameters: {
    range: dateRange(['缴费期间与走势期末', 'Period of bills, end of the line'], { required: true }),
    centreCity: ref('centreCity', ['中心城市', 'Centre city'], { search: 'in' }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    level: choice(
      ['展开到', 'Expanded to'],
      {
        project: { label: ['项目', 'Projects'] },
        building: { label: ['楼栋', 'Buildings'] },
        unit: { label: ['单元', 'Units'] },
      },
      { search: 'equals', placeholder: ['项目', 'Projects'] },
    ),
  },
  figures: {
    allDelivered: {
      label: ['交付户数', 'Delivered'],
      kind: 'integer',
      formula: ['范围内已登记的房屋', 'Houses on record in the scope'],
    },
    allOccupied: {
      label: ['入住户数', 'Occupied'],
      kind: 'integer',
      formula: ['自住或出租的房屋', 'Houses lived in by the owner or let'],
    },
    allBound: {
      label: ['绑定户数', 'Bound'],
      kind: 'integer',
      formula: ['至少有一个正常住户的房屋', 'Houses with at least one normal household'],
    },
    allCoverage: {
      label: ['覆盖率', 'Coverage'],
      kind: 'percent',
      formula: ['绑定户数 ÷ 交付户数，按合计计算', 'Bound ÷ delivered, from the sums'],
    },
    allOwnerCoverage: {
      label: ['业主覆盖率', 'Owner coverage'],
      kind: 'percent',
      formula: [
        '有正常业主的房屋 ÷ 交付户数，按合计计算',
        'Houses with a normal owner ÷ delivered, from the sums',
      ],
    },
    allActive: {
      label: ['活跃户数（30 天）', 'Active in 30 days'],
      kind: 'integer',
      formula: [
        '近 30 天有正常住户打开过 App 的房屋',
        'Houses with a normal household that opened the app in the last 30 days',
      ],
    },
  },
  charts: [
    {
      key: 'month',
      title: ['月末覆盖率（近 12 个月）', 'Coverage at month end (12 months)'],
      kind: 'line',
      measures: ['rate', 'ownerRate', 'active'],
    },
    {
      key: 'project',
      title: ['项目覆盖率（前八）', 'Coverage by project (top 8)'],
      kind: 'bar',
      measures: ['rate', 'ownerRate', 'bound'],
      drillFilter: 'project',
    },
  ],
  fields: {
    project: ref('project', ['项目', 'Project'], { sortable: true, width: 170 }),
    building: ref('building', ['楼栋', 'Building'], { sortable: true, width: 100 }),
    unit: ref('buildingUnit', ['单元', 'Unit'], { sortable: true, width: 100 }),
    delivered: integer(['交付户数', 'Delivered'], { sortable: true, width: 110 }),
    occupied: integer(['入住户数', 'Occupied'], { sortable: true, width: 110 }),
    bound: integer(['绑定户数', 'Bound'], { sortable: true, width: 110 }),
    rate: percent(['覆盖率', 'Coverage'], { sortable: true, width: 110 }),
    ownerBound: integer(['业主绑定户数', 'With owner'], { sortable: true, width: 130 }),
    ownerRate: percent(['业主覆盖率', 'Owner coverage'], { sortable: true, width: 130 }),
    active: integer(['活跃户数', 'Active'], { sortable: true, width: 110 }),
    paying: integer(['线上缴费户数', 'Paying online'], {
      sortable: true,
      width: 130,
      help: [
        '账单期间与所选期间重叠、经 App 缴费的房屋',
        'Houses with a bill of the period paid through the app',
      ],
    }),
    payingRate: percent(['缴费覆盖率', 'Paying coverage'], {
      sortable: true,
      width: 130,
      help: ['线上缴费户数 ÷ 期间内有账单的户数', 'Paying online ÷ houses with a bill of the period'],
    }),
    change: percent(['环比', 'Change'], {
      sortable: true,
      width: 110,
      help: [
        '覆盖率与上月末相比，百分点；楼栋与单元没有快照',
        'Coverage against the last month end, in percentage points; buildings and units have no such figures',
      ],
    }),
    /** Filters of the list a figure opens, by column. */
    drill: json(['下钻条件', 'Drill']),
  },
  columns: [
    'project',
    'building',
    'unit',
    'delivered',
    'occupied',
    'bound',
    'rate',
    'ownerBound',
    'ownerRate',
    'active',
    'paying',
    'payingRate',
    'change',
  ],
  sort: '-rate',
  drills: [
    'delivered',
    'occupied',
    'bound',
    'rate',
    'ownerBound',
    'ownerRate',
    'active',
    'paying',
    'payingRate',
  ].map((column) => ({
    column,
    menu: 'ssm_registerByHouse',
  })),
  maxDays: 366,
  export: true,
});
