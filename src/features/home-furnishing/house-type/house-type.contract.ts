import {
  boolean,
  choice,
  code,
  decimal,
  image,
  images,
  integer,
  lines,
  refs,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { ROOM_KINDS } from '../../../domain/furnishing/rooms.rules.ts';

/** Where the windows of the main rooms look. */
export const ORIENTATIONS = {
  s: { label: ['朝南', 'South'] },
  n: { label: ['朝北', 'North'] },
  e: { label: ['朝东', 'East'] },
  w: { label: ['朝西', 'West'] },
  sn: { label: ['南北通透', 'South and north'] },
  ew: { label: ['东西通透', 'East and west'] },
  se: { label: ['东南', 'South-east'] },
  sw: { label: ['西南', 'South-west'] },
  ne: { label: ['东北', 'North-east'] },
  nw: { label: ['西北', 'North-west'] },
} as const;

const BEDROOMS = {
  '0': { label: ['无独立居室', 'No bedroom'] },
  '1': { label: ['1室', '1 bedroom'] },
  '2': { label: ['2室', '2 bedrooms'] },
  '3': { label: ['3室', '3 bedrooms'] },
  '4': { label: ['4室', '4 bedrooms'] },
  '5': { label: ['5室及以上', '5 bedrooms or more'] },
} as const;

const area = { scale: 2, unit: ['m²', 'm²'], width: 110 } as const;

/** A plan that houses of a project share: its rooms and areas are what packages are priced by. */
export const houseType = defineResource({
  name: 'houseType',
  menu: 'mj_houseTypeMana',
  title: ['户型管理', 'House types'],
  noun: ['户型', 'House type'],
  purpose: [
    '各项目的户型：房间与面积决定美居套餐的价格；绑定到房屋后，报价自动带出',
    'Plans of the houses of a project: rooms and areas decide what packages cost; bound houses are quoted by them',
  ],
  prefix: 'HT',
  stamps: true,
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, sortable: true, width: 160 }),
    name: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 30, width: 170 }),
    layout: image(['户型图', 'Layout'], {
      megabytes: 5,
      width: 100,
      help: ['必填；导入的户型补图后才能启用', 'Needed; imported types are enabled once they have one'],
    }),
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 150,
    }),
    shape: text(['室厅卫', 'Rooms'], { readOnly: true, width: 110 }),
    bedrooms: choice(['居室', 'Bedrooms'], BEDROOMS, { readOnly: true, search: 'in', width: 90 }),
    builtArea: decimal(['建筑面积', 'Built area'], {
      ...area,
      required: true,
      min: 10,
      max: 999.99,
      sortable: true,
      search: 'range',
    }),
    innerArea: decimal(['套内面积', 'Inner area'], { ...area, required: true, min: 1, max: 999.99 }),
    roomArea: decimal(['房间面积合计', 'Sum of rooms'], { ...area, readOnly: true }),
    orientation: choice(['朝向', 'Orientation'], ORIENTATIONS, { width: 100 }),
    rooms: lines(
      ['房间', 'Rooms'],
      {
        kind: choice(['类型', 'Kind'], ROOM_KINDS, { required: true }),
        name: text(['名称', 'Name'], { required: true, max: 20 }),
        area: decimal(['面积', 'Area'], { ...area, required: true, min: 0.01, max: 999.99 }),
      },
      { required: true, min: 1, max: 30 },
    ),
    photos: images(['实景照片', 'Photos'], { max: 9 }),
    houses: integer(['房屋数', 'Houses'], { readOnly: true, sortable: true, width: 90 }),
    packages: integer(['在售套餐', 'Packages on sale'], { readOnly: true, width: 100 }),
    inUse: integer(['已发送报价与订单', 'Sent quotes and orders'], {
      readOnly: true,
      width: 120,
      help: ['修改面积不影响它们', 'They stay as they are when areas change'],
    }),
    enabled: boolean(['状态', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'name',
      'layout',
      'project',
      'shape',
      'builtArea',
      'innerArea',
      'orientation',
      'houses',
      'packages',
      'enabled',
      'code',
      'updater',
      'updatedAt',
    ],
    hidden: ['updater', 'updatedAt'],
    filters: ['project', 'bedrooms', 'builtArea', 'enabled'],
    sort: '-code',
    link: 'name',
    export: [
      'code',
      'name',
      'project',
      'shape',
      'builtArea',
      'innerArea',
      'roomArea',
      'orientation',
      'rooms',
      'houses',
      'packages',
      'enabled',
    ],
    empty: ['还没有户型', 'No house types yet'],
  },
  form: {
    width: 760,
    sections: [
      { title: ['户型', 'House type'], fields: ['project', 'name', 'builtArea', 'innerArea', 'orientation'] },
      { title: ['房间', 'Rooms'], fields: ['rooms'] },
      { title: ['图片', 'Pictures'], fields: ['layout', 'photos'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['户型', 'House type'],
        fields: [
          'code',
          'name',
          'project',
          'shape',
          'builtArea',
          'innerArea',
          'roomArea',
          'orientation',
          'houses',
          'inUse',
          'enabled',
        ],
      },
      { title: ['房间', 'Rooms'], fields: ['rooms'] },
      { title: ['图片', 'Pictures'], fields: ['layout', 'photos'] },
      { title: ['记录', 'Record'], fields: ['creator', 'createdAt', 'updater', 'updatedAt'] },
    ],
  },
  elements: { btn_import: ['导入', 'Import'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    bind: {
      on: 'row',
      label: ['绑定房屋', 'Bind houses'],
      element: 'btn_bind',
      opens: 'screen',
      untouched: true,
      input: {
        houses: refs('typedHouse', ['绑定', 'Bind'], { max: 500 }),
        release: refs('typedHouse', ['解除', 'Release'], { max: 500 }),
      },
      message: ['已绑定 {bound} 套，解除 {released} 套', '{bound} bound, {released} released'],
    },
    copy: {
      on: 'row',
      label: ['复制到项目', 'Copy to projects'],
      element: 'btn_copy',
      untouched: true,
      confirm: ['把「{name}」复制到：', 'Copy “{name}” to:'],
      input: { projects: refs('project', ['项目', 'Projects'], { required: true, min: 1, max: 50 }) },
      message: ['已复制 {n} 个：{names}', '{n} copied: {names}'],
    },
    enable: {
      on: 'rowAndBulk',
      label: ['启用', 'Enable'],
      element: 'btn_enable',
      confirm: ['启用「{name}」？', 'Enable “{name}”?'],
    },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      confirm: [
        '停用「{name}」？已绑定的房屋与已有报价不受影响。',
        'Disable “{name}”? Bound houses and quotes stay as they are',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除户型「{name}」？', 'Delete the house type “{name}”?'],
    },
  },
});

export interface HouseType extends Row<typeof houseType> {}

/** A house that can be bound, as the dialog shows it. */
export interface TypedHouse {
  readonly id: string;
  readonly building: string;
  readonly unit: string;
  readonly number: string;
  readonly builtArea: string | null;
  /** The type it has now. */
  readonly type: { readonly id: string; readonly name: string } | null;
}
