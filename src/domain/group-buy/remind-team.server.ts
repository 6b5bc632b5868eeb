import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { sendEvent } from '../message-send/send-event.server.ts';

/**
 * Asks those who paid for a seat of a forming team to invite others, once in 24 hours a team. Returns how many were told. Throws
 * 30101 when nobody has paid yet, or nothing was sent. Source: group 08, groupManagementDetail.
 */
export async function remindTeam(tx: Tx, id: number): Promise<number> {
  const team = (await runOne<{ code: string; name: string; missing: number }>(
    tx,
    `SELECT t.code, g.name, t.size - t.joined AS missing FROM group_buy_team t
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
  return members.length;
}
