import { expect, test } from 'vitest';
import { withoutPlainJoins } from './plain-joins.ts';

const FROM =
  'sales_order t LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN project p ON p.id = t.project_id LEFT JOIN organisation c ON c.id = p.centre_id';

test('joins by id that nothing mentions are left out, also those only such joins need', () => {
  expect(withoutPlainJoins(FROM, `t.kind = 'goods' ORDER BY t.id`)).toBe('sales_order t');
  expect(withoutPlainJoins(FROM, 'm.kind = 1')).toBe(
    'sales_order t LEFT JOIN tenant m ON m.id = t.tenant_id',
  );
  expect(withoutPlainJoins(FROM, 'c.id = 5')).toBe(
    'sales_order t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN organisation c ON c.id = p.centre_id',
  );
  // Names that merely end like an alias, or begin so, mention nothing.
  expect(withoutPlainJoins(FROM, 'tm.x = pp.y AND cc.z')).toBe('sales_order t');
});

test('anything else stays: what could drop or double rows, and what stands before it', () => {
  for (const from of [
    'refund t JOIN sales_order o ON o.id = t.order_id',
    'staff t LEFT JOIN staff_phone p ON p.staff_id = t.id',
    'staff t LEFT JOIN tenant m ON m.id = t.tenant_id AND m.enabled',
    'staff t LEFT JOIN LATERAL (SELECT 1 AS id) m ON m.id = t.id',
    'staff t LEFT JOIN tenant m ON t.id = m.tenant_id',
  ])
    expect(withoutPlainJoins(from, 't.id > 0')).toBe(from);
  expect(
    withoutPlainJoins(
      'staff t LEFT JOIN tenant m ON m.id = t.tenant_id JOIN project p ON p.id = t.project_id',
      't.id > 0',
    ),
  ).toBe('staff t LEFT JOIN tenant m ON m.id = t.tenant_id JOIN project p ON p.id = t.project_id');
});
