import { counted, exactly, numberRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

/** Auditors of the platform read every record; staff of any other tenant what people of the same tenant did, and nothing of the system. */
export const oracle = defineOracle({
  name: 'auditRecord',
  grows: true,
  menu: 'ssm_businessLog',
  table: 'audit_record',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: undefined,
    owner: row.staff_id,
    rule: 'places',
  }),
  filters: {
    no: numberRange('id', 'audit_record'),
    menu: exactly('menu', 'audit_record'),
    action: exactly('action', 'audit_record'),
    entity: exactly('entity', 'audit_record'),
    row: exactly('entity_id', 'audit_record'),
  },
  // Proven by a test of its own: what a column is called comes from contracts.
  leftOut: ['changedField', 'code'],
  export: counted,
  fill: async ({ db, dice, staff }) => {
    for (const { id, tenantId } of staff.slice(0, 150))
      await run(
        db,
        `INSERT INTO audit_record (at, staff_id, staff_name, tenant_id, menu, action, entity, entity_id)
         VALUES (now() - make_interval(hours => $1), $2, '随机', $3, $4, $5, $6, $7)`,
        [
          1 + dice.upTo(300),
          id,
          tenantId,
          dice.pick(['stationManage', 'mm_commodityMana', '']),
          dice.pick(['create', 'update', 'signIn']),
          dice.pick(['station', 'product', 'session']),
          String(1 + dice.upTo(50)),
        ],
      );
  },
});
