import {
  boolean,
  choice,
  date,
  image,
  integer,
  longText,
  money,
  percent,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { productStates } from '../../mall/product/product.contract.ts';

const seen = { readOnly: true } as const;

const incentive = choice(
  ['激励方式', 'Incentive'],
  {
    plan: { label: ['按方案', 'By the plan'], tone: 'default' },
    fixed: { label: ['每件定额', 'Fixed per piece'], tone: 'processing' },
    rate: { label: ['按比例', 'Rate'], tone: 'processing' },
  },
  { required: true, initial: 'plan', search: 'in', width: 140 },
);
const fixed = money(['每件激励', 'Per piece'], {
  min: 1,
  width: 100,
  help: ['激励方式为每件定额时填写，不超过售价的 30%', 'With a fixed incentive, at most 30 % of the price'],
});
const rate = percent(['激励比例', 'Rate'], {
  min: 0.01,
  max: 30,
  width: 100,
  unit: ['%', '%'],
  help: ['激励方式为按比例时填写，0.01–30', 'With a rate, 0.01 to 30'],
});

/** A product that butlers may share in some projects for some time, and what they earn with it. */
export const butlerGoods = defineResource({
  name: 'butlerGoods',
  menu: 'butler_goods',
  title: ['管家商品', 'Butler goods'],
  noun: ['管家商品', 'Butler goods'],
  titleField: 'productName',
  purpose: [
    '管家可分享的商品与激励；商品下架时自动停用，重新上架后恢复',
    'Goods butlers may share and what they earn; goods taken down rest by themselves until they are published again',
  ],
  stamps: true,
  fields: {
    products: refs('butlerGoodsOffer', ['商品', 'Goods'], {
      required: true,
      createOnly: true,
      max: 50,
      help: [
        '可多选；按名称、编号、业务搜索在售商品',
        'Several at once; goods on sale, by name, code or business',
      ],
    }),
    product: ref('product', ['商品编号', 'Product code'], { ...seen, width: 170 }),
    productName: text(['商品', 'Goods'], { ...seen, keyword: true, width: 220 }),
    image: image(['图片', 'Image'], { ...seen, width: 72 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, width: 140 }),
    business: text(['业务', 'Business'], { ...seen, width: 110 }),
    classes: refs('productClass', ['分类', 'Class'], { ...seen, width: 130 }),
    price: money(['售价', 'Price'], { ...seen, width: 96 }),
    stock: integer(['库存', 'Stock'], { ...seen, width: 80 }),
    incentive,
    fixed,
    rate,
    validFrom: date(['生效日期', 'From'], { required: true, sortable: true, width: 110 }),
    validTo: date(['截止日期', 'Until'], {
      width: 110,
      help: ['含当日；不填则长期有效', 'That day included; empty: without an end'],
    }),
    projects: refs('project', ['适用项目', 'Projects'], {
      required: true,
      search: 'in',
      width: 200,
      help: ['须在商品销售的项目之内', 'Among the projects where the goods are sold'],
    }),
    position: integer(['排序', 'Order'], {
      required: true,
      initial: 0,
      min: 0,
      max: 9999,
      sortable: true,
      width: 80,
      help: ['0–9999，小的在前', '0–9999, small numbers first'],
    }),
    shareTitle: text(['分享标题', 'Share title'], { max: 30, width: 160 }),
    shareText: longText(['分享文案', 'Share text'], { max: 200 }),
    shares: integer(['分享数', 'Shares'], { ...seen, width: 84 }),
    orders: integer(['订单数', 'Orders'], { ...seen, width: 84 }),
    valid: money(['有效金额', 'Valid'], { ...seen, width: 110 }),
    productState: choice(['商品状态', 'Product state'], productStates, { ...seen, width: 100 }),
    standing: choice(
      ['分享', 'Sharing'],
      {
        open: { label: ['可分享', 'Open'], tone: 'success' },
        waiting: { label: ['未到生效期', 'Not begun'], tone: 'default' },
        over: { label: ['已过期', 'Over'], tone: 'default' },
        resting: { label: ['商品未上架', 'Goods not published'], tone: 'warning' },
        disabled: { label: ['已停用', 'Disabled'], tone: 'paused' },
      },
      { ...seen, search: 'in', width: 110 },
    ),
    enabled: boolean(['启用', 'Enabled'], { ...seen, search: 'equals', width: 72 }),
  },
  list: {
    columns: [
      'productName',
      'image',
      'position',
      'incentive',
      'fixed',
      'rate',
      'standing',
      'enabled',
      'shares',
      'orders',
      'valid',
      'price',
      'stock',
      'projects',
      'validFrom',
      'validTo',
      'productState',
      'merchant',
      'business',
      'classes',
      'product',
      'updatedAt',
    ],
    hidden: ['product', 'updatedAt'],
    filters: ['projects', 'standing', 'incentive', 'enabled'],
    sort: 'position',
    link: 'productName',
    export: true,
    empty: ['还没有管家商品', 'No butler goods yet'],
  },
  form: {
    width: 640,
    sections: [
      { title: ['商品', 'Goods'], fields: ['products', 'projects', 'validFrom', 'validTo', 'position'] },
      { title: ['激励', 'Incentive'], fields: ['incentive', 'fixed', 'rate'] },
      { title: ['分享', 'Sharing'], fields: ['shareTitle', 'shareText'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['商品', 'Goods'],
        fields: [
          'productName',
          'product',
          'image',
          'merchant',
          'business',
          'classes',
          'price',
          'stock',
          'productState',
          'standing',
          'enabled',
          'shares',
          'orders',
          'valid',
        ],
      },
      {
        title: ['激励与分享', 'Incentive and sharing'],
        fields: [
          'incentive',
          'fixed',
          'rate',
          'projects',
          'validFrom',
          'validTo',
          'position',
          'shareTitle',
          'shareText',
          'creator',
          'createdAt',
          'updater',
          'updatedAt',
        ],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_disable',
      confirm: ['停用后管家不能再分享所选商品。', 'Butlers can share the chosen goods no more.'],
    },
    setIncentive: {
      on: 'bulk',
      label: ['设置激励', 'Set incentive'],
      element: 'btn_batch',
      input: { incentive, fixed, rate },
    },
  },
});

export interface ButlerGoods extends Row<typeof butlerGoods> {}
