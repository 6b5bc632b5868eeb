import { counted, ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { recipientStanding } from '../../marketing/message-send/message-recipient.oracle.ts';

export const oracle = defineOracle({
  name: 'pushRecipient',
  menu: 'os_infoPush',
  table: 'message_recipient',
  extra: (row, world) =>
    world.rows.message_send!.find((one) => one.id === row.send_id)!.origin === 'ops_push',
  standing: recipientStanding,
  filters: { send: ids('send_id', 'message_send', (row) => row.origin === 'ops_push') },
  export: counted,
  reads: ['message_send'],
});
