import { run } from '../../../kernel/server/database.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { purgeJobRuns, purgeOutbox } from '../../../kernel/server/tasks/purges.ts';
import { dropOldDays } from '../gate-log/gate-log.server.ts';
import { CHANNEL, outboxBinding } from '../job/outbox-actions.server.ts';
import { outbox } from './outbox.contract.ts';

/** Days a resolved error is kept. Source: group 09, log.retention. */
const RESOLVED_KEEP_DAYS = 180;

const TEMPLATES = [
  'password',
  'phone',
  'initialPassword',
  'notification',
  'phoneChanged',
  'ssoChanged',
  'emailChanged',
];
const PURPOSE = 'coalesce(s.purpose, m.purpose)';
/** Whatever could be a code or password, and phones and identity numbers of messages of other kinds. */
const CONTENT = `CASE
  WHEN coalesce(s.id, m.id) IS NULL THEN concat_ws(' ', t.payload ->> 'checkoutCode', t.payload ->> 'tradeNo', t.payload ->> 'refundId')
  WHEN ${PURPOSE} IN ('password', 'phone', 'initialPassword') THEN regexp_replace(coalesce(s.body, m.body), '(?=[!-~]*[0-9])[!-~]{4,}', '******', 'g')
  ELSE regexp_replace(coalesce(s.body, m.body), '(1[3-9][0-9])[0-9]{4}([0-9]{4})|[0-9]{14}[0-9X]{4}', '\\1****\\2', 'g') END`;

const retention: Job = {
  name: 'log.retention',
  title: ['清理过期日志', 'Drop old logs'],
  // 03:30 in Shanghai.
  cron: '30 19 * * *',
  run: async (_payload, platform, context) => {
    const say = (what: string, count: number) => context?.print(`${what}: ${count}`);
    say('网关日志（天）/ days of the gate log', await dropOldDays(platform));
    context?.signal.throwIfAborted();
    say('运行记录 / job runs', await purgeJobRuns(platform));
    context?.signal.throwIfAborted();
    say('发件箱 / outbox', await purgeOutbox(platform));
    const gone = await run(
      platform.database.db,
      `DELETE FROM error_issue WHERE state = 'resolved' AND resolved_at < now() - make_interval(days => $1) RETURNING id`,
      [RESOLVED_KEEP_DAYS],
    );
    say('已解决的错误 / resolved errors', gone.length);
  },
};

/** Messages and channel calls of the outbox, and what removes old logs. */
export const registration = bindResource(outbox, {
  ...outboxBinding,
  from: `outbox t LEFT JOIN sms_message s ON t.kind = 'sms.send' AND s.id = (t.payload ->> 'id')::bigint
    LEFT JOIN email_message m ON t.kind = 'mail.send' AND m.id = (t.payload ->> 'id')::bigint`,
  where: `${CHANNEL} <> 'internal'`,
  columns: {
    ...outboxBinding.columns,
    receiver: `coalesce(overlay(s.phone PLACING '****' FROM 4 FOR 4), regexp_replace(m.address, '^(.).*(@.*)$', '\\1***\\2'), '')`,
    template: `CASE WHEN ${CHANNEL} = 'payment' THEN 'payment' WHEN ${PURPOSE} IN (${TEMPLATES.map((one) => `'${one}'`).join(', ')}) THEN ${PURPOSE} ELSE 'other' END`,
    content: CONTENT,
  },
  also: { jobs: [retention] },
}).registration;
