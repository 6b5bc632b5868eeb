import { byCode, dayOf, inProject, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw } from '../../../testing/oracle/world.ts';

const today = () => dayOf(new Date());
const later = (days: number) => dayOf(new Date(Date.now() + days * 86_400_000));
const owed = (row: Raw) => row.state === 'open' || row.state === 'part';
const daysLate = (row: Raw) =>
  owed(row) ? Math.max(0, Math.round((Date.parse(today()) - Date.parse(row.due_on)) / 86_400_000)) : 0;
const bucket = (row: Raw) => {
  const days = daysLate(row);
  return days === 0
    ? 'none'
    : days <= 30
      ? 'd30'
      : days <= 60
        ? 'd60'
        : days <= 90
          ? 'd90'
          : days <= 120
            ? 'd120'
            : 'more';
};
const broken = (row: Raw) => owed(row) && row.promised_on !== null && row.promised_on < today();

export const oracle = defineOracle({
  name: 'receivable',
  menu: 'accountsReceivable',
  table: 'receivable',
  standing: (row) => ({ ...inProject(row), owner: row.owner_id ?? row.created_by }),
  filters: {
    source: words('source_kind', ['package', 'contract', 'manual']),
    level: words((row) => String(row.dunning_level), ['0', '1', '2', '3', '4', '5']),
    late: words(bucket, ['none', 'd30', 'd60', 'd90', 'd120', 'more']),
    broken: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => broken(row) === (value === 'true'),
    },
  },
  tabs: {
    all: () => true,
    owed,
    late: (row) => owed(row) && row.due_on < today(),
    soon: (row) => owed(row) && row.due_on >= today() && row.due_on <= later(30),
    broken,
  },
  text: (row) => `${row.code} ${row.source_code}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: (turn) => ({
    member: undefined,
    payerName: `付款方${turn % 7}`,
    dueOn: '2040-01-01',
    disputed: false,
    disputeNote: undefined,
    changeReason: undefined,
    promisedOn: undefined,
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries())
      await run(
        db,
        `WITH who AS (INSERT INTO payer (kind, name) VALUES ('name', $1) RETURNING id),
              line AS (
           INSERT INTO receivable (code, source_kind, payer_id, project_id, posted_on, due_on, principal, charges, received, state, owner_id, promised_on, disputed, created_by)
           SELECT $2, 'manual', who.id, p.id, current_date - 200, current_date + $3::int, 10000, 500, $4, $5, $6, current_date + $7::int, $8, $6 FROM who,
             (SELECT id FROM project ORDER BY id OFFSET $9 LIMIT 1) p RETURNING id, payer_id, project_id),
              charged AS (INSERT INTO receivable_charge (receivable_id, kind, amount, note) SELECT id, 'adjustment', 500, 'x' FROM line),
              paid AS (
           INSERT INTO receipt (code, payer_id, project_id, method, amount, received_on, slip_no, state, allocated, to_prepaid, recorder_id, confirmed_at, created_by)
           SELECT $10, payer_id, project_id, $11, 3000, current_date - $12::int, $10, $13, CASE $13 WHEN 'confirmed' THEN $4::bigint ELSE 0 END,
                  CASE $13 WHEN 'confirmed' THEN 3000 - $4::bigint ELSE 0 END, $6, CASE $13 WHEN 'confirmed' THEN now() END, $6 FROM line RETURNING id)
         INSERT INTO receipt_allocation (receipt_id, receivable_id, amount) SELECT paid.id, line.id, 3000 FROM paid, line`,
        [
          `随机付款方${index}`,
          `ARX${index}`,
          dice.upTo(200) - 170,
          ...(index % 3 === 0 ? [3_000, 'part'] : [0, dice.pick(['open', 'void', 'written_off'])]),
          id,
          dice.upTo(40) - 20,
          dice.chance(0.4),
          dice.upTo(3),
          `RCX${index}`,
          dice.pick(['cash', 'transfer', 'pos']),
          dice.upTo(60),
          index % 3 === 0 ? 'confirmed' : dice.pick(['to_confirm', 'rejected']),
        ],
      );
  },
});
