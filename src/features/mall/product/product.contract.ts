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
  ref,
  refs,
  richText,
  tags,
  text,
} from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { productComment } from '../order-comment/order-comment.contract.ts';
import { rushItem } from '../rush-item/rush-item.contract.ts';
import { defineResource, part, type Row } from '../../../kernel/contract/resource.ts';

/** States of a product with the codes the paths of the specification send. Source: entities.md, product.status. */
export const productStates = {
  draft: { label: ['待发布', 'Draft'], tone: 'default', code: 1 },
  reviewing: { label: ['待审核', 'In review'], tone: 'warning', code: 2 },
  published: { label: ['已发布', 'Published'], tone: 'success', code: 3 },
  rejected: { label: ['已驳回', 'Rejected'], tone: 'error', code: 4 },
  off_shelf: { label: ['已下架', 'Off shelf'], tone: 'default', code: 5 },
} as const;

/** What a stock movement was. Source: group 08, stock_movement.op; 7 and 8 belong to group 16. */
export const stockOps: Readonly<Record<string, Label>> = {
  1: ['后台添加', 'Added by staff'],
  2: ['后台更新', 'Changed by staff'],
  3: ['下单预扣出库', 'Held by an order'],
  4: ['取消归还', 'Given back by a closed order'],
  5: ['支付成功出库', 'Sold'],
  6: ['支付后取消入库', 'Back after a refund'],
  7: ['活动预留', 'Reserved for an activity'],
  8: ['活动归还', 'Given back by an activity'],
};

/** States of a review. */
export const reviewStates = {
  waiting: { label: ['待审核', 'Waiting'], tone: 'warning' },
  passed: { label: ['已通过', 'Passed'], tone: 'success' },
  rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
  withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'default' },
} as const;

/** What a review is about. Source: group 08, mm_commodityApprove (新发布/修改). */
export const reviewKinds = {
  publish: { label: ['新发布', 'New'] },
  change: { label: ['修改', 'Change'] },
} as const;

/** Ways of btn_edit over several goods. Source: group 08, mm_commodityMana (bulk price ±% or ±amount). */
export const PRICE_MODES = {
  percent: { label: ['按比例（%）', 'Percent'] },
  amount: { label: ['按金额（元）', 'Amount (¥)'] },
} as const;

const reason = text(['原因', 'Reason'], { required: true, min: 2, max: 200 });

/** One product of a merchant: what is on sale, at which prices, in which projects. */
export const product = defineResource({
  name: 'product',
  menu: 'mm_commodityMana',
  title: ['商品管理', 'Goods'],
  noun: ['商品', 'Goods'],
  purpose: [
    '维护商户的商品：编辑、提交审核、上下架与库存；已发布商品的价格和图文修改审核通过后才生效',
    'Write goods, send them for review, take them down and adjust stock; changes of published goods wait for review',
  ],
  prefix: 'PD',
  fields: {
    image: image(['图片', 'Image'], { readOnly: true, width: 72 }),
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 168 }),
    name: text(['名称', 'Name'], { required: true, max: 60, keyword: true, width: 240 }),
    business: ref('business', ['业务', 'Business'], {
      required: true,
      createOnly: true,
      search: 'in',
      help: [
        '首次保存后不可更改；仅可选商户合作的业务',
        'Fixed after the first save; only businesses of the agreement',
      ],
    }),
    classes: refs('productClass', ['分类', 'Class'], { required: true, search: 'in', max: 10 }),
    merchant: ref('merchant', ['商户', 'Merchant'], {
      createOnly: true,
      search: 'in',
      help: ['商户员工无需选择，始终为本商户', 'Merchant staff leave it empty: it is always their own'],
    }),
    projects: refs('project', ['项目', 'Projects'], { required: true, search: 'in', max: 200 }),
    price: money(['价格', 'Price'], { readOnly: true, search: 'range', sortable: true, width: 150 }),
    priceMax: money(['最高价', 'Highest price'], { readOnly: true, sortable: true }),
    stock: integer(['库存', 'Stock'], { readOnly: true, sortable: true }),
    sold: integer(['销量', 'Sold'], { readOnly: true, sortable: true }),
    stockState: choice(
      ['库存状态', 'Stock state'],
      {
        enough: { label: ['充足', 'Enough'] },
        low: { label: ['预警', 'Low'], tone: 'warning' },
        out: { label: ['售罄', 'Sold out'], tone: 'error' },
      },
      { readOnly: true, search: 'in' },
    ),
    appliedAt: instant(['申请时间', 'Applied'], { readOnly: true, sortable: true }),
    publishedAt: instant(['发布时间', 'Published at'], { readOnly: true, sortable: true }),
    pendingChange: boolean(['修改待审', 'Change waiting'], { readOnly: true }),
    images: images(['商品图', 'Images'], { required: true, max: 5 }),
    featured: images(['展示图', 'Featured images'], {
      max: 10,
      help: ['商品详情页顶部轮播', 'Shown in turn on top of the product page'],
    }),
    summary: text(['简介', 'Summary'], { max: 120 }),
    labels: tags(['标签', 'Labels'], { max: 5 }),
    supplier: text(['供应商', 'Supplier'], { max: 40 }),
    salesWay: choice(
      ['销售方式', 'Sales way'],
      {
        self: { label: ['自营', 'Own sale'] },
        consign: { label: ['代销', 'Consignment'] },
        joint: { label: ['联营', 'Joint'] },
      },
      { required: true },
    ),
    accountLimit: integer(['每人限购', 'Limit per account'], {
      min: 0,
      max: 999,
      unit: ['件', 'pcs'],
      help: ['0 表示不限', '0: no limit'],
    }),
    delivery: choice(
      ['配送方式', 'Delivery'],
      {
        self: { label: ['自营配送', 'Own delivery'] },
        third: { label: ['第三方配送', 'Third-party delivery'] },
      },
      { required: true },
    ),
    pointsAllowed: boolean(['可用积分', 'Points allowed']),
    afterSaleText: longText(['售后说明', 'After-sale text'], { max: 500 }),
    detailHtml: richText(['图文详情', 'Description'], { required: true, max: 20_000 }),
    specs: json(['规格', 'Specs']),
    offReason: text(['下架原因', 'Reason of taking down'], { readOnly: true }),
    createdAt: instant(['创建时间', 'Created'], { readOnly: true, sortable: true }),
    updatedAt: instant(['更新时间', 'Updated'], { readOnly: true, sortable: true }),
    recycledAt: instant(['删除时间', 'Deleted'], { readOnly: true }),
  },
  states: productStates,
  list: {
    // What decides stands where it is seen without scrolling; the rest follows.
    columns: [
      'name',
      'image',
      'state',
      'price',
      'stock',
      'sold',
      'classes',
      'merchant',
      'business',
      'projects',
      'code',
      'appliedAt',
      'publishedAt',
      'priceMax',
      'pendingChange',
      'updatedAt',
    ],
    hidden: ['priceMax', 'pendingChange', 'updatedAt'],
    filters: ['state', 'merchant', 'business', 'classes', 'projects', 'price', 'stockState'],
    sort: '-updatedAt',
    link: 'name',
    tabs: [
      { key: 'all', label: ['全部', 'All'], named: true },
      { key: 'selling', label: ['出售中', 'On sale'], named: true },
      { key: 'draft', label: ['待发布', 'Draft'], named: true },
      { key: 'reviewing', label: ['待审核', 'In review'], named: true },
      { key: 'rejected', label: ['已驳回', 'Rejected'], named: true },
      { key: 'off', label: ['已下架', 'Off shelf'], named: true },
      { key: 'soldOut', label: ['售罄', 'Sold out'], named: true },
      { key: 'low', label: ['库存预警', 'Low stock'], named: true },
      { key: 'recycled', label: ['回收站', 'Recycle bin'], named: true },
    ],
    export: [
      'code',
      'name',
      'business',
      'classes',
      'merchant',
      'projects',
      'price',
      'priceMax',
      'stock',
      'sold',
      'appliedAt',
      'publishedAt',
      'state',
      'pendingChange',
    ],
  },
  form: {
    width: 960,
    sections: [
      {
        title: ['基础', 'Basics'],
        fields: [
          'merchant',
          'business',
          'name',
          'classes',
          'projects',
          'images',
          'featured',
          'summary',
          'labels',
          'supplier',
          'salesWay',
          'delivery',
          'accountLimit',
          'pointsAllowed',
          'afterSaleText',
        ],
      },
      { title: ['图文', 'Description'], fields: ['detailHtml'] },
      { title: ['规格', 'Specs'], fields: ['specs'] },
    ],
  },
  elements: { btn_import: ['导入', 'Import'] },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['基础', 'Basics'],
        fields: [
          'code',
          'merchant',
          'business',
          'classes',
          'projects',
          'price',
          'stock',
          'sold',
          'accountLimit',
          'salesWay',
          'supplier',
          'delivery',
          'pointsAllowed',
          'labels',
          'appliedAt',
          'publishedAt',
          'offReason',
          'summary',
          'images',
          'featured',
          'afterSaleText',
        ],
      },
      { title: ['图文', 'Description'], fields: ['detailHtml'] },
    ],
    parts: [
      part({ key: 'rush', title: ['疯抢场次', 'Rushes'], resource: rushItem, by: 'product' }),
      part({ key: 'comments', title: ['评价', 'Comments'], resource: productComment, by: 'product' }),
    ],
  },
  actions: {
    create: {
      label: ['新建商品', 'New product'],
      on: 'page',
      to: 'draft',
      element: 'btn_add',
      tone: 'primary',
    },
    update: {
      label: ['编辑', 'Edit'],
      on: 'row',
      from: ['draft', 'published', 'rejected', 'off_shelf'],
      element: 'btn_edit',
    },
    apply: {
      label: ['提交审核', 'Send for review'],
      on: 'rowAndBulk',
      from: ['draft', 'rejected', 'off_shelf'],
      to: 'reviewing',
      element: 'btn_apply',
      tone: 'primary',
      confirm: [
        '提交后审核期间不能编辑，确认提交「{name}」？',
        'Send “{name}” for review? It cannot be edited meanwhile',
      ],
    },
    recall: {
      label: ['撤回', 'Recall'],
      on: 'row',
      from: ['reviewing', 'published'],
      to: ['draft', 'published'],
      element: 'btn_recall',
      confirm: ['撤回「{name}」正在等待的审核？', 'Recall the waiting review of “{name}”?'],
    },
    stock: {
      label: ['调整库存', 'Adjust stock'],
      on: 'row',
      element: 'btn_stock',
      opens: 'screen',
      input: {
        changes: json(['调整明细', 'Changes'], { required: true }),
        reason: text(['调整原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    noDelivery: {
      label: ['不配送区域', 'No-delivery areas'],
      on: 'row',
      element: 'btn_noDelivery',
      opens: 'screen',
      input: { regions: json(['地区', 'Regions']) },
    },
    rush: {
      label: ['疯抢场次', 'Rushes'],
      on: 'row',
      element: 'btn_edit',
      from: ['draft', 'reviewing', 'published', 'rejected', 'off_shelf'],
      input: {
        items: lines(
          ['新增场次', 'New rushes'],
          {
            spec: ref('rushSpec', ['规格', 'Spec'], { required: true }),
            price: money(['疯抢价', 'Rush price'], { required: true, min: 1, max: 99_999_999 }),
            stock: integer(['场次库存', 'Pieces'], { required: true, min: 1, max: 999_999 }),
            perLimit: integer(['每人限购', 'Per person'], { min: 0, max: 999, initial: 1 }),
            startsAt: instant(['开始', 'Starts'], { required: true }),
            endsAt: instant(['结束', 'Ends'], { required: true }),
          },
          {
            required: true,
            min: 1,
            max: 50,
            help: ['疯抢价须低于原价；每人限购 0 为不限', 'Below the ordinary price; 0 per person: no limit'],
          },
        ),
      },
      message: ['已新增 {n} 个场次', '{n} rushes added'],
    },
    bulkClass: {
      label: ['批量改分类', 'Change classes'],
      on: 'bulk',
      from: ['draft', 'published', 'rejected', 'off_shelf'],
      element: 'btn_edit',
      bulkMax: 200,
      confirm: [
        '替换所选商品的分类；已发布商品的修改审核通过后生效',
        'Replaces the classes of the chosen goods; published ones change after review',
      ],
      input: {
        classes: refs('productClass', ['分类', 'Classes'], {
          required: true,
          max: 10,
          help: [
            '替换原有分类；已发布商品审核通过后生效',
            'Replaces the classes; published goods change after review',
          ],
        }),
      },
    },
    bulkPrice: {
      label: ['批量调价', 'Change prices'],
      on: 'bulk',
      from: ['draft', 'published', 'rejected', 'off_shelf'],
      element: 'btn_edit',
      bulkMax: 200,
      confirm: [
        '按比例或金额调整所选商品全部规格的价格，四舍五入到分；已发布商品的修改审核通过后生效',
        'Changes every spec of the chosen goods by percent or amount, rounded to the fen; published ones change after review',
      ],
      input: {
        mode: choice(['调价方式', 'By'], PRICE_MODES, { required: true }),
        change: decimal(['调整值', 'Change'], {
          required: true,
          scale: 2,
          min: -999_999.99,
          max: 999_999.99,
          help: [
            '正数涨价，负数降价，作用于全部规格，四舍五入到分；已发布商品审核通过后生效',
            'Above zero raises, below lowers, on every spec, rounded to the fen; published goods change after review',
          ],
        }),
      },
    },
    bulkStock: {
      label: ['批量调库存', 'Change stock'],
      on: 'bulk',
      element: 'btn_stock',
      bulkMax: 200,
      confirm: [
        '为所选商品的每个规格增减相同数量；下单占用不受影响',
        'Adds to or takes from every spec of the chosen goods; pieces held by orders stay',
      ],
      input: {
        difference: integer(['每个规格增减', 'Per spec'], {
          required: true,
          min: -999_999,
          max: 999_999,
          help: [
            '正数入库，负数出库；下单占用不受影响',
            'Above zero adds, below takes away; pieces held by orders stay',
          ],
        }),
        reason: text(['调整原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    copy: {
      label: ['复制', 'Copy'],
      on: 'row',
      element: 'btn_copy',
      confirm: [
        '复制「{name}」为新的待发布商品？库存不会复制',
        'Copy “{name}” as a new draft? Stock is not copied',
      ],
    },
    restore: { label: ['恢复', 'Restore'], on: 'row', to: 'off_shelf', element: 'btn_restore' },
    takeDown: {
      label: ['下架', 'Take down'],
      on: 'rowAndBulk',
      from: ['published'],
      to: 'off_shelf',
      element: 'btn_takeDown',
      tone: 'danger',
      confirm: [
        '下架后 App 不再展示「{name}」，未支付订单不受影响',
        '“{name}” disappears from the app; unpaid orders stay',
      ],
      input: { reason },
    },
    putBack: {
      label: ['恢复上架', 'Put back on sale'],
      on: 'system',
      from: ['off_shelf'],
      to: 'published',
      element: 'btn_takeDown',
    },
    remove: {
      label: ['删除', 'Delete'],
      on: 'row',
      from: ['draft', 'rejected', 'off_shelf'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['将「{name}」移入回收站？可以恢复', 'Move “{name}” to the recycle bin? It can be restored'],
    },
  },
});

/** A product on the wire. */
export interface Product extends Row<typeof product> {}
