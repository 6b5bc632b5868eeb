import { counted, ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const billOf = (row: Raw, world: World): Raw => by(world, 'channel_bill', 'id').get(row.bill_id)![0]!;
const day = (value: unknown) => String(value).slice(0, 10);

export const oracle = defineOracle({
  name: 'reconciliation',
  menu: 'fm_financialReconciliation',
  table: 'reconciliation',
  standing: (row, world) => ({
    tenant: null,
    projects: undefined,
    owner: billOf(row, world).created_by,
    rule: 'platform',
  }),
  filters: {
    bill: ids('bill_id', 'channel_bill'),
    billDate: {
      value: (dice, world) => {
        const from = day(dice.pick(world.rows.channel_bill!)?.bill_date ?? '2026-01-01');
        return `${from}~${from}`;
      },
      keeps: (row, value, world) => {
        const [from = '', to = ''] = value.split('~');
        const own = day(billOf(row, world).bill_date);
        return own >= from && own <= to;
      },
    },
  },
  tabs: {
    all: () => true,
    open: (row) => ['open', 'to_check'].includes(String(row.state)),
    held: (row) => row.state === 'held',
  },
  export: counted,
  reads: ['channel_bill'],
});
