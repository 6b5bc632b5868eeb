import { run, transaction } from '../../../kernel/server/database.ts';
import { invalid, Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { lockMembers } from '../../../domain/points-ledger/ledger-book.server.ts';
import { giveCards, lapseCards } from '../../../domain/resign-card/resign-card.server.ts';
import { resignCard } from './resign-card.contract.ts';

/** Cards members got. */
export const registration = bindResource(resignCard, {
  table: 'resign_card',
  from: 'resign_card t LEFT JOIN member m ON m.id = t.member_id',
  joins: { project: 'project' },
  columns: { member: 'm.name', phone: 'm.phone' },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  keyword: (value, parameters) => {
    const exact = parameters.bind(value);
    return `(lower(t.code) = lower(${exact}) OR m.name = ${exact} OR m.phone = ${exact})`;
  },
  sets: { revoke: { remaining: 0 } },
  handlers: {
    give,
  },
  also: {
    jobs: [
      {
        name: 'signin.card_lapse',
        title: ['补签卡到期失效', 'Make-up cards that lapse'],
        // 00:10 in Shanghai.
        cron: '10 16 * * *',
        run: async (_payload, platform) => {
          await transaction(platform.database.db, (tx) => lapseCards(tx));
          platform.changed('resignCard');
        },
      },
    ],
  },
}).registration;

/** Gives each of some members as many; one who cannot hold them is named, and nobody gets any. */
async function give(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, input, caller } = context;
  const ids = [...new Set((input.members as readonly number[]).map(Number))].sort((a, b) => a - b);
  const members = await run<{ id: number; project_id: number | null; phone: string }>(
    tx,
    'SELECT id, project_id, phone FROM member WHERE id = ANY($1::bigint[]) ORDER BY id',
    [ids],
  );
  // Members are locked in one order, whoever gives at the same time.
  await lockMembers(tx, ids);
  for (const member of members) {
    const end = member.phone.slice(-4);
    if (member.project_id === null)
      throw invalid({ members: [`尾号${end}的会员没有项目`, `The member …${end} has no project`] });
    const id = await giveCards(tx, platform.settings, {
      memberId: member.id,
      projectId: member.project_id,
      qty: Number(input.qty),
      source: 'given',
      reason: String(input.reason),
      staffId: caller.staffId,
    }).catch((error: unknown) => {
      if (!(error instanceof Refusal) || members.length === 1) throw error;
      throw ruleBroken([`尾号${end}：${error.label[0]}`, `…${end}: ${error.label[1]}`]);
    });
    await writeTimeline(tx, {
      entity: resignCard.name,
      entityId: id,
      caller,
      action: 'give',
      label: resignCard.actions!.give.label,
      remark: String(input.reason),
    });
  }
  return { told: true, result: { n: members.length } };
}
