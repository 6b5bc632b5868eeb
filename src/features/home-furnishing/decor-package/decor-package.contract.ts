import {
  boolean,
  choice,
  code,
  decimal,
  image,
  images,
  instant,
  integer,
  json,
  lines,
  longText,
  money,
  percent,
  ref,
  refs,
  richText,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { WARRANTY } from '../../../domain/furnishing/decor-version.rules.ts';
import {
  CANCEL_STAGES,
  DUE_EVENTS,
  MOST_NODES,
  OPTION_MODES,
  PRICE_BASES,
} from '../../../domain/furnishing/price.rules.ts';
import { ROOM_KINDS } from '../../../domain/furnishing/rooms.rules.ts';

const CODES = {
  source: '^[A-Za-z0-9_-]{1,20}([,，、 ]+[A-Za-z0-9_-]{1,20})*$',
  message: ['选项编码，用逗号隔开', 'Codes of options, separated by commas'],
} as const;

/** Words of a package's states, as those of goods. */
export const packageStates = {
  draft: { label: ['待发布', 'Draft'], tone: 'default', code: 1 },
  reviewing: { label: ['待审核', 'In review'], tone: 'warning', code: 2 },
  published: { label: ['已发布', 'Published'], tone: 'success', code: 3 },
  rejected: { label: ['已驳回', 'Rejected'], tone: 'error', code: 4 },
  off_shelf: { label: ['已下架', 'Withdrawn'], tone: 'paused', code: 5 },
} as const;

/** A whole-house package of a merchant: priced by house type, with contents, options, instalments and warranty, in versions. */
export const decorPackage = defineResource({
  name: 'decorPackage',
  menu: 'mj_mercureCommodity',
  title: ['美居套餐', 'Decor packages'],
  noun: ['套餐', 'Package'],
  purpose: [
    '整装套餐：按户型定价；已发布套餐的修改须通过初审与复审后生效为新版本，此前旧版继续在售',
    'Whole-house packages priced by house type. A change of a published one is reviewed twice and becomes the next version; until then the old one sells on',
  ],
  prefix: 'MJ',
  stamps: true,
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, sortable: true, width: 168 }),
    name: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 40, width: 240 }),
    cover: image(['图片', 'Image'], { readOnly: true, width: 76 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { createOnly: true, search: 'in', width: 150 }),
    style: ref('decorStyle', ['风格', 'Style'], { search: 'in', width: 110 }),
    images: images(['套餐图', 'Pictures'], { required: true, min: 1, max: 9 }),
    projects: refs('project', ['项目', 'Projects'], {
      required: true,
      min: 1,
      max: 100,
      search: 'in',
      width: 180,
    }),
    detailHtml: richText(['图文介绍', 'Description'], { required: true }),
    days: integer(['工期', 'Works days'], {
      required: true,
      min: 15,
      max: 365,
      initial: 90,
      unit: ['天', 'days'],
      sortable: true,
      width: 90,
    }),
    basis: choice(['计价方式', 'Price basis'], PRICE_BASES, {
      required: true,
      initial: 'built_area',
      width: 120,
    }),
    minCharge: money(['最低收费', 'Least charge'], {
      min: 0,
      max: 99_999_999_99,
      help: ['基础价低于此数时按此收取', 'The base price is never below it'],
    }),
    prices: lines(
      ['户型价格', 'Prices by house type'],
      {
        houseType: ref('decorHouseType', ['户型', 'House type'], { required: true, width: 240 }),
        amount: money(['价格', 'Price'], { required: true, min: 1, max: 99_999_999_99 }),
        cost: money(['成本价', 'Cost'], {
          min: 1,
          max: 99_999_999_99,
          help: ['仅审核时核对毛利率用', 'For the margin the review looks at'],
        }),
      },
      { required: true, min: 1, max: 100 },
    ),
    items: lines(
      ['包含内容', 'Contents'],
      {
        room: choice(['房间', 'Room'], ROOM_KINDS, { required: true }),
        category: text(['类别', 'Category'], { required: true, max: 20, width: 110 }),
        name: text(['名称', 'Name'], { required: true, max: 40 }),
        brand: text(['品牌', 'Brand'], { max: 30, width: 110 }),
        spec: text(['规格', 'Spec'], { max: 40, width: 120 }),
        rule: choice(['计量', 'Counted'], OPTION_MODES, { required: true, initial: 'fixed' }),
        quantity: decimal(['数量', 'Quantity'], {
          required: true,
          scale: 2,
          min: 0.01,
          max: 9_999,
          initial: '1',
        }),
        included: boolean(['含在基础价', 'Included'], { initial: true }),
      },
      { required: true, min: 1, max: 200 },
    ),
    options: lines(
      ['可选项', 'Options'],
      {
        code: text(['编码', 'Code'], {
          required: true,
          max: 20,
          width: 90,
          pattern: {
            source: '^[A-Za-z0-9_-]{1,20}$',
            message: ['字母、数字、_ 或 -', 'Letters, digits, _ or -'],
          },
        }),
        name: text(['名称', 'Name'], { required: true, max: 40 }),
        room: choice(['房间', 'Room'], ROOM_KINDS),
        group: text(['选择组', 'Group'], { max: 20, width: 100 }),
        single: boolean(['组内单选', 'One of the group']),
        mode: choice(['计价', 'Priced'], OPTION_MODES, { required: true, initial: 'fixed' }),
        price: money(['价格 ±', 'Price ±'], {
          required: true,
          min: -99_999_999,
          max: 99_999_999,
          help: ['减配写负数', 'Negative where it saves'],
        }),
        preset: boolean(['默认选中', 'Chosen at first']),
        requires: text(['需同选', 'Needs'], { max: 120, pattern: CODES, width: 110 }),
        excludes: text(['不可同选', 'Excludes'], { max: 120, pattern: CODES, width: 110 }),
      },
      { max: 100 },
    ),
    plan: lines(
      ['付款计划', 'Instalments'],
      {
        name: text(['名称', 'Name'], { required: true, max: 20 }),
        share: percent(['比例 %', 'Share %'], { required: true, scale: 2, min: 0.01, max: 100 }),
        due: choice(['到期节点', 'Due at'], DUE_EVENTS, { required: true }),
        dueDays: integer(['后若干天', 'Days after'], { required: true, min: 0, max: 90, initial: 0 }),
      },
      { required: true, min: 2, max: 6 },
    ),
    nodes: lines(
      ['施工节点', 'Works nodes'],
      {
        name: text(['名称', 'Name'], { required: true, max: 20 }),
        weight: percent(['权重 %', 'Weight %'], { required: true, scale: 2, min: 0.01, max: 100 }),
      },
      { required: true, min: 1, max: MOST_NODES },
    ),
    cancelPolicy: lines(
      ['退订规则', 'Cancellation'],
      {
        stage: choice(['阶段', 'Stage'], CANCEL_STAGES, { required: true }),
        fee: money(['扣固定金额', 'Fixed sum kept'], { required: true, min: 0, max: 99_999_999 }),
        share: percent(['扣总价 %', '% of the price kept'], { required: true, scale: 2, min: 0, max: 100 }),
        nodes: boolean(['另扣已完成节点', 'And the passed nodes']),
      },
      { required: true, min: 4, max: 4 },
    ),
    warranty: lines(
      ['质保', 'Warranty'],
      {
        category: choice(['类别', 'Category'], WARRANTY, { required: true }),
        months: integer(['月数', 'Months'], { required: true, min: 1, max: 240 }),
      },
      { required: true, min: 1, max: 7 },
    ),
    terms: longText(['条款', 'Terms'], { max: 2_000 }),
    priceTools: json(['批量填价', 'Fill prices']),
    itemTools: json(['复制内容', 'Copy contents']),
    preview: json(['价格试算', 'Try a price']),
    typeCount: integer(['户型数', 'House types'], { readOnly: true, width: 90 }),
    houseType: ref('decorHouseType', ['户型', 'House type'], { readOnly: true, search: 'in' }),
    price: money(['价格', 'Price'], { readOnly: true, sortable: true, search: 'range', width: 190 }),
    priceMax: money(['最高价', 'Highest price'], { readOnly: true, width: 120 }),
    versionNo: integer(['版本', 'Version'], { readOnly: true, width: 80 }),
    sold: integer(['销量', 'Sold'], { readOnly: true, sortable: true, width: 80 }),
    appliedAt: instant(['申请时间', 'Applied'], { readOnly: true, sortable: true, width: 150 }),
    publishedAt: instant(['发布时间', 'Published'], { readOnly: true, sortable: true, width: 150 }),
    pendingChange: boolean(['修改待审', 'Change waiting'], { readOnly: true, width: 100 }),
    offReason: text(['下架原因', 'Why withdrawn'], { readOnly: true, width: 160 }),
  },
  states: packageStates,
  list: {
    columns: [
      'name',
      'cover',
      'state',
      'price',
      'merchant',
      'style',
      'projects',
      'typeCount',
      'days',
      'versionNo',
      'sold',
      'code',
      'appliedAt',
      'publishedAt',
      'priceMax',
      'pendingChange',
    ],
    hidden: ['appliedAt', 'priceMax', 'pendingChange'],
    filters: ['state', 'merchant', 'projects', 'houseType', 'style', 'price'],
    sort: '-code',
    link: 'name',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'draft', label: ['待发布', 'Draft'], filter: { state: 'draft' } },
      { key: 'reviewing', label: ['待审核', 'In review'], filter: { state: 'reviewing' } },
      { key: 'published', label: ['已发布', 'Published'], filter: { state: 'published' } },
      { key: 'rejected', label: ['已驳回', 'Rejected'], filter: { state: 'rejected' } },
      { key: 'withdrawn', label: ['已下架', 'Withdrawn'], filter: { state: 'off_shelf' } },
    ],
    export: [
      'code',
      'name',
      'state',
      'merchant',
      'style',
      'projects',
      'typeCount',
      'price',
      'priceMax',
      'days',
      'versionNo',
      'sold',
      'pendingChange',
      'appliedAt',
      'publishedAt',
    ],
    empty: ['还没有套餐', 'No packages yet'],
  },
  form: {
    as: 'steps',
    sections: [
      {
        title: ['基础', 'Basics'],
        fields: ['merchant', 'name', 'style', 'projects', 'images', 'days', 'detailHtml'],
      },
      { title: ['价格', 'Prices'], fields: ['basis', 'minCharge', 'priceTools', 'prices'] },
      { title: ['内容', 'Contents'], fields: ['itemTools', 'items'] },
      { title: ['选项', 'Options'], fields: ['options', 'preview'] },
      { title: ['条款', 'Terms'], fields: ['plan', 'nodes', 'cancelPolicy', 'warranty', 'terms'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['基础', 'Basics'],
        fields: [
          'code',
          'state',
          'offReason',
          'merchant',
          'style',
          'projects',
          'days',
          'versionNo',
          'sold',
          'appliedAt',
          'publishedAt',
          'images',
        ],
      },
      { title: ['价格', 'Prices'], fields: ['basis', 'minCharge', 'prices'] },
      { title: ['内容与选项', 'Contents and options'], fields: ['items', 'options'] },
      { title: ['条款', 'Terms'], fields: ['plan', 'nodes', 'cancelPolicy', 'warranty', 'terms'] },
    ],
  },
  elements: { btn_priceImport: ['导入价格', 'Import prices'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'draft' },
    update: {
      on: 'row',
      label: ['编辑', 'Edit'],
      element: 'btn_edit',
      from: ['draft', 'published', 'rejected', 'off_shelf'],
    },
    apply: {
      on: 'rowAndBulk',
      label: ['提交审核', 'Send for review'],
      element: 'btn_apply',
      from: ['draft', 'rejected', 'off_shelf'],
      to: 'reviewing',
      tone: 'primary',
      confirm: [
        '提交「{name}」？初审、复审通过后发布。',
        'Send “{name}”? It is published when both reviews pass',
      ],
    },
    recall: {
      on: 'row',
      label: ['撤回提交', 'Recall'],
      element: 'btn_recall',
      from: ['reviewing', 'published'],
      to: ['draft', 'published'],
      confirm: ['撤回「{name}」的待审内容？', 'Recall what waits for review of “{name}”?'],
    },
    takeDown: {
      on: 'rowAndBulk',
      label: ['下架', 'Take down'],
      element: 'btn_takeDown',
      from: ['published'],
      to: 'off_shelf',
      confirm: [
        '下架「{name}」？不能再报价，进行中的订单不受影响。',
        'Take “{name}” down? It is quoted no more, running orders go on',
      ],
      input: { reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    copy: { on: 'row', label: ['复制', 'Copy'], element: 'btn_copy', untouched: true },
    remove: {
      on: 'rowAndBulk',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      from: ['draft', 'rejected'],
      tone: 'danger',
      confirm: ['删除「{name}」？', 'Delete “{name}”?'],
    },
  },
});

export interface DecorPackage extends Row<typeof decorPackage> {}

/** A note of a reviewer at a field of the form. */
export interface FieldNote {
  readonly field: string;
  readonly note: string;
}

/** Fields notes can be written at, with what they are called. */
export const NOTED_FIELDS = Object.fromEntries(
  (
    [
      'name',
      'style',
      'images',
      'projects',
      'detailHtml',
      'days',
      'basis',
      'minCharge',
      'prices',
      'items',
      'options',
      'plan',
      'nodes',
      'cancelPolicy',
      'warranty',
      'terms',
    ] as const
  ).map((name) => [name, { label: decorPackage.fields[name].label }]),
) as Readonly<Record<string, { readonly label: readonly [string, string] }>>;
