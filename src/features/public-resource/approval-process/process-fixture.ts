import { run, runOne } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import type { ApprovalKind } from '../../../domain/approval/approval-kind.server.ts';
import type { AskNode, ProcessNode } from '../../../domain/approval/process.rules.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/approvalProcess';

/** A business type with a money field, as contracts will be: for tests alone. */
export const RENT: ApprovalKind = {
  kind: 'bad_debt',
  label: ['坏账核销', 'Bad debt'],
  entity: 'badDebt',
  sights: {
    toDecide: { entity: 'badDebt', menu: 'approvalProcess', condition: () => 'FALSE' },
    outcome: { entity: 'badDebtOutcome', menu: 'approvalProcess', condition: () => 'FALSE' },
  },
  route: () => '/',
  moves: true,
  fields: [
    { name: 'amount', label: ['金额', 'Amount'], kind: 'money' },
    { name: 'owner', label: ['负责人', 'Owner'], kind: 'staff' },
    { name: 'until', label: ['到期', 'Ends'], kind: 'date' },
  ],
  facts: (_db, id) => Promise.resolve({ amount: id * 100, owner: null, until: '2027-01-01' }),
  samples: () => Promise.resolve([{ id: 100_000, title: '十万元核销' }]),
  onApproved: () => Promise.resolve(),
  onRejected: () => Promise.resolve(),
  onWithdrawn: () => Promise.resolve(),
};

/** A node that asks; the rest of it as the designer makes it. */
export const askNode = (key: string, values: Partial<AskNode> = {}): AskNode => ({
  key,
  type: 'approve',
  name: key,
  candidates: [{ kind: 'leader', levels: 1 }],
  mode: 'any',
  starterRule: 'head',
  nobody: 'admin',
  onRefuse: 'end',
  resubmit: 'all',
  allowed: ['transfer'],
  batch: true,
  opinionRequired: false,
  hidden: [],
  ...values,
});

/** Two branches by amount: the first from so many fen on. */
export const amountBranch = (fen: number, nodes: readonly ProcessNode[]): ProcessNode => ({
  key: 'amount',
  type: 'exclusive',
  name: '按金额',
  branches: [
    {
      key: 'high',
      name: '十万元以上',
      condition: [[{ field: 'amount', operator: 'ge', value: fen }]],
      nodes,
    },
    { key: 'low', name: '其他情况', otherwise: true, nodes: [] },
  ],
});

/** The product with the business type `bad_debt`, a company and its people. */
export interface ProcessBench {
  readonly product: TestProduct;
  readonly admin: string;
  readonly adminId: number;
  /** Staff ids by account: `boss` leads the department of `anna`; `fin1` and `fin2` are the finance group. */
  readonly staff: Readonly<Record<string, number>>;
  readonly tenantId: number;
  readonly financeGroup: number;
  call(
    token: string,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
  ): ReturnType<TestProduct['call']>;
  /** Makes a draft and returns the row. */
  draft(values?: object, token?: string): Promise<{ id: string; version: number }>;
  close(): Promise<void>;
}

/** Starts the bench without demonstration rows. */
export async function openProcessBench(): Promise<ProcessBench> {
  const product = await startTestProduct({ demo: false });
  const { db } = product.platform.database;
  const added: Registration = { menus: [], elements: {}, endpoints: [], approvals: [RENT] };
  (product.platform.registrations as Registration[]).unshift(added);
  const admin = await product.signIn('admin');
  const { id: adminId, tenant_id: tenantId } = (await runOne<{ id: number; tenant_id: number }>(
    db,
    `SELECT id, tenant_id FROM staff WHERE account = 'admin'`,
  ))!;
  const { id: department } = (await runOne<{ id: number }>(
    db,
    `INSERT INTO department (tenant_id, code, name) VALUES ($1, 'FLOW', '流程部') RETURNING id`,
    [tenantId],
  ))!;
  await run(db, 'UPDATE department SET path = ARRAY[id] WHERE id = $1', [department]);
  const staff: Record<string, number> = {};
  for (const [account, name] of [
    ['boss', '周主管'],
    ['anna', '安娜'],
    ['fin1', '钱会计'],
    ['fin2', '孙出纳'],
  ])
    staff[account!] = (await runOne<{ id: number }>(
      db,
      `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password, department_id) VALUES ($1, $2, $3, true, false, $4) RETURNING id`,
      [tenantId, account, name, account === 'anna' || account === 'boss' ? department : null],
    ))!.id;
  await run(db, 'UPDATE department SET leader_id = $2 WHERE id = $1', [department, staff.boss]);
  const { id: financeGroup } = (await runOne<{ id: number }>(
    db,
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, 'flow_finance', '财务复核' FROM group_type WHERE code = 'role' RETURNING id`,
    [tenantId],
  ))!;
  await run(db, 'INSERT INTO group_member (group_id, staff_id) SELECT $1, unnest($2::bigint[])', [
    financeGroup,
    [staff.fin1, staff.fin2],
  ]);
  const call: ProcessBench['call'] = (token, method, path, body) =>
    product.call(token, method, `${ROOT}${path}`, body);
  return {
    product,
    admin,
    adminId,
    staff,
    tenantId,
    financeGroup,
    call,
    draft: async (values = {}, token = admin) => {
      const answer = await call(token, 'POST', '', {
        bizType: 'bad_debt',
        nameZh: '核销流程',
        scopeKind: 'platform',
        admin: String(adminId),
        withdrawPolicy: 'before_first_decision',
        repeatPolicy: 'only_consecutive',
        nodes: [askNode('leader')],
        ...values,
      });
      if (answer.http !== 200) throw new Error(answer.text);
      return answer.data as { id: string; version: number };
    },
    close: () => product.close(),
  };
}
