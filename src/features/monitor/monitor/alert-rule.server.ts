import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { onGoodSide, replay, type AlertCondition } from '../../../domain/monitoring/alert.rules.ts';
import { conditionOf, type StoredRule } from '../../../domain/monitoring/evaluate.server.ts';
import { PLATFORM_SCOPE } from '../platform-scope.server.ts';
import { alertRule } from './alert-rule.contract.ts';

const SCOPE = { ...PLATFORM_SCOPE, owner: 't.created_by' } as const;

const bound = bindResource(alertRule, {
  table: 'alert_rule',
  scope: SCOPE,
  search: `lower(t.code || ' ' || t.name || ' ' || t.name_en)`,
  columns: { fireValue: 't.fire_value::text', recoverValue: 't.recover_value::text' },
  links: { receivers: { table: 'alert_rule_receiver', own: 'rule_id', other: 'staff_id', to: 'staff' } },
  ruleReads: ['enabled', 'builtin'],
  rowRules: {
    disable: (row) =>
      row.builtin
        ? ['内置规则不能停用', 'Built-in rule']
        : row.enabled
          ? undefined
          : ['规则已停用', 'The rule is disabled'],
  },
  before: [checkRule],
  also: { options: [ruleOptions()] },
  handlers: {
    test: async ({ tx, row }) => {
      const rule = row as unknown as StoredRule;
      const samples = await run<{ series: string; at: Date; value: number }>(
        tx,
        `SELECT CASE WHEN $3 = 'product' THEN '' ELSE instance END || labels AS series, minute AS at,
                CASE $4 WHEN 'sum' THEN sum(avg) WHEN 'min' THEN min(min) WHEN 'max' THEN max(max) ELSE avg(avg) END AS value
           FROM metric_sample WHERE metric = $1 AND ($2 = '' OR labels = $2) AND minute > now() - interval '7 days'
          GROUP BY 1, 2 ORDER BY 1, 2`,
        [rule.metric, rule.labels, rule.scope, rule.aggregate],
      );
      const times = [...new Set(samples.map((one) => one.series))].flatMap((series) =>
        replay(
          conditionOf(rule),
          samples
            .filter((one) => one.series === series)
            .map(({ at, value }) => ({ at: at.getTime(), value })),
        ).map((one) => ({ series, ...one })),
      );
      const days = [...new Set(times.map((one) => businessDayOf(new Date(one.firedAt))))];
      return {
        result: {
          count: String(times.length),
          when: days.length === 0 ? '' : `(${days.slice(0, 7).join(', ')})`,
          times: times.slice(0, 200),
        },
      };
    },
  },
});

export const registration = bound.registration;

/** Rules to choose from, titled in the caller's language and found by either name and by code, as messages name them. */
function ruleOptions(): OptionSource {
  return {
    target: alertRule.name,
    anyOf: [alertRule.menu],
    find: async ({ caller, platform, facts }, query) => {
      const parameters = new Parameters();
      const parts = [scopeCondition(caller, alertRule.menu, SCOPE, parameters)];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      if (query.searchVal) {
        const like = parameters.bind(containing(query.searchVal));
        parts.push(`(t.name ILIKE ${like} OR t.name_en ILIKE ${like} OR t.code ILIKE ${like})`);
      }
      const title = facts.language === 'zh' ? 't.name' : `coalesce(nullif(t.name_en, ''), t.name)`;
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, ${title} AS title, t.code AS note FROM alert_rule t WHERE ${parts.join(' AND ')}
          ORDER BY ${title}, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

async function checkRule(context: ActionContext): Promise<void> {
  if (context.action !== 'create' && context.action !== 'update') return;
  const { row, input, platform } = context;
  const kept = (name: string, column: string) => (name in input ? input[name] : row[column]);
  const condition = {
    operator: String(kept('operator', 'operator')) as AlertCondition['operator'],
    fireValue: Number(kept('fireValue', 'fire_value')),
    recoverValue: Number(kept('recoverValue', 'recover_value')),
  };
  if (!onGoodSide(condition))
    throw ruleBroken(['恢复值必须优于触发值', 'Recover value must be on the good side of the fire value']);
  const channels = kept('channels', 'channels') as readonly string[];
  const webhook = String(kept('webhook', 'webhook') ?? '');
  if (channels.includes('webhook') && webhook === '')
    throw invalid({ webhook: ['请输入回调地址', 'Please enter the address'] });
  if (webhook !== '') {
    const hosts = (await platform.settings.list('jump.allowed_hosts')).map(String);
    const url = URL.canParse(webhook) ? new URL(webhook) : undefined;
    if (!url || url.protocol !== 'https:' || !hosts.includes(url.hostname))
      throw invalid({
        webhook: ['仅限允许列表中主机的 https 地址', 'An https address of a host that is allowed'],
      });
  }
}
