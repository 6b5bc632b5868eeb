import { percentOf, WARRANTY } from '../../../domain/furnishing/decor-version.rules.ts';
import { readVersion, type StoredVersion } from '../../../domain/furnishing/decor-version.server.ts';
import {
  CANCEL_STAGES,
  DUE_EVENTS,
  OPTION_MODES,
  PRICE_BASES,
} from '../../../domain/furnishing/price.rules.ts';
import { ROOM_KINDS } from '../../../domain/furnishing/rooms.rules.ts';
import { projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { namedTypes, type NamedType } from '../decor-package/decor-content.server.ts';
import { decorPackage, NOTED_FIELDS, type FieldNote } from '../decor-package/decor-package.contract.ts';
import {
  decorReviewRefusal,
  lockPackage,
  publishPackage,
  refusePackage,
  REVIEW_CHANGED,
  tellPackage,
} from '../decor-package/decor-review.server.ts';
import {
  decorReview,
  type ComparedField,
  type ComparedPrice,
  type ReviewCheck,
} from './decor-review.contract.ts';

const MENU = decorReview.menu;
/** Where a review stands: where its package does. The package's alias is `p`. */
const SCOPE: ScopeColumns = {
  tenant: 'p.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT FROM product_project sp WHERE sp.product_id = t.product_id AND sp.project_id = ANY(${ids}::bigint[]))`,
  owner: 'p.created_by',
};
/** Least first share in percent of the legal comfort: more is unusual. */
const FIRST_SHARE = 4_000;

const change = (of: 'min' | 'max') =>
  `(SELECT round(${of}((w.amount - l.amount) * 100.0 / l.amount), 2)::text FROM decor_price w JOIN decor_price l ON l.version_id = t.decor_base_id AND l.house_type_id = w.house_type_id WHERE w.version_id = t.decor_version_id)`;

/** Reviews a caller may decide about, in SQL: as `decorReviewRefusal` says it. */
function waitsFor(caller: Caller, parameters: Parameters): string {
  if (caller.tenantKind !== 3 && caller.tenantKind !== 4) return 'FALSE';
  const me = parameters.bind(caller.staffId);
  const part = `t.state = 'waiting' AND t.applied_by IS DISTINCT FROM ${me}::bigint AND NOT coalesce(t.payload->'applicants', '[]') @> to_jsonb(${me}::bigint)`;
  return caller.tenantKind === 3
    ? `${part} AND (t.level = 1 OR t.first_by IS DISTINCT FROM ${me}::bigint)`
    : `${part} AND t.level = 1`;
}

const bound: BoundResource = bindResource(decorReview, {
  table: 'product_review',
  entity: 'decorReview',
  from: `product_review t LEFT JOIN product p ON p.id = t.product_id LEFT JOIN tenant m ON m.id = p.tenant_id LEFT JOIN decor_version d ON d.id = t.decor_version_id
         LEFT JOIN staff a ON a.id = t.applied_by LEFT JOIN staff f ON f.id = t.first_by LEFT JOIN staff v ON v.id = t.reviewed_by`,
  where: `p.kind = 'home_decor' AND p.recycled_at IS NULL`,
  scope: SCOPE,
  stale: REVIEW_CHANGED,
  search: 'p.search',
  searchExact: ['m.name'],
  columns: {
    code: 'p.code',
    name: 'coalesce(d.name, p.name)',
    image: 'coalesce(d.image_ids[1], p.logo_ids[1])',
    merchant: { id: 'p.tenant_id', title: 'm.name' },
    projects: `(SELECT coalesce(json_agg(json_build_object('id', o.id::text, 'title', o.name) ORDER BY o.id), '[]') FROM project o WHERE o.id = ANY(d.project_ids))`,
    priceLow: change('min'),
    priceHigh: change('max'),
    applicant: { id: 't.applied_by', title: 'a.name' },
    waited: `CASE WHEN t.state = 'withdrawn' THEN NULL ELSE floor(extract(epoch FROM coalesce(t.reviewed_at, now()) - t.applied_at) / 60)::integer END`,
    level: 't.level::text',
    firstBy: { id: 't.first_by', title: 'f.name' },
    reviewer: { id: 't.reviewed_by', title: 'v.name' },
  },
  filters: {
    merchant: (value, parameters, caller) =>
      caller.tenantKind === 2
        ? 'TRUE'
        : `p.tenant_id::text = ANY(string_to_array(${parameters.bind(value)}, ','))`,
  },
  tabs: {
    mine: waitsFor,
    decided: () => `t.state IN ('passed', 'rejected')`,
    all: () => 'TRUE',
  },
  extra: {
    appliedBy: 't.applied_by',
    applicants: `coalesce(t.payload->'applicants', '[]')`,
    firstById: 't.first_by',
  },
  ruleReads: ['level', 'appliedBy', 'applicants', 'firstById'],
  rowRules: {
    pass: refusal,
    reject: refusal,
    return: (row, caller) =>
      refusal(row, caller) ??
      (String(row.level) === '2' ? undefined : ['当前为初审，无需退回', 'It is at the first review']),
  },
  handlers: { pass, reject, return: giveBack },
  present: async (rows, db, caller, platform) => {
    await showFiles(rows, db, 'image');
    for (const row of rows) row.projects = projectsInReach(caller, (row.projects ?? []) as { id: string }[]);
    // The detail of one row needs it; it is kept in memory, so that lists pay nothing.
    if (rows.length === 1 && rows[0]!.merchant)
      rows[0]!.marginFloor = await platform.settings.number('decor.margin_percent', {
        tenantId: Number((rows[0]!.merchant as { id: string }).id),
      });
  },
  detail,
  also: {
    todos: [
      {
        kind: 'decor_review',
        label: ['美居套餐待审核', 'Decor packages to review'],
        menu: MENU,
        route: `/mercureManager/${MENU}?tab=mine`,
        order: 31,
        count: async ({ caller, platform }) => {
          const parameters = new Parameters();
          return (await runOne<{ count: number; oldest: Date | null; overdue: number }>(
            platform.database.db,
            `SELECT count(*) AS count, min(t.applied_at) AS oldest, count(*) FILTER (WHERE t.applied_at < now() - interval '24 hours') AS overdue
               FROM product_review t JOIN product p ON p.id = t.product_id
              WHERE p.kind = 'home_decor' AND p.recycled_at IS NULL AND ${waitsFor(caller, parameters)} AND ${scopeCondition(caller, MENU, SCOPE, parameters)}`,
            parameters.values,
          ))!;
        },
      },
    ],
  },
});

/** Reviews of decor packages. */
export const registration = bound.registration;

function refusal(row: DbRow, caller: Caller) {
  return decorReviewRefusal(
    {
      level: Number(row.level),
      firstBy: row.firstById === null ? null : Number(row.firstById),
      appliedBy: row.appliedBy === null ? null : Number(row.appliedBy),
      applicants: ((row.applicants ?? []) as number[]).map(Number),
    },
    caller,
  );
}

const told = (row: DbRow, id: number) => ({
  reviewId: id,
  appliedBy: row.applied_by === null ? null : Number(row.applied_by),
});

/** The first pass hands it to the second review, the second puts the version on sale. */
async function pass(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, caller, platform } = context;
  const owner = await lockPackage(tx, row.product_id as number);
  if (Number(row.level) === 1) {
    await tellPackage(tx, context, owner, {
      ...told(row, id),
      action: 'firstPass',
      label: ['初审通过', 'First review passed'],
      to: owner.status,
      remark: '',
    });
    return {
      to: 'waiting',
      set: { level: 2, first_by: caller.staffId, first_at: new Date() },
      event: ['初审通过', 'First review passed'],
    };
  }
  const no = await publishPackage(tx, owner, caller);
  await tellPackage(tx, context, owner, {
    ...told(row, id),
    action: 'passReview',
    label: ['复审通过并发布', 'Passed and published'],
    to: 'published',
    remark: `V${no}`,
  });
  platform.changed(decorPackage.name);
  return {
    to: 'passed',
    set: { reviewed_by: caller.staffId, reviewed_at: new Date() },
    event: ['复审通过', 'Second review passed'],
    remark: `V${no}`,
  };
}

async function reject(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller, platform } = context;
  const notes = ((input.notes ?? []) as readonly FieldNote[]).map(({ field, note }) => ({ field, note }));
  if (new Set(notes.map((one) => one.field)).size < notes.length)
    throw invalid({ notes: ['字段重复', 'A field stands twice'] });
  const owner = await lockPackage(tx, row.product_id as number);
  const to = await refusePackage(tx, owner, { id, kind: String(row.kind) }, notes, caller);
  const reason = String(input.reason).trim();
  await tellPackage(tx, context, owner, {
    ...told(row, id),
    action: 'rejectReview',
    label: ['审核驳回', 'Review rejected'],
    to,
    remark: reason,
  });
  platform.changed(decorPackage.name);
  return { set: { reviewed_by: caller.staffId, reviewed_at: new Date(), reason }, remark: reason };
}

/** btn_return: the second reviewer wants the first review again. */
async function giveBack({ row, input }: ActionContext): Promise<ActionResult> {
  if (Number(row.level) !== 2) throw ruleBroken(REVIEW_CHANGED);
  return { to: 'waiting', set: { level: 1, first_by: null, first_at: null }, remark: String(input.reason) };
}

async function detail(
  db: Executor,
  id: number,
  row: DbRow,
  caller: Caller,
): Promise<Record<string, unknown>> {
  const review = (await runOne<{
    product_id: number;
    decor_version_id: number | null;
    decor_base_id: number | null;
    field_notes: FieldNote[];
  }>(
    db,
    'SELECT product_id, decor_version_id, decor_base_id, field_notes FROM product_review WHERE id = $1',
    [id],
  ))!;
  const proposed =
    review.decor_version_id === null ? undefined : await readVersion(db, review.decor_version_id);
  const live = review.decor_base_id === null ? undefined : await readVersion(db, review.decor_base_id);
  if (!proposed) return { comparison: [], prices: [], checks: [], notes: review.field_notes };
  const types = await namedTypes(
    db,
    [...proposed.prices, ...(live?.prices ?? [])].map((one) => one.houseTypeId),
  );
  const seen = (type: NamedType | undefined) =>
    type !== undefined && (caller.projectIds === null || caller.projectIds.includes(type.projectId));
  const both = async (version: StoredVersion) =>
    [await wordsOf(db, version, caller, 0), await wordsOf(db, version, caller, 1)] as const;
  const words = { live: live ? await both(live) : null, proposed: await both(proposed) };
  const pair = (of: readonly [Record<string, string>, Record<string, string>], field: string) =>
    [of[0][field] ?? '', of[1][field] ?? ''] as const;
  const comparison: ComparedField[] = Object.entries(NOTED_FIELDS)
    .filter(([field]) => field !== 'prices')
    .map(([field, { label }]) => ({
      field,
      label,
      live: words.live && pair(words.live, field),
      proposed: pair(words.proposed, field),
      changed: words.live !== null && words.live[0][field] !== words.proposed[0][field],
    }));
  const before = new Map(live?.prices.map((one) => [one.houseTypeId, one]));
  const prices: ComparedPrice[] = [...types.values()].filter(seen).map((type) => {
    const next = proposed.prices.find((one) => one.houseTypeId === type.id);
    const old = before.get(type.id);
    return {
      title: type.title,
      live: old ? yuanFromFen(old.amount) : null,
      proposed: next ? yuanFromFen(next.amount) : null,
      percent:
        old && next && old.amount !== next.amount
          ? `${next.amount > old.amount ? '+' : ''}${(((next.amount - old.amount) * 100) / old.amount).toFixed(2)}`
          : null,
      margin: next?.cost ? (((next.amount - next.cost) * 100) / next.amount).toFixed(2) : null,
    };
  });
  return {
    comparison,
    prices,
    checks: await checksOf(db, proposed, types, row),
    notes: review.field_notes.map((one) => ({ ...one, label: NOTED_FIELDS[one.field]?.label })),
  };
}

/** Every field of a version in words of a language; what merchants wrote stays as it is. */
async function wordsOf(
  db: Executor,
  version: StoredVersion,
  caller: Caller,
  language: 0 | 1,
): Promise<Record<string, string>> {
  const say = (zh: string, en: string) => (language === 0 ? zh : en);
  const projects = await run<{ id: string; name: string }>(
    db,
    'SELECT id::text AS id, name FROM project WHERE id = ANY($1::bigint[]) ORDER BY project.id',
    [version.projectIds],
  );
  const style = version.styleId
    ? await runOne<{ name: string }>(
        db,
        `SELECT ${language === 0 ? 'name' : 'name_en AS name'} FROM biz_dict WHERE id = $1`,
        [version.styleId],
      )
    : undefined;
  const room = (kind: keyof typeof ROOM_KINDS | null) => (kind ? `${ROOM_KINDS[kind].label[language]} ` : '');
  return {
    name: version.name,
    style: style?.name ?? '',
    images: version.images.join(','),
    projects: projectsInReach(caller, projects)
      .map((one) => one.name)
      .join('、'),
    detailHtml: version.detailHtml,
    days: String(version.days),
    basis: PRICE_BASES[version.basis].label[language],
    minCharge: yuanFromFen(version.minCharge),
    items: version.items
      .map(
        (one) =>
          `${room(one.room)}${one.category} ${one.name} ${one.brand} ${one.spec} × ${one.quantity}${one.included ? '' : say('（不含）', ' (not included)')}`,
      )
      .join('\n'),
    options: version.options
      .map(
        (one) =>
          `${one.code} ${room(one.room)}${one.name} ${OPTION_MODES[one.mode].label[language]} ${yuanFromFen(one.price)}${one.preset ? say('（默认）', ' (preset)') : ''}${
            one.requires.length > 0 ? ` ${say('需', 'needs')} ${one.requires.join(',')}` : ''
          }${one.excludes.length > 0 ? ` ${say('斥', 'excludes')} ${one.excludes.join(',')}` : ''}`,
      )
      .join('\n'),
    plan: version.plan
      .map(
        (one) =>
          `${one.name} ${percentOf(one.share)}% ${DUE_EVENTS[one.due]!.label[language]} +${one.dueDays}${say('天', ' days')}`,
      )
      .join('\n'),
    nodes: version.nodes.map((one) => `${one.name} ${percentOf(one.weight)}%`).join('\n'),
    cancelPolicy: version.cancel
      .map(
        (one) =>
          `${CANCEL_STAGES[one.stage].label[language]}：${yuanFromFen(one.fee)} + ${percentOf(one.share)}%${one.nodes ? say(' + 已完成节点', ' + passed nodes') : ''}`,
      )
      .join('\n'),
    warranty: version.warranty
      .map((one) => `${WARRANTY[one.category].label[language]} ${one.months} ${say('个月', 'months')}`)
      .join('\n'),
    terms: version.terms,
  };
}

/** What a reviewer looks at first. */
async function checksOf(
  db: Executor,
  version: StoredVersion,
  types: ReadonlyMap<number, NamedType>,
  row: DbRow,
): Promise<ReviewCheck[]> {
  const priced = new Set(
    version.prices.flatMap((one) =>
      types.get(one.houseTypeId)?.enabled ? [types.get(one.houseTypeId)!.projectId] : [],
    ),
  );
  const bare = await run<{ name: string }>(
    db,
    'SELECT name FROM project WHERE id = ANY($1::bigint[]) AND id <> ALL($2::bigint[]) ORDER BY id',
    [version.projectIds, [...priced]],
  );
  const floor = Number(row.marginFloor);
  const costed = version.prices.filter((one) => one.cost !== null);
  const thin = costed.filter((one) => ((one.amount - one.cost!) * 100) / one.amount < floor);
  const first = version.plan[0]?.share ?? 0;
  const short = version.warranty.filter((one) => one.months < WARRANTY[one.category].least);
  return [
    {
      key: 'types',
      ok: bare.length === 0,
      label: ['每个项目都有可售户型', 'Every project has a priced house type'],
      note: bare.map((one) => one.name).join('、'),
    },
    {
      key: 'margin',
      ok: costed.length === version.prices.length && thin.length === 0,
      label: [`毛利率不低于 ${floor}%`, `Margin not below ${floor} %`],
      note:
        costed.length < version.prices.length
          ? `${version.prices.length - costed.length} / ${version.prices.length} –`
          : thin.map((one) => types.get(one.houseTypeId)?.title ?? '').join('、'),
    },
    {
      key: 'first',
      ok: first <= FIRST_SHARE,
      label: ['首期不超过 40%', 'First share at most 40 %'],
      note: `${percentOf(first)}%`,
    },
    {
      key: 'warranty',
      ok: short.length === 0,
      label: [
        '质保不低于法定下限（防水、水电 60 个月，其他 24 个月）',
        'Warranty not below the legal minimum (60 and 24 months)',
      ],
      note: short.map((one) => `${WARRANTY[one.category].label[0]} ${one.months}`).join('、'),
    },
    { key: 'images', ok: version.images.length > 0, label: ['已上传图片', 'Pictures are there'], note: '' },
  ];
}
