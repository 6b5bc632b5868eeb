import type { Label } from '../../../kernel/contract/label.ts';
import { run } from '../../../kernel/server/database.ts';
import type { ConsequenceSource } from '../../../domain/places/consequences.server.ts';

/** Approval processes of the tenants concerned, and what is being approved in the projects. */
export const approvalConsequences: ConsequenceSource = {
  title: ['审批', 'Approvals'],
  find: async (db, plan) => {
    const tenants = [...plan.tenants.keys()];
    const processes = await run<{ zh: string; en: string; tenant: string }>(
      db,
      `SELECT a.name_zh AS zh, a.name_en AS en, t.name AS tenant FROM approval_process a JOIN tenant t ON t.id = a.tenant_id
        WHERE a.state = 'published' AND a.tenant_id = ANY($1::bigint[]) ORDER BY a.id`,
      [tenants],
    );
    const running = await run<{ zh: string; en: string; n: number }>(
      db,
      `SELECT p.name AS zh, p.name AS en, count(*)::int AS n FROM approval_instance i JOIN project p ON p.id = i.project_id
        WHERE i.state = 'running' AND p.id = ANY($1::bigint[]) GROUP BY p.id, p.name ORDER BY p.id`,
      [plan.projects.map((one) => one.id)],
    );
    return [
      ...processes.map(({ zh, en, tenant }): Label => [
        `流程「${zh}」（${tenant}）`,
        `Process "${en}" (${tenant})`,
      ]),
      ...running.map(({ zh, en, n }): Label => [`「${zh}」审批中 ${n} 件`, `"${en}": ${n} being approved`]),
    ];
  },
};
