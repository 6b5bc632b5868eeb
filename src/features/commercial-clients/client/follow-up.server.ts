import { ofSeenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { leadsParent, PARENT_RIGHTS, parentRefuses, requireWriter } from './client-parts.server.ts';
import { moveStage, tellColleagues } from './client.server.ts';
import { followUp } from './client.contract.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';

const DAY = 86_400_000;

/** What was said with clients; the author may mend it for a day. */
export const registration = bindResource(followUp, {
  table: 'follow_up',
  from: 'follow_up t LEFT JOIN client q ON q.id = t.client_id LEFT JOIN staff s ON s.id = t.created_by LEFT JOIN space u ON u.id = t.space_id',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofSeenClients },
  columns: {
    client: { id: 't.client_id', title: 'q.name' },
    author: { id: 't.created_by', title: 's.name' },
    space: { id: 't.space_id', title: 'u.number' },
    stage: 'NULL::text',
    images: picturesOf('t.image_ids'),
  },
  writes: { stage: false, images: 'image_ids' },
  links: {
    colleagues: { table: 'follow_up_colleague', own: 'follow_up_id', other: 'staff_id', to: 'staff' },
  },
  extra: {
    ...PARENT_RIGHTS,
    authorId: 't.created_by',
    fresh: `(t.created_at > now() - interval '24 hours')`,
  },
  ruleReads: [...Object.keys(PARENT_RIGHTS), 'authorId', 'fresh', 'struck'],
  rowRules: {
    strike: (row, caller) =>
      row.struck === true
        ? STRUCK
        : leadsParent(row, caller)
          ? undefined
          : ['只有上级或招商管理员可以删除', 'Only a leader or an administrator strikes it out'],
    update: (row, caller) =>
      row.struck === true
        ? STRUCK
        : Number(row.authorId) !== caller.staffId
          ? ['只有跟进人可以修改', 'Only its author changes it']
          : row.fresh === true
            ? parentRefuses(row, caller)
            : ['超过 24 小时不能修改', 'It is not changed after 24 hours'],
  },
  before: [check],
  after: [
    async (context) => {
      const { tx, input, row, caller, platform, action } = context;
      const clientId = Number(action === 'create' ? input.client : row.client_id);
      await run(
        tx,
        `UPDATE client c SET last_follow_at = x.at, next_follow_at = x.next_at, opened = c.opened OR coalesce(c.owner_id = $2, false), warned_at = NULL,
                version = c.version + 1, updated_at = now()
           FROM (SELECT 1) one LEFT JOIN (SELECT at, next_at FROM follow_up WHERE client_id = $1 AND NOT struck ORDER BY at DESC, id DESC LIMIT 1) x ON true WHERE c.id = $1`,
        [clientId, caller.staffId],
      );
      if (action === 'create' && input.stage)
        await moveStage(context, clientId, String(input.stage), String(input.result ?? ''));
      if (action === 'create' && Array.isArray(input.colleagues) && input.colleagues.length > 0)
        await tellColleagues(tx, clientId, (input.colleagues as number[]).map(Number), caller.name);
      platform.changed('client');
      return [];
    },
  ],
  sets: { strike: { struck: true, strike_reason: fromInput('reason') } },
}).registration;

const STRUCK: Label = ['该跟进已删除', 'It was struck out'];

async function check(context: ActionContext): Promise<void> {
  const { action, input, row, tx, caller, columns } = context;
  if (action !== 'create' && action !== 'update') return;
  for (const name of ['result', 'contact', 'location']) if (columns[name] === null) columns[name] = '';
  if (action === 'create') await requireWriter(tx, caller, Number(input.client));
  const problems: Record<string, Label> = {};
  const at = input.at === undefined ? undefined : new Date(input.at as string).getTime();
  const now = Date.now();
  if (at !== undefined && at > now + 60_000) problems.at = ['不能晚于现在', 'It cannot lie in the future'];
  else if (at !== undefined && at < now - 7 * DAY)
    problems.at = ['不能早于 7 天前', 'Not more than 7 days ago'];
  if (input.nextAt && new Date(input.nextAt as string).getTime() <= now)
    problems.nextAt = ['下次跟进须晚于现在', 'The next one must lie in the future'];
  const written = { ...row, ...columns };
  if (written.kind === 'viewing' && !written.space_id && (action === 'create' || 'space_id' in columns))
    problems.space = ['看铺须选择铺位', 'A viewing needs its space'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (Array.isArray(input.images))
    await checkPictures(
      context,
      'images',
      input.images as string[],
      (row.image_ids as string[] | undefined) ?? [],
    );
}
