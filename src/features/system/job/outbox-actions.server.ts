import type { Label } from '../../../kernel/contract/label.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { reviveEffect } from '../../../kernel/server/tasks/outbox.ts';

/** SQL of the channel of a kind of effect. */
export const CHANNEL = `CASE WHEN t.kind LIKE 'sms.%' THEN 'sms' WHEN t.kind LIKE 'mail.%' THEN 'mail' WHEN t.kind LIKE 'push.%' THEN 'push'
  WHEN t.kind LIKE 'wechat.%' THEN 'wechat' WHEN t.kind LIKE 'payment.%' OR t.kind LIKE 'payee.test%' OR t.kind IN ('refund.send', 'payout.send') THEN 'payment'
  ELSE 'internal' END`;

const WAITING: Label = [
  '正在等待首次发送，无需重试',
  'It waits for its first try, there is nothing to repeat',
];

/** What every list of the outbox is bound with. */
export const outboxBinding = {
  table: 'outbox',
  entity: 'outbox',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', platformOnly: true },
  columns: {
    channel: CHANNEL,
    availableAt: `CASE WHEN t.state = 'pending' THEN t.available_at END`,
  },
  extra: { version: '1' },
  search: `lower(t.kind || ' ' || coalesce(t.last_error, ''))`,
  tabs: {
    waiting: () => `t.state = 'pending' AND t.last_error IS NULL`,
    failing: () => `t.state = 'pending' AND t.last_error IS NOT NULL`,
  },
  rowRules: {
    retry: (row: DbRow) => (row.state === 'pending' && !row.lastError ? WAITING : undefined),
  },
  ruleReads: ['lastError'],
  handlers: {
    retry: async ({ tx, id }: ActionContext): Promise<ActionResult> => {
      // The state and the tries are set with the queue entry.
      if (!(await reviveEffect(tx, id))) throw ruleBroken(WAITING);
      return {};
    },
  },
} as const;
