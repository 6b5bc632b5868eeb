import { approvable } from '../../../domain/approval/approvable.server.ts';
import type { ApprovalKind, ApprovalOutcome } from '../../../domain/approval/approval-kind.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { companyOf } from '../../../domain/work-order/create-work-order.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { checkPictures, picturesOf } from '../picture-columns.server.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';
import { JOINED_HOUSE } from './fee-assignment.server.ts';
import { vacancy } from './vacancy.contract.ts';

/** Word of the approval engine. */
const KIND = 'fee_discount';
const ELEMENT = `${CHARGING_MENU}:btn_vacancyAudit`;
const SCOPE: ScopeColumns = { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' };
const EVENTS = {
  approved: ['通过', 'Approved'],
  refused: ['驳回', 'Refused'],
  withdrawn: ['撤回', 'Withdrawn'],
} as const;
const approval = approvable(KIND, { waiting: 'waiting', passed: 'approved', refused: 'refused' });
const sight = listSight({ entity: 'vacancy', menu: CHARGING_MENU, table: 'vacancy', scope: SCOPE });

interface Asked {
  readonly tenantId: number;
  readonly projectId: number;
  readonly house: string;
  readonly rule: string;
  readonly percent: string;
  readonly days: number;
  readonly from: string;
  readonly to: string;
  readonly inspectedOn: string;
}
const read = (db: Executor, id: number) =>
  runOne<Asked>(
    db,
    `SELECT v.tenant_id AS "tenantId", v.project_id AS "projectId", b.name || u.name || h.number AS house, r.name AS rule, r.percent::text, v.valid_to - v.valid_from + 1 AS days,
            v.valid_from::text AS from, v.valid_to::text AS to, v.inspected_on::text AS "inspectedOn"
       FROM vacancy v JOIN house h ON h.id = v.house_id JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id JOIN discount_rule r ON r.id = v.rule_id WHERE v.id = $1`,
    [id],
  );

/** Vacant houses whose discount somebody else than the one who asks approves. Source: group 06, Rules of charging 7. */
const vacancyApproval: ApprovalKind = {
  kind: KIND,
  label: ['空置折扣', 'Discount of a vacant house'],
  entity: 'vacancy',
  sights: { toDecide: sight, outcome: sight },
  moves: true,
  fields: [
    { name: 'percent', label: ['折扣比例（%）', 'Percent off'], kind: 'number' },
    { name: 'days', label: ['天数', 'Days'], kind: 'number' },
  ],
  facts: async (db, id) => {
    const row = await read(db, id);
    return { percent: Number(row?.percent ?? 0), days: row?.days ?? 0 };
  },
  snapshot: async (db, id) => {
    const row = (await read(db, id))!;
    const said = (field: string, label: readonly [string, string], value: string) => ({
      field,
      label,
      value: [value, value] as const,
    });
    return [
      {
        title: ['空置申请', 'Vacancy'],
        values: [
          said('house', ['房屋', 'House'], row.house),
          said('rule', ['优惠规则', 'Discount'], `${row.rule} ${row.percent}%`),
          said('days', ['空置', 'Vacant'], `${row.from} ~ ${row.to}`),
          said('inspectedOn', ['查验日期', 'Inspected on'], row.inspectedOn),
        ],
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, CHARGING_MENU, SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, b.name || u.name || h.number AS title FROM vacancy t JOIN house h ON h.id = t.house_id JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
        WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (id) => `/companymanager/${CHARGING_MENU}?part=vacancies&detail=${id}`,
  approvers: (tx, subject) => holdersOf(tx, subject.tenantId, ELEMENT, [subject.starterId]),
  decidable: (_db, decider, subjects) =>
    Promise.resolve(new Set(decider.elements.has(ELEMENT) ? subjects.map((one) => one.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'approved', 'approve'),
  onRejected: (outcome) => end(outcome, 'refused', 'reject'),
  onWithdrawn: (outcome) => end(outcome, 'withdrawn', 'withdraw'),
};

/** Writes the outcome; the row's own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS, action: string): Promise<void> {
  const { tx, bizId, caller, opinion, insideAction, facts } = outcome;
  outcome.platform.changed('vacancy');
  if (insideAction) return;
  await run(tx, 'UPDATE vacancy SET state = $2, version = version + 1, updated_at = now() WHERE id = $1', [
    bizId,
    to,
  ]);
  const by = caller.staffId === 0 ? {} : { caller };
  const said = { entity: 'vacancy', entityId: bizId, action, ...by };
  await writeTimeline(tx, { ...said, label: EVENTS[to], from: 'waiting', to, remark: opinion });
  await writeAudit(tx, {
    ...said,
    facts,
    menu: CHARGING_MENU,
    before: { state: 'waiting' },
    after: { state: to, opinion },
  });
}

/** Vacant houses. */
export const registration = bindResource(vacancy, {
  table: 'vacancy',
  joins: {
    project: 'project',
    house: { table: 'house', column: 'house_id', title: JOINED_HOUSE },
    rule: { table: 'discount_rule', column: 'rule_id' },
  },
  columns: { photos: picturesOf('t.photos') },
  scope: SCOPE,
  unique: {
    vacancy_overlap: ['该房屋这些天已有空置申请', 'The house has a vacancy of these days already'],
  },
  abilities: [approval.ability],
  before: [check],
  after: [submit],
  also: { approvals: [vacancyApproval], sights: [sight] },
}).registration;

async function check(context: ActionContext): Promise<void> {
  const { tx, action, input, columns } = context;
  if (action !== 'create') return;
  const from = String(input.validFrom);
  const to = String(input.validTo);
  if (to < from) throw invalid({ validTo: ['结束早于开始', 'The end is before the start'] });
  if (Date.parse(to) - Date.parse(from) > 730 * 86_400_000)
    throw invalid({ validTo: ['最多两年', 'Two years at most'] });
  if (String(input.inspectedOn) > businessDayOf(new Date()))
    throw invalid({ inspectedOn: ['不能晚于今天', 'Not a day to come'] });
  await checkPictures(context, 'photos', input.photos as string[]);
  const house = await runOne<{ project_id: number; tenant_id: number | null }>(
    tx,
    `SELECT h.project_id, (SELECT c.tenant_id FROM (${companyOf('h.project_id')}) c) AS tenant_id FROM house h WHERE h.id = $1`,
    [columns.house_id],
  );
  if (!house) throw notFound();
  const rule = await runOne(
    tx,
    `SELECT 1 FROM discount_rule r WHERE r.id = $1 AND r.enabled AND r.kind = 'vacant_percent' AND r.tenant_id = $2
        AND (NOT EXISTS (SELECT FROM discount_rule_project p WHERE p.rule_id = r.id) OR EXISTS (SELECT FROM discount_rule_project p WHERE p.rule_id = r.id AND p.project_id = $3))
        AND $4::date >= r.valid_from AND $5::date <= r.valid_to`,
    [columns.rule_id, house.tenant_id, house.project_id, from, to],
  );
  if (!rule)
    throw invalid({
      rule: [
        '请选择该项目在此期间有效的空置折扣',
        'Choose a discount for vacant houses that holds there and then',
      ],
    });
  Object.assign(columns, house);
}

async function submit(
  { tx, platform, action, caller, facts }: ActionContext,
  id: number,
): Promise<readonly []> {
  if (action !== 'create') return [];
  const row = (await read(tx, id))!;
  const same = (text: string) => [text, text] as const;
  await submitApproval(
    tx,
    platform,
    {
      kind: KIND,
      bizId: id,
      tenantId: row.tenantId,
      projectId: row.projectId,
      title: [`空置折扣 ${row.house}`, `Vacant house ${row.house}`],
      summary: [
        { label: ['优惠规则', 'Discount'], value: same(`${row.rule} ${row.percent}%`) },
        { label: ['空置', 'Vacant'], value: same(`${row.from} ~ ${row.to}`) },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return [];
}
