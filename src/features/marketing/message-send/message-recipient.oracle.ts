import { counted, ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw, Standing, World } from '../../../testing/oracle/world.ts';

/** A recipient stands where the member lives; one who lives nowhere is seen by those of all projects only. */
export const recipientStanding = (row: Raw, world: World): Standing => {
  const send = world.rows.message_send!.find((one) => one.id === row.send_id)!;
  return {
    tenant: send.tenant_id,
    projects: row.project_id === null ? [] : [Number(row.project_id)],
    owner: send.created_by,
    rule: 'places',
  };
};

export const oracle = defineOracle({
  name: 'messageRecipient',
  menu: 'mm_sendMessage',
  table: 'message_recipient',
  standing: recipientStanding,
  filters: { send: ids('send_id', 'message_send') },
  export: counted,
  reads: ['message_send'],
});
