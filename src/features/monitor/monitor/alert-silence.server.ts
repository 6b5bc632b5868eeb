import { runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { PLATFORM_SCOPE } from '../platform-scope.server.ts';
import { alertSilence } from './alert-silence.contract.ts';

const HOUR = 3_600_000;
const LIVE = `CASE WHEN t.ended_at IS NULL AND t.until > now() THEN 'live' ELSE 'ended' END`;

const bound = bindResource(alertSilence, {
  table: 'alert_silence',
  scope: { ...PLATFORM_SCOPE, owner: 't.created_by' },
  joins: { rule: { table: 'alert_rule', titleEn: 'name_en' } },
  columns: { live: LIVE },
  ruleReads: ['live'],
  rowRules: {
    end: (row) => (row.live === 'live' ? undefined : ['静默已结束', 'The silence has ended']),
  },
  before: [checkSilence],
  handlers: {
    end: async ({ tx }) => ({ set: { ended_at: await now(tx) } }),
  },
});

export const registration = bound.registration;

async function now(tx: ActionContext['tx']): Promise<Date> {
  return (await runOne<{ now: Date }>(tx, 'SELECT now() AS now'))!.now;
}

async function checkSilence(context: ActionContext): Promise<void> {
  if (context.action !== 'create') return;
  const { input, tx } = context;
  const scope = String(input.scope);
  const from = (await now(tx)).getTime();
  const hours = (Date.parse(String(input.until)) - from) / HOUR;
  if (!(hours > 0)) throw invalid({ until: ['须晚于现在', 'Must be later than now'] });
  if (scope === 'all' && hours > 4) throw ruleBroken(['全局静默最长4小时', 'Global silence at most 4 hours']);
  if (hours > 7 * 24) throw invalid({ until: ['最长7天', 'At most 7 days'] });
  for (const field of ['rule', 'service', 'instance'] as const) {
    const given = input[field] !== undefined && input[field] !== null && input[field] !== '';
    if (scope === field && !given) throw invalid({ [field]: ['此项必填', 'This field is required'] });
    // What the scope does not name would only mislead.
    if (scope !== field && given)
      throw invalid({ [field]: ['与范围不符，请留空', 'Does not belong to the scope, leave it empty'] });
  }
}
