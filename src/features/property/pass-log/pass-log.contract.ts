import { boolean, choice, instant, personName, phone, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { PASS_DIRECTIONS, PASS_METHODS, PASS_RESULTS } from '../../../domain/visitor/visitor.rules.ts';

const seen = { readOnly: true } as const;

/** One passage at a door or gate as its device told it, refused ones too. */
export const passLog = defineResource({
  name: 'passLog',
  menu: 'cs_passLog',
  title: ['通行记录', 'Pass log'],
  noun: ['通行记录', 'Passage'],
  purpose: [
    '门禁与道闸上报的每次通行，设备最迟可补传 72 小时内的记录；保留天数见参数 passlog.days',
    'Every passage told by doors and gates, late ones up to 72 hours; kept for passlog.days',
  ],
  titleField: 'address',
  sensitive: true,
  fields: {
    at: instant(['通行时间', 'Time'], { ...seen, sortable: true, search: 'range', width: 170 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 140 }),
    userName: personName(['用户', 'User'], { ...seen, keyword: true, width: 90 }),
    phone: phone(['手机号', 'Phone'], { ...seen, search: 'equals', width: 120 }),
    gate: { ...ref('passGate', ['道闸', 'Gate'], { ...seen, search: 'in' }), within: 'project' },
    address: text(['通行地点', 'Pass address'], { ...seen, width: 170 }),
    direction: choice(['方向', 'Direction'], PASS_DIRECTIONS, { ...seen, search: 'in', width: 80 }),
    method: choice(['方式', 'Method'], PASS_METHODS, { ...seen, search: 'in', width: 100 }),
    result: choice(['结果', 'Result'], PASS_RESULTS, { ...seen, search: 'in', width: 90 }),
    reason: text(['失败原因', 'Why it failed'], { ...seen, width: 140 }),
    visitor: personName(['访客', 'Visitor'], { ...seen, keyword: true, width: 90 }),
    visit: ref('visitor', ['访客登记', 'Visit'], seen),
    hasPhoto: boolean(['抓拍', 'Photo'], { ...seen, width: 70 }),
    receivedAt: instant(['上报时间', 'Received'], { ...seen, width: 150 }),
  },
  list: {
    columns: [
      'at',
      'project',
      'userName',
      'phone',
      'address',
      'direction',
      'method',
      'result',
      'reason',
      'visitor',
      'hasPhoto',
      'receivedAt',
    ],
    hidden: ['receivedAt'],
    filters: ['at', 'project', 'gate', 'result', 'method', 'direction', 'phone'],
    tabs: [
      { key: 'today', label: ['今天', 'Today'], named: true },
      { key: 'all', label: ['全部', 'All'], named: true },
    ],
    sort: '-at',
    export: true,
    empty: ['没有通行记录', 'No passages'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['通行', 'Passage'],
        fields: ['at', 'receivedAt', 'project', 'address', 'direction', 'method', 'result', 'reason'],
      },
      { title: ['人员', 'Person'], fields: ['userName', 'phone', 'visitor', 'visit'] },
    ],
  },
  elements: { btn_view: ['查看', 'View'], btn_photo: ['查看抓拍', 'See the photo'] },
});

export interface PassLogRow extends Row<typeof passLog> {}
