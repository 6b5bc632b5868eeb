import { z } from 'zod';
import { holds } from '../../../kernel/server/people/caller.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import { joiningImpact } from '../department/department-impact.server.ts';
import { DEPARTMENT_SCOPE, outOfSight } from '../department/department-commands.server.ts';
import { department } from '../department/department.contract.ts';

const TAKE_IN = 'departManager:btn_member_add';

/** A view of staff whose edit form changes the department. */
interface View {
  /** Where its calls are: `/admin/staff`. */
  readonly root: string;
  readonly menu: string;
  /** Data scope over the staff `t`. */
  readonly scope: ScopeColumns;
  /** Those who take staff into departments ask here too. */
  readonly takeIn?: boolean;
}

/**
 * Whose rights change when staff come into a department as their main one, before it is saved. Staff the caller could
 * not put there, and departments it could not put them into, answer 404.
 */
export function departmentImpact({ root, menu, scope, takeIn = false }: View): Endpoint {
  const edit = `${menu}:btn_edit`;
  return endpoint({
    method: 'GET',
    path: `${root}/departmentImpact`,
    title: ['调整部门的影响', 'What another department changes'],
    access: { anyOf: takeIn ? [edit, TAKE_IN] : [edit] },
    query: z.strictObject({
      staff: z.string().regex(/^\d{1,15}(,\d{1,15}){0,199}$/),
      into: z.string().regex(/^\d{1,15}$/),
    }),
    handle: async ({ caller, platform, query }) => {
      const { db } = platform.database;
      const ids = [...new Set(query.staff.split(',').map(Number))];
      const sight = new Parameters();
      // Into a department out of sight nobody takes anybody: only the edit form names any department of the company.
      const target = await runOne<{ inSight: boolean }>(
        db,
        `SELECT (${scopeCondition(caller, department.menu, DEPARTMENT_SCOPE, sight)}) IS TRUE AS "inSight"
           FROM department t WHERE t.id = ${sight.bind(Number(query.into))} AND t.tenant_id = ${sight.bind(caller.tenantId)}`,
        sight.values,
      );
      if (!target) throw notFound();
      const parameters = new Parameters();
      const ways = [
        ...(holds(caller, edit) ? [scopeCondition(caller, menu, scope, parameters)] : []),
        ...(takeIn && target.inSight && holds(caller, TAKE_IN)
          ? [
              `(d.id IS NULL OR NOT EXISTS (SELECT 1 FROM department t WHERE t.id = d.id AND ${outOfSight(caller, parameters)}))`,
            ]
          : []),
      ];
      if (ways.length === 0) throw notFound();
      const movable = await run(
        db,
        `SELECT t.id FROM staff t LEFT JOIN department d ON d.id = t.department_id
          WHERE t.id = ANY(${parameters.bind(ids)}::bigint[]) AND t.tenant_id = ${parameters.bind(caller.tenantId)}
            AND t.state <> 'left' AND (${ways.join(' OR ')})`,
        parameters.values,
      );
      if (movable.length !== ids.length) throw notFound();
      return joiningImpact(db, caller.tenantId, ids, Number(query.into));
    },
  });
}
