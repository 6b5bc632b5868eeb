import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { activityScope } from './group-making.server.ts';
import { teamSeat } from './group-making.contract.ts';

/** Seats of the teams of an activity. */
export const registration = bindResource(teamSeat, {
  table: 'group_buy_member',
  from: `group_buy_member t JOIN group_buy_item i ON i.id = t.item_id JOIN group_buy g ON g.id = i.group_buy_id
    LEFT JOIN group_buy_team x ON x.id = t.team_id LEFT JOIN member l ON l.id = t.member_id LEFT JOIN sales_order o ON o.id = t.order_id`,
  // The activity may run in many projects; an order with its member is of one.
  scope: { ...activityScope('g'), project: 'o.project_id' },
  columns: {
    team: { id: 't.team_id', title: 'x.code' },
    nickname: `coalesce(nullif(l.name, ''), l.nickname)`,
    phone: 'l.phone',
    orderCode: 'o.code',
    amount: 'o.payable',
  },
}).registration;
