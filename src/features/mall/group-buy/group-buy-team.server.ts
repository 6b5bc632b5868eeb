import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { remindTeam } from '../../../domain/group-buy/remind-team.server.ts';
import { disbandTeam } from '../../../domain/group-buy/teams.server.ts';
import { planTeam } from '../../../domain/group-buy/seats.server.ts';
import { groupBuyTeam } from './group-buy.contract.ts';

/** A team or seat stands where its item does. */
export const OF_ITEM: ScopeColumns = {
  tenant: 'i.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT FROM group_buy_project gp WHERE gp.group_buy_id = i.group_buy_id AND gp.project_id = ANY(${ids}::bigint[]))`,
  owner: 'i.created_by',
};

/** Teams of group-buys, under their item. */
export const registration = bindResource(groupBuyTeam, {
  table: 'group_buy_team',
  from: `group_buy_team t JOIN group_buy_item i ON i.id = t.item_id JOIN group_buy g ON g.id = i.group_buy_id
    LEFT JOIN product p ON p.id = i.product_id LEFT JOIN member l ON l.id = t.leader_id`,
  scope: OF_ITEM,
  search: 'lower(t.code)',
  columns: {
    item: { id: 't.item_id', title: `g.code || ' ' || p.name` },
    leader: `coalesce(nullif(l.name, ''), l.nickname)`,
    missing: `CASE WHEN t.state = 'forming' THEN t.size - t.joined - t.held_seats ELSE 0 END`,
  },
  handlers: {
    remind: async ({ tx, id }) => ({ result: { told: await remindTeam(tx, id) } }),
    disband: async ({ tx, platform, id, input }) => {
      const reason = String(input.reason);
      if (!(await disbandTeam(tx, platform, id, reason)))
        throw ruleBroken(['该团已结束', 'The team is over']);
      // Unpaid orders of the team are closed by its job, right after the commit.
      await planTeam(tx, id, new Date());
      return { remark: reason };
    },
  },
}).registration;
