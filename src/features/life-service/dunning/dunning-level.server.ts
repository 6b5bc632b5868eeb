import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { forbidden, invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { dunningLevel } from './dunning.contract.ts';

const GENERAL: Label = [
  '通用策略由管辖全部项目的人员维护',
  'Levels for all projects are kept by those who work in all of them',
];
const ofAll = (row: DbRow, caller: Caller) =>
  row.project === null && caller.projectIds !== null ? GENERAL : undefined;

/** Levels of dunning. */
export const registration: Registration = bindResource(dunningLevel, {
  table: 'dunning_level',
  joins: { project: 'project', escalateTo: { table: 'staff', column: 'escalate_to', title: 'name' } },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by', projectless: true },
  columns: { level: 't.level::text' },
  writes: { escalateTo: 'escalate_to' },
  unique: { dunning_level_once: ['该项目已有此级别', 'The project has this level already'] },
  ruleReads: ['project'],
  rowRules: { update: ofAll, remove: ofAll },
  before: [check],
}).registration;

/** A higher level comes later; a level for all is nobody's who works in some projects only. */
async function check({ action, input, row, columns, tx, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  if (action === 'create') {
    if (input.project) requireProjectsInReach(caller, [Number(input.project)]);
    else if (caller.projectIds !== null) throw forbidden();
  }
  const now = { ...row, ...columns };
  const wrong = await runOne(
    tx,
    `SELECT id FROM dunning_level WHERE project_id IS NOT DISTINCT FROM $1 AND id <> $2
        AND ((level < $3 AND after_days > $4) OR (level > $3 AND after_days < $4)) LIMIT 1`,
    [now.project_id ?? null, now.id ?? 0, Number(now.level), Number(now.after_days)],
  );
  if (wrong) throw invalid({ afterDays: ['级别越高，逾期天数应越多', 'A higher level comes later'] });
}
