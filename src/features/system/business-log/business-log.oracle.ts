import { counted, exactly, numberRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Auditors of the platform read every record; staff of any other tenant what people of the same tenant did, and nothing of the system. */
export const oracle = defineOracle({
  name: 'auditRecord',
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
  },
  // Proven by a test of its own: what a column is called comes from contracts.
  leftOut: ['changedField', 'code'],
  export: counted,
});
