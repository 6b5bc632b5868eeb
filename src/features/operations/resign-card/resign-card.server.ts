import { runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
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
  handlers: {
    give,
    revoke: ({ input }) => Promise.resolve({ set: { remaining: 0 }, remark: String(input.reason) }),
  },
  also: {
    jobs: [
      {
        name: 'signin.card_lapse',
        title: ['补签卡到期失效', 'Make-up cards that lapse'],
        cron: '10 0 * * *',
        run: async (_payload, platform) => {
          await transaction(platform.database.db, (tx) => lapseCards(tx));
          platform.changed('resignCard');
        },
      },
    ],
  },
}).registration;

async function give(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, input, caller } = context;
  const member = await runOne<{ project_id: number | null }>(
    tx,
    'SELECT project_id FROM member WHERE id = $1',
    [input.member],
  );
  if (!member?.project_id) throw invalid({ member: ['该会员没有项目', 'The member has no project'] });
  const id = await giveCards(tx, platform.settings, {
    memberId: Number(input.member),
    projectId: member.project_id,
    qty: Number(input.qty),
    source: 'given',
    reason: String(input.reason),
    staffId: caller.staffId,
  });
  await writeTimeline(tx, {
    entity: resignCard.name,
    entityId: id,
    caller,
    action: 'give',
    label: resignCard.actions!.give.label,
    remark: String(input.reason),
  });
  return { told: true, id, result: { id: String(id) } };
}
