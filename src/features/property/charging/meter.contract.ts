import {
  boolean,
  choice,
  date,
  decimal,
  image,
  instant,
  integer,
  longText,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Row } from '../../../kernel/contract/resource.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

const seen = { readOnly: true } as const;
const value = (label: readonly [string, string]) =>
  decimal(label, { min: 0, max: 999_999_999, scale: 3, required: true });

/** What a meter showed on a day and what was used since it was read before; charged by a bill it stays as it is. */
export const meterReading = defineResource({
  name: 'meterReading',
  menu: CHARGING_MENU,
  title: ['抄表记录', 'Readings'],
  noun: ['抄表记录', 'Reading'],
  titleField: 'meter',
  stamps: true,
  fields: {
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 140 }),
    house: ref('chargedHouse', ['房屋', 'House'], { ...seen, search: 'in', width: 160 }),
    place: text(['公共区域', 'Public area'], { ...seen, width: 130 }),
    item: ref('feeItem', ['收费项目', 'Fee item'], { ...seen, search: 'in', width: 120 }),
    meter: ref('meter', ['表号', 'Meter'], { required: true, createOnly: true, search: 'in', width: 130 }),
    kind: choice(
      ['类型', 'Kind'],
      {
        reading: { label: ['抄表', 'Reading'] },
        rollover: { label: ['翻转', 'Rolled over'] },
        final: { label: ['换表止数', 'Final reading'] },
        counter: { label: ['冲正', 'Counter-reading'] },
      },
      { ...seen, search: 'in', width: 100 },
    ),
    lastValue: decimal(['上次', 'Last'], { ...seen, scale: 3, width: 110 }),
    value: decimal(['本次读数', 'This reading'], {
      required: true,
      min: 0,
      max: 999_999_999,
      scale: 3,
      width: 120,
      help: ['按用量收费的项目填本期用量', 'Of an item by usage: what was used'],
    }),
    multiplier: integer(['倍率', 'Multiplier'], { ...seen, width: 80 }),
    usage: decimal(['用量', 'Usage'], { ...seen, scale: 3, width: 110 }),
    fromOn: date(['自', 'From'], { ...seen, width: 110 }),
    readOn: date(['抄表日', 'Read on'], { required: true, search: 'range', sortable: true, width: 110 }),
    rolledOver: boolean(['已翻转', 'Rolled over'], {
      initial: false,
      width: 90,
      help: ['表走过最大读数后从0起', 'The meter passed its highest number'],
    }),
    confirmed: boolean(['已核对', 'Confirmed'], {
      initial: false,
      width: 90,
      help: ['用量超过近6个月平均3倍时须勾选', 'Needed above three times the average of 6 months'],
    }),
    photo: image(['照片', 'Photo'], { width: 80 }),
    reader: ref('staff', ['抄表人', 'Read by'], { ...seen, width: 100 }),
    remark: text(['备注', 'Remark'], { max: 200, width: 150 }),
    charged: boolean(['已出账', 'Charged'], { ...seen, search: 'equals', width: 90 }),
    bill: ref('bill', ['账单', 'Bill'], { ...seen, width: 150 }),
    createdAt: instant(['录入时间', 'Entered'], { ...seen, sortable: true, width: 150 }),
  },
  list: {
    columns: [
      'project',
      'house',
      'place',
      'item',
      'meter',
      'kind',
      'lastValue',
      'value',
      'usage',
      'readOn',
      'charged',
      'reader',
      'photo',
    ],
    hidden: ['multiplier', 'fromOn', 'confirmed', 'bill', 'remark', 'createdAt'],
    filters: ['project', 'house', 'item', 'meter', 'kind', 'readOn', 'charged'],
    sort: '-readOn',
    export: true,
    empty: ['还没有抄表记录', 'Nothing was read yet'],
  },
  form: {
    sections: [
      {
        title: ['读数', 'Reading'],
        fields: ['meter', 'readOn', 'value', 'rolledOver', 'confirmed', 'photo', 'remark'],
      },
    ],
  },
  actions: {
    create: { label: ['录入', 'Enter'], on: 'page', element: 'btn_reading', tone: 'primary' },
    update: { label: ['更正', 'Edit'], on: 'row', element: 'btn_reading' },
    counter: {
      label: ['冲正', 'Counter-reading'],
      on: 'row',
      element: 'btn_reading',
      input: {
        value: value(['正确读数', 'The right reading']),
        reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    remove: {
      label: ['删除', 'Delete'],
      on: 'row',
      element: 'btn_reading',
      tone: 'danger',
      confirm: ['删除该读数？', 'Delete this reading?'],
    },
  },
});

/** A meter of a house, or of a public area whose usage houses share. */
export const meter = defineResource({
  name: 'meter',
  menu: CHARGING_MENU,
  title: ['抄表', 'Meters'],
  noun: ['表具', 'Meter'],
  titleField: 'number',
  stamps: true,
  fields: {
    number: text(['表号', 'Number'], { required: true, max: 30, keyword: true, width: 140 }),
    item: ref('feeItem', ['收费项目', 'Fee item'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 130,
      help: ['用量、抄表、阶梯、公摊或按读数的自定义项目', 'An item by readings'],
    }),
    project: ref('project', ['项目', 'Project'], {
      createOnly: true,
      search: 'in',
      width: 150,
      help: ['公共区域的表填项目，房屋的表留空', 'Of a public area; empty for a house'],
    }),
    building: ref('building', ['楼栋', 'Building'], {
      createOnly: true,
      width: 110,
      help: ['留空则由全项目公摊', 'Empty: the whole project shares it'],
    }),
    house: ref('chargedHouse', ['房屋', 'House'], { createOnly: true, search: 'in', width: 170 }),
    place: text(['安装位置', 'Place'], { max: 40, width: 130 }),
    multiplier: integer(['倍率', 'Multiplier'], {
      required: true,
      min: 1,
      max: 10_000,
      initial: 1,
      width: 80,
    }),
    maxValue: integer(['最大读数', 'Highest number'], {
      required: true,
      min: 9,
      max: 999_999_999,
      initial: 99_999,
      width: 110,
      help: ['其后回到0，如5位表99999', '0 comes behind it'],
    }),
    startValue: decimal(['起始读数', 'First reading'], {
      required: true,
      createOnly: true,
      min: 0,
      max: 999_999_999,
      scale: 3,
      initial: '0',
      width: 110,
    }),
    installedOn: date(['安装日', 'Installed'], {
      required: true,
      createOnly: true,
      sortable: true,
      width: 110,
    }),
    lastValue: decimal(['上次读数', 'Last reading'], { ...seen, scale: 3, width: 110 }),
    lastOn: date(['上次抄表', 'Last read'], { ...seen, width: 110 }),
    average: decimal(['近6个月月均', 'Monthly, 6 months'], { ...seen, scale: 3, width: 130 }),
    open: integer(['未出账读数', 'Not charged'], { ...seen, width: 100 }),
    replacedBy: ref('meter', ['换为', 'Replaced by'], { ...seen, width: 120 }),
  },
  states: {
    in_use: { label: ['使用中', 'In use'], tone: 'success' },
    replaced: { label: ['已换表', 'Replaced'], tone: 'paused' },
  },
  list: {
    columns: [
      'number',
      'item',
      'project',
      'house',
      'building',
      'place',
      'multiplier',
      'lastValue',
      'lastOn',
      'average',
      'open',
      'state',
    ],
    hidden: ['maxValue', 'startValue', 'installedOn', 'replacedBy'],
    filters: ['item', 'project', 'house', 'state'],
    sort: '-createdAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'unread', label: ['本月未抄', 'Not read this month'], named: true },
      { key: 'public', label: ['公共区域', 'Public areas'], named: true },
    ],
    export: true,
    empty: ['还没有表具', 'There are no meters yet'],
  },
  form: {
    sections: [
      { title: ['表具', 'Meter'], fields: ['number', 'item', 'multiplier', 'maxValue'] },
      { title: ['位置', 'Where'], fields: ['house', 'project', 'building', 'place'] },
      { title: ['起点', 'Start'], fields: ['startValue', 'installedOn'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['表具', 'Meter'],
        fields: [
          'item',
          'project',
          'house',
          'building',
          'place',
          'multiplier',
          'maxValue',
          'startValue',
          'installedOn',
          'replacedBy',
        ],
      },
      { title: ['读数', 'Readings'], fields: ['lastValue', 'lastOn', 'average', 'open'] },
    ],
    parts: [part({ key: 'readings', title: ['抄表记录', 'Readings'], resource: meterReading, by: 'meter' })],
  },
  elements: { btn_tab_meters: ['抄表', 'Meters'], btn_reading: ['录入读数', 'Enter readings'] },
  actions: {
    create: { label: ['新增表具', 'Add a meter'], on: 'page', element: 'btn_meter' },
    update: { label: ['编辑', 'Edit'], on: 'row', element: 'btn_meter', from: ['in_use'] },
    replace: {
      label: ['换表', 'Replace'],
      on: 'row',
      element: 'btn_meter',
      from: ['in_use'],
      to: 'replaced',
      input: {
        finalValue: value(['旧表止数', 'Final reading of the old one']),
        on: date(['换表日', 'On'], { required: true }),
        number: text(['新表号', 'New number'], { required: true, max: 30 }),
        startValue: decimal(['新表起数', 'First reading of the new one'], {
          required: true,
          min: 0,
          max: 999_999_999,
          scale: 3,
        }),
        multiplier: integer(['新表倍率', 'Its multiplier'], { min: 1, max: 10_000 }),
        maxValue: integer(['新表最大读数', 'Its highest number'], { min: 9, max: 999_999_999 }),
        rolledOver: boolean(['旧表已翻转', 'The old one rolled over']),
        confirmed: boolean(['已核对', 'Confirmed']),
      },
    },
    remove: {
      label: ['删除', 'Delete'],
      on: 'row',
      element: 'btn_meter',
      tone: 'danger',
      confirm: ['删除表具“{number}”？', 'Delete the meter “{number}”?'],
    },
  },
  deletable: 'unused',
});

export type MeterRow = Row<typeof meter>;
export type MeterReadingRow = Row<typeof meterReading>;
