import { boolean, choice, date, lines, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

const ELEMENT = 'btn_calendar';
const clock = (label: readonly [string, string], placeholder: string) =>
  text(label, {
    required: true,
    max: 5,
    placeholder: [placeholder, placeholder],
    pattern: {
      source: '^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$',
      message: ['请填写 09:00 这样的时间', 'Write a time like 09:00'],
    },
  });

/** Working hours that times of orders are reckoned in. */
export const businessCalendar = defineResource({
  name: 'businessCalendar',
  menu: 'cs_maintenance',
  title: ['工作日历', 'Calendars'],
  noun: ['工作日历', 'Calendar'],
  purpose: [
    '每周工作时间、节假日与调休；调休上班日按当日所在星期，无则按周一的时间',
    'Weekly hours, holidays and swapped days; an adjusted workday has the hours of its weekday, else those of Monday',
  ],
  stamps: true,
  fields: {
    name: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 40, width: 160 }),
    nameEn: text(['英文名称', 'English name'], { max: 80, width: 160 }),
    publicHolidays: boolean(['按国家节假日', 'National holidays'], {
      initial: true,
      search: 'equals',
      width: 120,
      help: ['法定节假日休息、调休日上班', 'Statutory holidays rest, adjusted workdays work'],
    }),
    hours: lines(
      ['每周时间', 'Weekly hours'],
      {
        weekday: choice(
          ['星期', 'Weekday'],
          {
            '1': { label: ['周一', 'Mon'] },
            '2': { label: ['周二', 'Tue'] },
            '3': { label: ['周三', 'Wed'] },
            '4': { label: ['周四', 'Thu'] },
            '5': { label: ['周五', 'Fri'] },
            '6': { label: ['周六', 'Sat'] },
            '7': { label: ['周日', 'Sun'] },
          },
          { required: true },
        ),
        fromTime: clock(['从', 'From'], '09:00'),
        toTime: clock(['到', 'To'], '18:00'),
      },
      { required: true, min: 1, max: 42, width: 320 },
    ),
    days: lines(
      ['特殊日期', 'Days that differ'],
      {
        day: date(['日期', 'Day'], { required: true }),
        type: choice(
          ['类型', 'Type'],
          { workday: { label: ['上班', 'Works'] }, rest_day: { label: ['休息', 'Rests'] } },
          { required: true },
        ),
        note: text(['说明', 'Note'], { max: 60 }),
      },
      { max: 200 },
    ),
    standard: boolean(['标准日历', 'Standard'], { readOnly: true, search: 'equals', width: 90 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 72 }),
  },
  list: {
    columns: ['name', 'hours', 'publicHolidays', 'standard', 'enabled', 'nameEn', 'updater', 'updatedAt'],
    hidden: ['nameEn', 'updater', 'updatedAt'],
    filters: ['publicHolidays', 'standard', 'enabled'],
    sort: 'name',
  },
  form: {
    width: 640,
    sections: [
      { title: ['日历', 'Calendar'], fields: ['name', 'nameEn', 'publicHolidays'] },
      { title: ['时间', 'Hours'], fields: ['hours', 'days'] },
    ],
  },
  deletable: 'unused',
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: ELEMENT, tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: ELEMENT },
    enable: { on: 'row', label: ['启用', 'Enable'], element: ELEMENT },
    disable: { on: 'row', label: ['停用', 'Disable'], element: ELEMENT, tone: 'danger' },
    remove: { on: 'row', label: ['删除', 'Delete'], element: ELEMENT, tone: 'danger' },
  },
});
