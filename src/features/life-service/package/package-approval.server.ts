import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { validityText } from '../../../domain/life-service/package.rules.ts';
import { keepVersion, termsOfPackage } from '../../../domain/life-service/package-version.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { PACKAGE_MENU } from './package.contract.ts';

/** Word of the approval engine. */
export const PACKAGE_APPROVAL = 'product';
const ELEMENT = `${PACKAGE_MENU}:btn_audit`;
const EVENTS = {
  published: ['通过', 'Approved'],
  rejected: ['驳回', 'Rejected'],
  draft: ['撤回审核', 'Withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

/** Where a package (`t`) stands: merchants see their own, company and centre city those sold in their projects. */
export const PACKAGE_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT FROM service_package_project p WHERE p.package_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

/** Packages as those read of them who see the list. */
export const packageSight = listSight({
  entity: 'package',
  menu: PACKAGE_MENU,
  table: 'service_package',
  scope: PACKAGE_SCOPE,
});

/** Packages are sold once somebody else has looked at them. */
export const packageApproval: ApprovalKind = {
  kind: PACKAGE_APPROVAL,
  label: ['商品上架', 'Product listing'],
  entity: 'package',
  sights: { toDecide: packageSight, outcome: packageSight },
  moves: true,
  fields: [{ name: 'price', label: ['套餐价（元）', 'Price (yuan)'], kind: 'number' }],
  facts: async (db, bizId) => {
    const row = await runOne<{ price: number }>(db, 'SELECT price FROM service_package WHERE id = $1', [
      bizId,
    ]);
    return { price: row ? row.price / 100 : null };
  },
  snapshot: async (db, bizId) => {
    const terms = await termsOfPackage(db, bizId);
    const said = (field: string, label: Label, value: string) => ({
      field,
      label,
      value: [value, value] as const,
    });
    return [
      {
        title: ['套餐', 'Package'],
        values: [
          said('name', ['名称', 'Name'], terms.name),
          said('price', ['套餐价', 'Price'], `¥${yuanFromFen(terms.price)}`),
          {
            field: 'validity',
            label: ['有效期', 'Validity'],
            value: validityText(terms.validity, terms.validityUnit),
          },
          ...terms.items.map((item, index) =>
            said(
              `item${index + 1}`,
              ['服务内容', 'Item'],
              `${item.name}×${item.times ?? '∞'} · ¥${yuanFromFen(item.listPrice)}`,
            ),
          ),
          said('terms', ['服务条款', 'Terms'], terms.terms),
        ],
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, PACKAGE_MENU, PACKAGE_SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.name AS title FROM service_package t WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (bizId) => `/lifeService/${PACKAGE_MENU}?detail=${bizId}`,
  approvers: async (tx, subject) => {
    const own = await holdersOf(tx, subject.tenantId, ELEMENT, [subject.starterId]);
    if (own.length > 0) return own;
    const platform = (await runOne<{ id: number }>(
      tx,
      'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
    ))!;
    return holdersOf(tx, platform.id, ELEMENT, [subject.starterId]);
  },
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(ELEMENT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'published'),
  onRejected: (outcome) => end(outcome, 'rejected'),
  onWithdrawn: (outcome) => end(outcome, 'draft'),
};

/** Writes the outcome, and the version that is sold now; the row's own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion, insideAction } = outcome;
  await run(
    tx,
    `UPDATE service_package SET opinion = $2, published_at = CASE WHEN $3 = 'published' THEN now() ELSE published_at END,
            off_reason = CASE WHEN $3 = 'published' THEN '' ELSE off_reason END WHERE id = $1`,
    [bizId, to === 'draft' ? '' : opinion, to],
  );
  if (to === 'published') await keepVersion(tx, bizId, caller.staffId === 0 ? null : caller.staffId);
  if (insideAction) return;
  await run(
    tx,
    'UPDATE service_package SET state = $2, version = version + 1, updated_at = now() WHERE id = $1',
    [bizId, to],
  );
  outcome.platform.changed('package');
  const by = caller.staffId === 0 ? {} : { caller };
  const said = { entity: 'package', entityId: bizId, action: to, ...by };
  await writeTimeline(tx, { ...said, label: EVENTS[to], from: 'reviewing', to, remark: opinion });
  await writeAudit(tx, {
    ...said,
    facts: outcome.facts,
    menu: PACKAGE_MENU,
    before: { state: 'reviewing' },
    after: { state: to, opinion },
  });
}
