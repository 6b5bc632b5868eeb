import type { Binding } from '../../kernel/server/resource/binding.ts';

/** Recipients under any menu that shows sends: members of other projects than one's own are not told. */
export const recipientBinding = {
  table: 'message_recipient',
  from: `message_recipient t LEFT JOIN message_send s ON s.id = t.send_id LEFT JOIN member m ON m.id = t.member_id
         LEFT JOIN message_run u ON u.id = t.run_id`,
  scope: {
    tenant: '(SELECT o.tenant_id FROM message_send o WHERE o.id = t.send_id)',
    project: 't.project_id',
    owner: '(SELECT o.created_by FROM message_send o WHERE o.id = t.send_id)',
  },
  searchExact: ['m.phone'],
  columns: {
    send: { id: 't.send_id', title: 's.name' },
    member: `coalesce(nullif(m.name, ''), m.nickname)`,
    phone: 'm.phone',
    channel: 't.channel::text',
    runOn: 'u.run_on',
    sequence: 't.id',
  },
} as const satisfies Binding;
