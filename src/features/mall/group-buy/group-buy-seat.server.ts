import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { OF_ITEM } from './group-buy-team.server.ts';
import { groupBuySeat } from './group-buy.contract.ts';

/** Orders of group-buys with their seat, under their item. */
export const registration = bindResource(groupBuySeat, {
  table: 'group_buy_member',
  from: `group_buy_member t JOIN group_buy_item i ON i.id = t.item_id JOIN group_buy g ON g.id = i.group_buy_id
    LEFT JOIN product p ON p.id = i.product_id LEFT JOIN group_buy_team x ON x.id = t.team_id LEFT JOIN member l ON l.id = t.member_id
    LEFT JOIN sales_order o ON o.id = t.order_id`,
  // The activity may run in many projects; an order with its member is of one.
  scope: { ...OF_ITEM, project: 'o.project_id' },
  search: `lower(o.code || ' ' || coalesce(x.code, ''))`,
  columns: {
    item: { id: 't.item_id', title: `g.code || ' ' || p.name` },
    teamCode: `coalesce(x.code, g.code)`,
    memberName: `coalesce(nullif(l.name, ''), l.nickname)`,
    memberPhone: 'l.phone',
    order: { id: 't.order_id', title: 'o.code' },
    orderCode: 'o.code',
    orderKind: 'o.kind',
    amount: 'o.payable',
  },
}).registration;
