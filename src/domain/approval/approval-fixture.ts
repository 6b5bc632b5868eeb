import { run, runOne, transaction } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration } from '../../kernel/server/registration.ts';
import { SYSTEM } from '../../kernel/server/people/caller.ts';
import { startTestProduct, type TestInstance, type TestProduct } from '../../testing/test-product.ts';
import type { ApprovalKind } from './approval-kind.server.ts';
import { decideApproval, NO_REQUEST, submitApproval } from './approve.server.ts';
import type { AskNode, ProcessNode } from './process.rules.ts';

/** A product with one business type of its own, `trial`, whose objects are numbers, and staff by letter. */
export interface ApprovalBench {
  readonly product: TestProduct;
  /** One more server over the same database, which knows the type too. */
  another(): Promise<TestInstance>;
  readonly staff: Readonly<Record<string, number>>;
  readonly tenantId: number;
  /** What ended, in order: `passed 7`. */
  readonly ended: string[];
  /** Values of the condition fields by object. */
  readonly facts: Map<number, Readonly<Record<string, number | string>>>;
  /** Publishes a process for the type over the platform, in place of the one before. */
  publish(
    nodes: readonly ProcessNode[],
    more?: { admin?: string; repeat?: string; withdraw?: string },
  ): Promise<number>;
  /** Hands an object in and returns the approval's id. */
  submit(bizId: number, starter: string, at?: Date): Promise<number>;
  /** Decides as somebody. */
  decide(bizId: number, who: string, approved: boolean, at?: Date): Promise<string | undefined>;
  /** Who has a task, as `letter:state`, in the order they came. */
  tasks(instance: number): Promise<string[]>;
  by(who: string): { readonly caller: typeof SYSTEM; readonly facts: typeof NO_REQUEST };
}

/** A node that asks staff by id; the rest as said. */
export function askNode(key: string, ids: readonly number[], more: Partial<AskNode> = {}): AskNode {
  return {
    key,
    type: 'approve',
    name: key,
    candidates: [{ kind: 'staff', ids }],
    mode: 'any',
    starterRule: 'skip',
    nobody: 'admin',
    onRefuse: 'end',
    resubmit: 'all',
    allowed: ['transfer', 'addSign', 'return'],
    batch: true,
    opinionRequired: false,
    hidden: [],
    ...more,
  };
}

/** Starts the product without demonstration data: staff `a`–`h` of one company, `boss` leading the department of all. */
export async function openApprovalBench(): Promise<ApprovalBench> {
  const product = await startTestProduct({ demo: false });
  const { platform } = product;
  const { db } = platform.database;
  const { tenant_id: tenantId } = (await runOne<{ tenant_id: number }>(
    db,
    `SELECT tenant_id FROM staff WHERE account = 'admin'`,
  ))!;
  const { id: departmentId } = (await runOne<{ id: number }>(
    db,
    `INSERT INTO department (tenant_id, code, name) VALUES ($1, 'APP', '审批部') RETURNING id`,
    [tenantId],
  ))!;
  await run(db, 'UPDATE department SET path = ARRAY[id] WHERE id = $1', [departmentId]);
  const staff: Record<string, number> = {};
  for (const account of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'boss'])
    staff[account] = (await runOne<{ id: number }>(
      db,
      'INSERT INTO staff (tenant_id, department_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $3, $4, true, false) RETURNING id',
      [tenantId, departmentId, `appr_${account}`, account],
    ))!.id;
  await run(db, 'UPDATE department SET leader_id = $2 WHERE id = $1', [departmentId, staff.boss]);
  const ended: string[] = [];
  const facts = new Map<number, Readonly<Record<string, number | string>>>();
  const sight = { entity: 'trial', menu: 'dashboard', condition: () => 'TRUE' };
  const kind: ApprovalKind = {
    kind: 'trial',
    label: ['试验', 'Trial'],
    entity: 'trial',
    sights: { toDecide: sight, outcome: sight },
    fields: [
      { name: 'amount', label: ['金额', 'Amount'], kind: 'money' },
      { name: 'day', label: ['日期', 'Day'], kind: 'date' },
    ],
    facts: (_db, bizId) => Promise.resolve(facts.get(bizId) ?? {}),
    route: () => '/dashboard',
    onApproved: async ({ bizId }) => void ended.push(`passed ${bizId}`),
    onRejected: async ({ bizId }) => void ended.push(`refused ${bizId}`),
    onWithdrawn: async ({ bizId }) => void ended.push(`withdrawn ${bizId}`),
  };
  const trial = defineRegistration({ endpoints: [], approvals: [kind], sights: [sight] });
  withTrial(platform);
  const by = (who: string) => ({
    caller: { ...SYSTEM, staffId: staff[who]!, name: who, tenantId },
    facts: NO_REQUEST,
  });
  // The list of the product is everybody's: each platform gets one of its own.
  function withTrial(one: Platform): void {
    Object.assign(one, { registrations: [...one.registrations, trial] });
  }
  return {
    product,
    another: async () => {
      const other = await product.another();
      withTrial(other.platform);
      return other;
    },
    staff,
    tenantId,
    ended,
    facts,
    by,
    publish: async (nodes, more = {}) => {
      await run(db, `DELETE FROM approval_process_place WHERE biz_type = 'trial'`);
      const { id } = (await runOne<{ id: number }>(
        db,
        `INSERT INTO approval_process (biz_type, name_zh, name_en, state, nodes, admin_id, repeat_policy, withdraw_policy)
         VALUES ('trial', '试验', 'Trial', 'published', $1::jsonb, $2, $3, $4) RETURNING id`,
        [
          JSON.stringify(nodes),
          staff[more.admin ?? 'h'],
          more.repeat ?? 'only_consecutive',
          more.withdraw ?? 'before_first_decision',
        ],
      ))!;
      await run(db, `INSERT INTO approval_process_place VALUES ('trial', 'platform', $1)`, [id]);
      return id;
    },
    submit: (bizId, starter, at) =>
      transaction(db, (tx) =>
        submitApproval(tx, platform, {
          kind: 'trial',
          bizId,
          tenantId,
          title: [`第 ${bizId} 号`, `No. ${bizId}`],
          summary: [],
          starterId: staff[starter]!,
          ...(at ? { at } : {}),
        }),
      ),
    decide: (bizId, who, approved, at) =>
      transaction(db, (tx) =>
        decideApproval(tx, platform, {
          kind: 'trial',
          bizId,
          ...by(who),
          approved,
          opinion: approved ? '' : '不同意',
          ...(at ? { at } : {}),
        }),
      ),
    tasks: async (instance) =>
      (
        await run<{ line: string }>(
          db,
          `SELECT s.name || ':' || k.state AS line FROM approval_task k JOIN staff s ON s.id = k.assignee_id WHERE k.instance_id = $1 ORDER BY k.id`,
          [instance],
        )
      ).map((row) => row.line),
  };
}
