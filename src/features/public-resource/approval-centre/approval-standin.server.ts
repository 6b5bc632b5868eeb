import type { Label } from '../../../kernel/contract/label.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { forbidden, invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { moveToStandin } from '../../../domain/approval/standin.server.ts';
import { approvalStandin, MOST_STANDIN_DAYS } from './approval-standin.contract.ts';
import { administers } from './centre-rows.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const OVERLAP: Label = ['该时间段已设置代理', 'A stand-in is set for some of these days already'];
const PLACE: ScopeColumns = {
  tenant: 'w.tenant_id',
  project: 'none',
  owner: 't.staff_id',
  ownTenant: true,
};

const bound = bindResource(approvalStandin, {
  table: 'approval_standin',
  from: 'approval_standin t LEFT JOIN staff w ON w.id = t.staff_id LEFT JOIN staff d ON d.id = t.standin_id LEFT JOIN staff c ON c.id = t.created_by LEFT JOIN staff u ON u.id = t.updated_by',
  scope: { tenant: 'none', project: 'none', owner: 't.staff_id', own: seen },
  columns: {
    staff: { id: 't.staff_id', title: 'w.name' },
    standin: { id: 't.standin_id', title: 'd.name' },
    creator: { id: 't.created_by', title: 'c.name' },
    updater: { id: 't.updated_by', title: 'u.name' },
    bizTypes: `(SELECT jsonb_agg(jsonb_build_object('id', b, 'title', b)) FROM unnest(t.biz_types) AS b)`,
    phase: `CASE WHEN t.cancelled_at IS NOT NULL THEN 'cancelled' WHEN t.to_day < ${TODAY} THEN 'ended' WHEN t.from_day > ${TODAY} THEN 'coming' ELSE 'active' END`,
    movePending: 'false',
  },
  tabs: { standin: () => 'TRUE' },
  writes: { staff: false, movePending: false },
  ruleReads: ['phase', 'staff'],
  rowRules: {
    cancel: (row, caller) => {
      if (row.phase !== 'active' && row.phase !== 'coming') return ['代理已结束', 'It has ended already'];
      return Number(row.staff) === caller.staffId || administers(caller)
        ? undefined
        : ['只有被代理人可以取消', 'Only who is stood in for may cancel it'];
    },
  },
  present: (rows, _db, _caller, platform) => {
    const names = new Map(kindsOf(platform).map((kind) => [kind.kind, kind.label[0]]));
    for (const row of rows)
      row.bizTypes = ((row.bizTypes ?? []) as { id: string; title: string }[]).map((one) => ({
        ...one,
        title: names.get(one.id) ?? one.title,
      }));
    return Promise.resolve();
  },
  sets: { cancel: { cancelled_at: NOW } },
  handlers: {
    create,
  },
  also: { options: [typeOptions()] },
});

/** Stand-ins of the caller, those it sits in for, and those of staff it looks after. */
export const registration = bound.registration;

function seen(caller: Caller, parameters: Parameters): string {
  const me = parameters.bind(caller.staffId);
  const looked = administers(caller)
    ? ` OR (${scopeCondition(caller, approvalStandin.menu, PLACE, parameters)})`
    : '';
  return `(t.staff_id = ${me} OR t.standin_id = ${me}${looked})`;
}

async function create({ tx, platform, caller, facts, input }: ActionContext): Promise<ActionResult> {
  const staffId = input.staff ? Number(input.staff) : caller.staffId;
  const standinId = Number(input.standin);
  const [from, to] = [String(input.fromDay), String(input.toDay)];
  if (staffId !== caller.staffId) await requireLookedAfter(tx, caller, staffId);
  if (standinId === staffId)
    throw invalid({ standin: ['代理人不能是本人', 'The stand-in is somebody else'] });
  if (to < from)
    throw invalid({ toDay: ['结束日期不能早于开始日期', 'The end is not before the beginning'] });
  if (to > addDays(from, MOST_STANDIN_DAYS))
    throw invalid({
      toDay: [`代理最长 ${MOST_STANDIN_DAYS} 天`, `A stand-in is set for ${MOST_STANDIN_DAYS} days at most`],
    });
  if (to < businessDayOf(new Date()))
    throw invalid({ toDay: ['结束日期不能早于今天', 'The end is not before today'] });
  const kinds = ((input.bizTypes ?? []) as readonly unknown[]).map(String);
  const known = kindsOf(platform).map((kind) => kind.kind);
  if (kinds.some((kind) => !known.includes(kind)))
    throw invalid({ bizTypes: ['没有此选项', 'There is no such choice'] });
  const free = await runOne(tx, `SELECT 1 FROM staff WHERE id = $1 AND state = 'normal'`, [standinId]);
  if (!free) throw invalid({ standin: ['没有此选项', 'There is no such choice'] });
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO approval_standin (staff_id, standin_id, from_day, to_day, biz_types, reason, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING id`,
    [staffId, standinId, from, to, kinds, String(input.reason ?? ''), caller.staffId],
  ).catch((error: unknown) => {
    // The database says so, also of two at one moment.
    if ((error as { code?: string }).code === '23P01') throw invalid({ fromDay: OVERLAP });
    throw error;
  });
  const now = businessDayOf(new Date());
  const moved =
    input.movePending === true && from <= now
      ? await moveToStandin(tx, platform, { caller, facts, staffId, standinId, kinds })
      : 0;
  if (moved > 0) {
    platform.changed('approvalTask');
    platform.changed('approvalInstance');
  }
  return { id: row!.id, result: { moved } };
}

async function requireLookedAfter(tx: ActionContext['tx'], caller: Caller, staffId: number): Promise<void> {
  if (!administers(caller)) throw forbidden();
  const parameters = new Parameters();
  const place = { tenant: 't.tenant_id', project: 'none', owner: 't.id', ownTenant: true } as const;
  const found = await runOne(
    tx,
    `SELECT 1 FROM staff t WHERE t.id = ${parameters.bind(staffId)} AND t.state = 'normal' AND ${scopeCondition(caller, approvalStandin.menu, place, parameters)}`,
    parameters.values,
  );
  if (!found) throw ruleBroken(['该人员不在您的管理范围内', 'This person is not in your care']);
}

function kindsOf(platform: { readonly registrations: ActionContext['platform']['registrations'] }) {
  return platform.registrations.flatMap((service) => service.approvals ?? []);
}

/** Business types that are approved here, for pickers. */
function typeOptions(): OptionSource {
  return {
    target: 'approvalType',
    anyOf: [approvalStandin.menu],
    find: ({ platform, facts }, query) =>
      Promise.resolve(
        kindsOf(platform)
          .map((kind) => ({ id: kind.kind, title: kind.label[facts.language === 'zh' ? 0 : 1] }))
          .filter((one) => (query.ids.length > 0 ? query.ids.includes(one.id) : true))
          .filter((one) => one.title.toLowerCase().includes(query.searchVal.toLowerCase()))
          .slice(query.offset, query.offset + query.limit),
      ),
  };
}
