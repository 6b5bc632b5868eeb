import { z } from 'zod';
import { gradeOptions } from '../../../domain/grade/grade-options.server.ts';
import { gradeInvariants } from '../../../domain/grade/member-grade.server.ts';
import { MEMBER_PLACE } from '../../../domain/points-ledger/points-members.server.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { checkPictures } from '../../property/picture-columns.server.ts';
import { BADGE_BYTES, grade, type GradePreview } from './grade.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const HOLDERS = `(SELECT count(*)::int FROM member m LEFT JOIN member_grade g ON g.member_id = m.id
  WHERE NOT m.official AND CASE WHEN g.fixed_until >= ${TODAY} THEN g.fixed_id = t.id
        ELSE coalesce(g.basis, 0) >= t.threshold
         AND coalesce(g.basis, 0) < coalesce((SELECT min(n.threshold) FROM grade n WHERE n.threshold > t.threshold), 9000000000) END)`;

const GRADE_MENUS = [
  'os_integralUser',
  'os_integralShop',
  'os_infoPush',
  'pointsAccount',
  'pointsSend',
  'mm_targetedCoupons',
  'mm_sendMessage',
];

/** Grades of the whole product. */
export const registration = bindResource(grade, {
  table: 'grade',
  columns: {
    level: '(SELECT count(*)::int FROM grade o WHERE o.threshold <= t.threshold)',
    badge: 't.badge_id',
    members: HOLDERS,
    share: `round(100.0 * ${HOLDERS} / greatest(1, (SELECT count(*) FROM member x WHERE NOT x.official)), 2)::text`,
  },
  writes: { badge: 'badge_id' },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
  keyword: (value, parameters) =>
    `position(lower(${parameters.bind(value)}) IN lower(t.code || ' ' || t.title)) > 0`,
  unique: {
    grade_title: ['等级名称已存在', 'A grade has this title'],
    grade_threshold: ['已有等级使用该积分', 'A grade has this threshold'],
  },
  ruleReads: ['members', 'threshold'],
  rowRules: {
    remove: (row) =>
      Number(row.threshold) === 0
        ? ['最低等级不能删除', 'The lowest grade stays']
        : Number(row.members) > 0
          ? [`该等级有 ${Number(row.members)} 名会员`, `The grade holds ${Number(row.members)} members`]
          : undefined,
  },
  before: [checkGrade],
  present: (rows, db) => showFiles(rows, db, 'badge'),
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/grade/preview',
      title: ['等级门槛预览', 'Preview of a threshold'],
      access: { code: `${grade.menu}:btn_edit` },
      query: z.strictObject({
        id: z.string().regex(/^\d{1,15}$/),
        threshold: z.string().regex(/^\d{1,9}$/),
      }),
      handle: async ({ caller, platform, query }): Promise<GradePreview> => {
        const parameters = new Parameters();
        const [id, threshold] = [parameters.bind(query.id), parameters.bind(query.threshold)];
        const rows = await run<{ name: string; from: string; to: string; rises: boolean; n: number }>(
          platform.database.db,
          `WITH after AS (SELECT id, title, CASE WHEN id = ${id}::bigint THEN ${threshold}::bigint ELSE threshold END AS threshold FROM grade),
                moved AS (
             SELECT t.id, t.name, o.title AS "from", a.title AS "to", a.threshold AS reached,
                    CASE WHEN o.id = ${id}::bigint THEN false ELSE true END AS rises
               FROM member t LEFT JOIN member_grade g ON g.member_id = t.id
               JOIN LATERAL (SELECT id, title FROM grade WHERE threshold <= coalesce(g.basis, 0) ORDER BY threshold DESC LIMIT 1) o ON true
               JOIN LATERAL (SELECT id, title, threshold FROM after WHERE threshold <= coalesce(g.basis, 0) ORDER BY threshold DESC LIMIT 1) a ON true
              WHERE o.id <> a.id AND NOT t.official AND (g.fixed_until IS NULL OR g.fixed_until < ${TODAY})
                AND ${placeCondition(caller, MEMBER_PLACE, parameters)})
           SELECT name, "from", "to", rises, count(*) OVER (PARTITION BY rises)::int AS n FROM moved ORDER BY rises, id LIMIT 20000`,
          parameters.values,
        );
        const n = (rises: boolean) => rows.find((row) => row.rises === rises)?.n ?? 0;
        return {
          rise: n(true),
          fall: n(false),
          members: rows.slice(0, 20).map((row) => ({
            name: String(maskValue('name', row.name) ?? ''),
            from: row.from,
            to: row.to,
          })),
        };
      },
    }),
  ],
  also: {
    invariants: gradeInvariants,
    // Screens that ask for a grade, beside the one that keeps them.
    options: [gradeOptions('grade', [grade.menu, ...GRADE_MENUS])],
  },
}).registration;

/** The lowest grade stands at 0; a badge is a small picture. */
async function checkGrade(context: ActionContext): Promise<void> {
  const { tx, action, input, row } = context;
  if (action !== 'create' && action !== 'update') return;
  if (Number(row.threshold) === 0 && input.threshold !== undefined && Number(input.threshold) !== 0)
    throw invalid({ threshold: ['最低等级的所需积分为 0', 'The lowest grade stands at 0'] });
  // Two who save at once would each be shown a list that the other changes.
  await run(tx, 'SELECT pg_advisory_xact_lock(7011)');
  if (action === 'create' && !input.badge) throw invalid({ badge: ['此项必填', 'This field is required'] });
  if (!input.badge) return;
  const id = String(input.badge);
  await checkPictures(context, 'badge', [id], row.badge_id ? [String(row.badge_id)] : []);
  const file = await runOne<{ size: number }>(tx, 'SELECT size::int FROM stored_file WHERE id::text = $1', [
    id,
  ]);
  if (!file) throw ruleBroken(['没有此文件', 'There is no such file']);
  if (file.size > BADGE_BYTES) throw invalid({ badge: ['不超过 200 KB', 'At most 200 KB'] });
}
