import { counted, dayOf, ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const billOf = (row: Raw, world: World): Raw => by(world, 'channel_bill', 'id').get(row.bill_id)![0]!;
const heldFor = (row: Raw): string | undefined => {
  if (row.state !== 'held' || row.first_held_at === null) return undefined;
  const days = (Date.parse(dayOf(new Date())) - Date.parse(dayOf(row.first_held_at))) / 86_400_000;
  return days <= 1 ? '0-1' : days <= 7 ? '2-7' : days <= 30 ? '8-30' : '31-';
};
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
    age: words(heldFor, ['0-1', '2-7', '8-30', '31-']),
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
