import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'messageTemplate',
  menu: 'mm_messageTemplate',
  table: 'message_template',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.created_by, rule: 'places' }),
  filters: {
    channels: {
      value: (dice) => dice.pick(['1', '2', '3', '2,3']),
      keeps: (row, value) =>
        (row.channel_codes as unknown[]).some((one) => value.split(',').includes(String(one))),
    },
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: () => ({
    channels: ['1', '2', '3'],
    variables: [],
    inAppTitle: '通知',
    inAppBody: '<p>内容</p>',
    smsBody: '内容',
    pushTitle: '通知',
    pushBody: '内容',
    jumpUrl: undefined,
    wechatFields: undefined,
    event: undefined,
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id, tenantId }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO message_template (code, name, tenant_id, category, channel_codes, sms_body, push_title, push_body, in_app_title, in_app_body, state, created_by)
         VALUES ($1, $2, $3, $4, $5, 'x', 'x', 'x', 'x', '<p>x</p>', $6, $7)`,
        [
          `MTR${index}`,
          `随机模板${index}`,
          tenantId,
          dice.pick(['marketing', 'business', 'notice']),
          dice.pick([[1], [2], [1, 3], [1, 2, 3]]),
          dice.pick(['draft', 'enabled', 'disabled']),
          id,
        ],
      );
  },
});
