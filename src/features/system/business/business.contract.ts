import { boolean, choice, code, image, integer, longText, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A line of trade: what kind of orders its products become, and how long these wait for payment and receipt. */
export const business = defineResource({
  name: 'business',
  menu: 'Busmanagement',
  title: ['业务管理', 'Businesses'],
  noun: ['业务', 'Business'],
  purpose: [
    '商城与服务的业务：决定下单方式、支付与收货时限',
    'Lines of trade: how their orders are made and how long they wait',
  ],
  stamps: true,
  orderable: { field: 'sort' },
  deletable: 'unused',
  fields: {
    image: image(['图片', 'Image'], { required: true, width: 70 }),
    code: code(['编码', 'Code'], {
      required: true,
      createOnly: true,
      sortable: true,
      search: 'equals',
      min: 2,
      max: 30,
      width: 120,
      pattern: {
        source: '[a-z][a-z0-9_]*',
        message: [
          '以小写字母开头，仅限小写字母、数字和 _',
          'Starts with a small letter; small letters, digits and _ only',
        ],
      },
    }),
    name: text(['名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 20,
      width: 130,
    }),
    nameEn: text(['英文名称', 'English name'], {
      required: true,
      keyword: true,
      min: 2,
      max: 40,
      width: 130,
    }),
    createType: choice(
      ['创建类型', 'Made as'],
      { '1': { label: ['工单', 'Work order'], code: 1 }, '2': { label: ['订单', 'Order'], code: 2 } },
      { required: true, search: 'in', width: 100, help: ['已有商品后不能修改', 'Fixed once products exist'] },
    ),
    type: choice(
      ['类型', 'Type'],
      {
        '1': { label: ['普通', 'Ordinary'], code: 1 },
        '2': { label: ['团购', 'Group buy'], code: 2 },
        '3': { label: ['好物探访', 'Find goods'], code: 3 },
        '4': { label: ['疯抢', 'Rush'], code: 4 },
      },
      { required: true, search: 'in', width: 100, help: ['已有商品后不能修改', 'Fixed once products exist'] },
    ),
    description: longText(['描述', 'Description'], { max: 200, width: 200 }),
    sort: integer(['排序', 'Order'], {
      sortable: true,
      min: 0,
      max: 9995,
      width: 80,
      help: ['5 的倍数，不填排在最后；也可拖动', 'A multiple of 5, empty: last; rows can be dragged too'],
    }),
    classes: integer(['分类数', 'Classes'], { readOnly: true, width: 90 }),
    products: integer(['在售商品', 'On sale'], { readOnly: true, width: 100 }),
    autoCancelMinutes: integer(['自动取消', 'Auto-cancel'], {
      min: 1,
      max: 1440,
      width: 120,
      unit: ['分钟', 'min'],
      placeholder: ['按参数 order.pay_minutes', 'As order.pay_minutes'],
      help: [
        '未支付订单多久后取消；不填按参数 order.pay_minutes',
        'Unpaid orders are cancelled after it; empty: setting order.pay_minutes',
      ],
    }),
    autoSignMinutes: integer(['自动签收', 'Auto-receive'], {
      min: 1,
      max: 43_200,
      width: 120,
      unit: ['分钟', 'min'],
      placeholder: ['按参数 order.auto_receive_minutes', 'As order.auto_receive_minutes'],
      help: [
        '发货后多久自动签收；不填按参数 order.auto_receive_minutes',
        'Sent orders count as received after it; empty: setting order.auto_receive_minutes',
      ],
    }),
    leadHours: integer(['预约提前', 'Lead time'], {
      min: 0,
      max: 720,
      width: 110,
      unit: ['小时', 'h'],
      placeholder: ['按参数 service.lead_hours', 'As service.lead_hours'],
      help: [
        '服务最晚提前多久预约；不填按参数 service.lead_hours',
        'Services are booked at least so long before; empty: setting service.lead_hours',
      ],
    }),
    needsCertificate: choice(
      ['商户资质', 'Merchants need'],
      {
        food: { label: ['食品经营许可', 'Food licence'] },
        health: { label: ['卫生许可', 'Health permit'] },
        brand: { label: ['品牌授权', 'Brand authorisation'] },
      },
      {
        width: 120,
        help: [
          '营业执照总是需要；该资质过期后其商品自动下架',
          'The business licence always; once the certificate ends, the goods go off the shelf',
        ],
      },
    ),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'image',
      'code',
      'name',
      'createType',
      'type',
      'description',
      'sort',
      'classes',
      'products',
      'autoCancelMinutes',
      'autoSignMinutes',
      'enabled',
    ],
    hidden: ['nameEn', 'leadHours', 'needsCertificate', 'updatedAt', 'updater'],
    filters: ['createType', 'type', 'enabled'],
    sort: 'sort',
    link: 'name',
    export: true,
  },
  form: {
    sections: [
      {
        title: ['业务', 'Business'],
        fields: [
          'code',
          'name',
          'nameEn',
          'createType',
          'type',
          'image',
          'description',
          'sort',
          'needsCertificate',
        ],
      },
      { title: ['时限', 'Time limits'], fields: ['autoCancelMinutes', 'autoSignMinutes', 'leadHours'] },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'row', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      confirm: [
        '停用业务「{name}」？其下 {classes} 个分类、{products} 个在售商品保留但不能再下单，进行中的订单不受影响。',
        'Disable the business "{name}"? Its {classes} classes and {products} products on sale stay but cannot be bought; running orders go on.',
      ],
    },
    // As the engine declares it; written out because places are multiples of five.
    order: {
      on: 'row',
      label: ['排序', 'Order'],
      element: 'btn_edit',
      opens: 'drag',
      untouched: true,
      input: { before: text(['放在其前', 'Before'], { max: 15 }) },
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除业务「{name}」？', 'Delete the business "{name}"?'],
    },
  },
});

export interface Business extends Row<typeof business> {}
