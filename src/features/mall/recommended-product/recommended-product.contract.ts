import { choice, image, instant, integer, money, ref, refs, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { productStates } from '../product/product.contract.ts';

/** What is recommended and how it is called. */
interface Words {
  readonly name: string;
  readonly menu: string;
  readonly title: Label;
  readonly noun: Label;
  readonly purpose: Label;
  readonly target: string;
  /** 商品, goods. */
  readonly thing: Label;
  readonly full: Label;
  /** What is counted of it in the list. */
  readonly counted: 'clicks' | 'bookings';
}

/** Recommendations of one kind: goods of the mall, or services. */
function recommendation(words: Words) {
  const { thing } = words;
  const named = (zh: string, en: string): Label => [zh.replace('{}', thing[0]), en.replace('{}', thing[1])];
  return defineResource({
    name: words.name,
    menu: words.menu,
    title: words.title,
    noun: words.noun,
    titleField: 'productName',
    purpose: words.purpose,
    stamps: true,
    orderable: { field: 'position', within: 'project' },
    fields: {
      project: ref('project', ['项目', 'Project'], {
        required: true,
        createOnly: true,
        search: 'in',
        width: 140,
      }),
      products: refs(words.target, thing, {
        required: true,
        createOnly: true,
        max: 50,
        help: named(
          '可多选；仅可选在所选小区出售中的{}，可按名称、编号、业务搜索',
          'Several at once; only {} on sale in the chosen project, searched by name, code or business',
        ),
      }),
      product: ref('product', named('{}编号', 'Code of the {}'), { readOnly: true, width: 170 }),
      productName: text(thing, { readOnly: true, keyword: true, width: 220 }),
      image: image(['图片', 'Image'], {
        megabytes: 2,
        width: 72,
        help: named('不上传则用{}主图', 'Without one the image of the {} is used'),
      }),
      merchant: ref('merchant', ['商户', 'Merchant'], { readOnly: true, width: 140 }),
      price: money(['价格', 'Price'], { readOnly: true, width: 100 }),
      position: integer(['排序', 'Order'], {
        min: 0,
        max: 9999,
        sortable: true,
        width: 80,
        help: [
          '0–9999，小的在前，同一小区内可拖动；不填则排在最后',
          '0–9999, the smallest first; empty: last',
        ],
      }),
      startsAt: instant(['开始时间', 'Starts'], { required: true, sortable: true, width: 150 }),
      endsAt: instant(['结束时间', 'Ends'], { required: true, sortable: true, width: 150 }),
      productState: choice(named('{}状态', 'State of the {}'), productStates, { readOnly: true, width: 100 }),
      hiddenBecause: choice(
        ['展示', 'Shown'],
        {
          shown: { label: ['可展示', 'Can be shown'], tone: 'success' },
          taken_down: { label: named('未展示：{}已下架', 'Not shown: taken down'), tone: 'default' },
          sold_out: { label: words.full, tone: 'default' },
          left_project: {
            label: named('未展示：{}已不在该小区销售', 'Not shown: not sold in the project any more'),
            tone: 'default',
          },
        },
        { readOnly: true, search: 'in', width: 190 },
      ),
      clicks: integer(['点击', 'Clicks'], { readOnly: true, sortable: true, width: 80 }),
      bookings: integer(['预约数', 'Bookings'], {
        readOnly: true,
        width: 90,
        help: [
          '在该小区的预约，不含未支付释放的',
          'Appointments in the project, unpaid ones that were released left out',
        ],
      }),
    },
    states: {
      waiting: { label: ['未开始', 'Not begun'], tone: 'default' },
      running: { label: ['推荐中', 'Running'], tone: 'success' },
      ended: { label: ['已结束', 'Over'], tone: 'paused' },
    },
    list: {
      columns: [
        'productName',
        'image',
        'project',
        'position',
        'state',
        'hiddenBecause',
        'productState',
        'price',
        'merchant',
        'startsAt',
        'endsAt',
        words.counted,
        'product',
        'updater',
        'updatedAt',
      ],
      hidden: ['product', 'updater', 'updatedAt'],
      filters: ['project', 'state', 'hiddenBecause'],
      sort: 'position',
      link: 'productName',
      export: [
        'project',
        'productName',
        'merchant',
        'price',
        'position',
        'state',
        'productState',
        'hiddenBecause',
        'startsAt',
        'endsAt',
        words.counted,
      ],
    },
    form: {
      width: 640,
      sections: [
        { title: ['推荐什么', 'What'], fields: ['project', 'products', 'image'] },
        { title: ['时段与排序', 'Period and order'], fields: ['startsAt', 'endsAt', 'position'] },
      ],
    },
    detail: {
      mode: 'drawer',
      sections: [
        {
          title: ['推荐', 'Recommendation'],
          fields: [
            'productName',
            'product',
            'project',
            'merchant',
            'price',
            'productState',
            'hiddenBecause',
            'image',
            'position',
            'startsAt',
            'endsAt',
            words.counted,
            'creator',
            'createdAt',
            'updater',
            'updatedAt',
          ],
        },
      ],
    },
    actions: {
      create: {
        on: 'page',
        label: ['新增', 'Add'],
        element: 'btn_add',
        tone: 'primary',
        to: ['waiting', 'running'],
      },
      update: {
        on: 'row',
        label: ['编辑', 'Edit'],
        element: 'btn_edit',
        to: ['waiting', 'running'],
      },
      copyTo: {
        on: 'rowAndBulk',
        label: ['复制到项目', 'Copy to projects'],
        element: 'btn_copyTo',
        from: ['waiting', 'running'],
        untouched: true,
        input: {
          projects: refs('project', ['项目', 'Projects'], {
            required: true,
            help: named(
              '未在该小区出售或已推荐的{}跳过',
              'What is not sold there, or recommended there already, is left out',
            ),
          }),
        },
        message: ['已复制到 {n} 个项目，跳过 {skipped} 个', 'Copied to {n} projects, {skipped} left out'],
      },
      remove: {
        on: 'rowAndBulk',
        label: ['删除', 'Delete'],
        element: 'btn_del',
        tone: 'danger',
        confirm: ['不再推荐「{productName}」？', 'Recommend “{productName}” no more?'],
      },
      begin: {
        on: 'system',
        label: ['到期开始', 'Begun'],
        element: 'btn_edit',
        from: ['waiting'],
        to: 'running',
      },
      finish: {
        on: 'system',
        label: ['到期结束', 'Over'],
        element: 'btn_edit',
        from: ['waiting', 'running'],
        to: 'ended',
      },
    },
  });
}

/** A product that the mall of one project puts in front for some time. */
export const recommendedProduct = recommendation({
  name: 'recommendedProduct',
  menu: 'mm_commodityRecommenda',
  title: ['商品推荐', 'Recommended goods'],
  noun: ['推荐商品', 'Recommendation'],
  purpose: [
    '商城首页按小区推荐的商品：拖动排序；已下架、售罄或离开小区的商品保留在列表中但不展示',
    'Goods the mall recommends in each project, in their order; goods taken down, sold out or gone from the project stay listed and are not shown',
  ],
  target: 'recommendable',
  thing: ['商品', 'goods'],
  full: ['未展示：商品已售罄', 'Not shown: sold out'],
  counted: 'clicks',
});

/** A service that the home services of one project put in front for some time. */
export const hotService = recommendation({
  name: 'hotService',
  menu: 'mm_hotHomeServcie',
  title: ['热门到家服务', 'Hot home services'],
  noun: ['热门服务', 'Hot service'],
  purpose: [
    '到家首页按小区展示的服务：拖动排序，每个小区展示设定的数量；已撤回或 14 天内约满的服务保留在列表中但不展示',
    'Services shown first in each project, in their order, as many as the setting says; services withdrawn or booked out for 14 days stay listed and are not shown',
  ],
  target: 'hotServiceOffer',
  thing: ['服务', 'services'],
  full: ['未展示：14天内已约满', 'Not shown: booked out for 14 days'],
  counted: 'bookings',
});
export interface RecommendedProduct extends Row<typeof recommendedProduct> {}
