import { instant, integer, money, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

const seen = { readOnly: true } as const;

/** One time in which a spec of a rush business is sold at its own price, as many pieces as are put up. */
export const rushItem = defineResource({
  name: 'rushItem',
  menu: 'mm_commodityMana',
  title: ['疯抢场次', 'Rushes'],
  noun: ['疯抢场次', 'Rush'],
  titleField: 'spec',
  fields: {
    product: ref('product', ['商品', 'Goods'], { ...seen, search: 'in', width: 180 }),
    spec: text(['规格', 'Spec'], { ...seen, width: 140 }),
    ordinary: money(['原价', 'Ordinary price'], { ...seen, width: 100 }),
    price: money(['疯抢价', 'Rush price'], { ...seen, width: 100 }),
    stock: integer(['场次库存', 'Pieces'], { ...seen, width: 90 }),
    remaining: integer(['剩余', 'Left'], { ...seen, width: 80 }),
    held: integer(['占用', 'Held'], {
      ...seen,
      width: 80,
      help: ['未付款订单占用', 'Held by unpaid orders'],
    }),
    sold: integer(['已售', 'Sold'], { ...seen, width: 80 }),
    perLimit: integer(['每人限购', 'Per person'], { ...seen, width: 90, help: ['0 为不限', '0: no limit'] }),
    startsAt: instant(['开始', 'Starts'], { ...seen, sortable: true, width: 150 }),
    endsAt: instant(['结束', 'Ends'], { ...seen, width: 150 }),
  },
  list: {
    columns: [
      'startsAt',
      'endsAt',
      'spec',
      'price',
      'remaining',
      'stock',
      'held',
      'sold',
      'perLimit',
      'ordinary',
    ],
    filters: ['product'],
    sort: '-startsAt',
    empty: ['没有场次；仅疯抢业务的商品按场次销售', 'None; only goods of a rush business are sold in rushes'],
  },
  actions: {
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_edit',
      tone: 'danger',
      confirm: ['删除「{spec}」的这个场次？', 'Delete this rush of “{spec}”?'],
    },
  },
});
