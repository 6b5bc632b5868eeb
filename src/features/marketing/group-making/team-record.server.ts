import { remindTeam } from '../../../domain/group-buy/remind-team.server.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { planTeam } from '../../../domain/group-buy/seats.server.ts';
import { completeTeam, disbandTeam, extendTeam } from '../../../domain/group-buy/teams.server.ts';
import { activityScope } from './group-making.server.ts';
import { teamRecord } from './group-making.contract.ts';

/** Teams of an activity. */
export const registration = bindResource(teamRecord, {
  table: 'group_buy_team',
  from: `group_buy_team t JOIN group_buy_item i ON i.id = t.item_id JOIN group_buy g ON g.id = i.group_buy_id
    LEFT JOIN product p ON p.id = i.product_id LEFT JOIN product_spec s ON s.id = i.spec_id LEFT JOIN member l ON l.id = t.leader_id`,
  scope: activityScope('g'),
  search: `lower(t.code || ' ' || p.name)`,
  columns: {
    activity: { id: 'i.group_buy_id', title: `g.code || ' ' || g.name` },
    product: `p.name || ' / ' || s.name`,
    leader: `coalesce(nullif(l.name, ''), l.nickname)`,
    memberPhone: 'NULL::text',
  },
  filters: {
    memberPhone: (value, parameters) =>
      `EXISTS (SELECT FROM group_buy_member x JOIN member y ON y.id = x.member_id WHERE x.team_id = t.id AND y.phone = ${parameters.bind(value)})`,
  },
  handlers: {
    disband: async ({ tx, platform, id, input }) => {
      const reason = String(input.reason);
      if (!(await disbandTeam(tx, platform, id, reason)))
        throw ruleBroken(['该团已结束', 'The team is over']);
      // Unpaid orders of the team are closed by its job, right after the commit.
      await planTeam(tx, id, new Date());
      return { remark: reason };
    },
    extend: async ({ tx, id, input }) => {
      const until = await extendTeam(tx, id, Number(input.hours));
      return { remark: `+${Number(input.hours)} h → ${until.toISOString()}` };
    },
    complete: async ({ tx, platform, id, input, caller }) => {
      if (caller.tenantKind !== 3)
        throw ruleBroken(['仅平台可手动成团', 'Only the platform completes a team by hand']);
      const reason = String(input.reason);
      const most = await platform.settings.number('groupbuy.manual.missing');
      await completeTeam(tx, platform, id, most, reason);
      return { to: 'formed', remark: reason };
    },
    remind: async ({ tx, id }) => ({ result: { told: await remindTeam(tx, id) } }),
  },
}).registration;
