import { run, runOne } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { planTeam } from '../../../domain/group-buy/seats.server.ts';
import { completeTeam, disbandTeam, extendTeam } from '../../../domain/group-buy/teams.server.ts';
import { sendEvent } from '../../../domain/message-send/send-event.server.ts';
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
    remind: async ({ tx, id }) => {
      const team = (await runOne<{ code: string; name: string; missing: number; state: string }>(
        tx,
        `SELECT t.code, g.name, t.size - t.joined AS missing, t.state FROM group_buy_team t
           JOIN group_buy_item i ON i.id = t.item_id JOIN group_buy g ON g.id = i.group_buy_id WHERE t.id = $1`,
        [id],
      ))!;
      const members = await run<{ id: number }>(
        tx,
        `SELECT DISTINCT member_id AS id FROM group_buy_member WHERE team_id = $1 AND state = 'joined' ORDER BY 1`,
        [id],
      );
      if (members.length === 0) throw ruleBroken(['还没有人付款参团', 'Nobody has paid for a seat yet']);
      const sent = await sendEvent(tx, {
        event: 'group_missing',
        memberIds: members.map((one) => one.id),
        variables: { team: team.code, activity: team.name, missing: String(team.missing) },
        dedupKey: `group_missing:${id}`,
      });
      if (sent === undefined)
        throw ruleBroken([
          '24 小时内已提醒过，或没有启用的消息模板「拼团还差人」',
          'Reminded within 24 hours, or no enabled template of “Group lacks people”',
        ]);
      await run(tx, 'UPDATE group_buy_team SET reminded_at = clock_timestamp() WHERE id = $1', [id]);
      return { result: { told: members.length } };
    },
  },
}).registration;
