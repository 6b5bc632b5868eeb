import { ofSeenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { PARENT_RIGHTS, parentRefuses, requireWriter } from './client-parts.server.ts';
import { followUp } from './client.contract.ts';

const DAY = 86_400_000;

/** What was said with clients; the author may mend it for a day. */
export const registration = bindResource(followUp, {
  table: 'follow_up',
  from: 'follow_up t LEFT JOIN client q ON q.id = t.client_id LEFT JOIN staff s ON s.id = t.created_by',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofSeenClients },
  columns: { client: { id: 't.client_id', title: 'q.name' }, author: 's.name' },
  extra: {
    ...PARENT_RIGHTS,
    authorId: 't.created_by',
    fresh: `(t.created_at > now() - interval '24 hours')`,
  },
  ruleReads: [...Object.keys(PARENT_RIGHTS), 'authorId', 'fresh'],
  rowRules: {
    update: (row, caller) =>
      Number(row.authorId) !== caller.staffId
        ? ['只有跟进人可以修改', 'Only its author changes it']
        : row.fresh === true
          ? parentRefuses(row, caller)
          : ['超过 24 小时不能修改', 'It is not changed after 24 hours'],
  },
  before: [check],
  after: [
    async ({ tx, input, row, caller, platform, action }) => {
      const clientId = Number(action === 'create' ? input.client : row.client_id);
      await run(
        tx,
        `UPDATE client c SET last_follow_at = x.at, next_follow_at = x.next_at, opened = c.opened OR coalesce(c.owner_id = $2, false), warned_at = NULL,
                version = c.version + 1, updated_at = now()
           FROM (SELECT at, next_at FROM follow_up WHERE client_id = $1 ORDER BY at DESC, id DESC LIMIT 1) x WHERE c.id = $1`,
        [clientId, caller.staffId],
      );
      platform.changed('client');
      return [];
    },
  ],
}).registration;

async function check({ action, input, tx, caller, columns }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  if (columns.result === null) columns.result = '';
  if (action === 'create') await requireWriter(tx, caller, Number(input.client));
  const problems: Record<string, Label> = {};
  const at = input.at === undefined ? undefined : new Date(input.at as string).getTime();
  const now = Date.now();
  if (at !== undefined && at > now + 60_000) problems.at = ['不能晚于现在', 'It cannot lie in the future'];
  else if (at !== undefined && at < now - 7 * DAY)
    problems.at = ['不能早于 7 天前', 'Not more than 7 days ago'];
  if (input.nextAt && new Date(input.nextAt as string).getTime() <= now)
    problems.nextAt = ['下次跟进须晚于现在', 'The next one must lie in the future'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
}
