import { z } from 'zod';
import { textOf } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { auditLink } from '../../../kernel/server/audit/audit-seal.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { forbidden, invalid } from '../../../kernel/server/http/errors.ts';
import { holds, staffIdOf, type Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { queueJob } from '../../../kernel/server/tasks/job-queue.ts';
import { CHECK_JOB, checkJobs, giveUpStaleChecks, type CheckRow } from './audit-check.server.ts';
import { auditWords, menuTitles } from './audit-words.server.ts';
import { auditRecord, type AuditCheck, type RecordDetail } from './business-log.contract.ts';
import { differencesOf, type RecordedRow } from './difference.server.ts';

const ROOT = '/admin/auditRecord';
const READ = { code: auditRecord.menu };
const VERIFY = { code: `${auditRecord.menu}:btn_verify` };

// Code words only: a number somebody typed could be a person's.
const CODE = `coalesce(
  substring(t.after ->> 'code' FROM '^[A-Za-z][A-Za-z0-9_.-]{0,39}$'),
  substring(t.before ->> 'code' FROM '^[A-Za-z][A-Za-z0-9_.-]{0,39}$'),
  substring(t.entity_id FROM '^(?!1[3-9][0-9]{9}$)[A-Za-z0-9_.:-]{0,80}$'), '')`;
const keysOf = (value: string) =>
  `SELECT jsonb_object_keys(CASE WHEN jsonb_typeof(${value}) = 'object' THEN ${value} ELSE '{}' END)`;

const bound = bindResource(auditRecord, {
  table: 'audit_record',
  // Who changed something stands in the record: staff of a company read what its own people did, the platform reads all.
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.staff_id' },
  joins: { tenant: 'tenant' },
  columns: {
    no: 't.id',
    staff: { id: 'coalesce(t.staff_id, 0)', title: 't.staff_name' },
    code: CODE,
    changed: `(SELECT coalesce(jsonb_agg(k.name ORDER BY k.name), '[]') FROM (${keysOf('t.after')} UNION ${keysOf('t.before')}) k(name) WHERE k.name NOT IN ('version', 'input'))`,
    changedField: 'NULL::text',
    row: 'NULL::text',
    sealed: 'EXISTS (SELECT FROM audit_seal s WHERE s.record_id = t.id)',
  },
  extra: { version: '1' },
  filters: {
    staff: (value, parameters) => `t.staff_id = ANY(${parameters.bind(idsOf(value))}::bigint[])`,
    menu: (value, parameters) => {
      const code = parameters.bind(value);
      const like = parameters.bind(containing(value));
      return `(t.menu = ${code} OR t.menu IN (SELECT m.code FROM menu m WHERE (m.title_zh ILIKE ${like} OR m.title_en ILIKE ${like}) AND NOT EXISTS (SELECT FROM menu own WHERE own.code = ${code})))`;
    },
    action: (value, parameters, _caller, { registrations }) =>
      `t.action = ANY(${parameters.bind(auditWords(registrations).codesOf('action', value))}::text[])`,
    entity: (value, parameters, _caller, { registrations }) =>
      `t.entity = ANY(${parameters.bind(auditWords(registrations).codesOf('entity', value))}::text[])`,
    // A few records stand under a phone number: it cannot be looked up.
    row: (value, parameters) =>
      `(t.entity_id = ${parameters.bind(value)} AND t.entity_id !~ '^1[3-9][0-9]{9}$')`,
    changedField: (value, parameters, _caller, { registrations }) => {
      const names = `${parameters.bind(auditWords(registrations).columnsOf(value))}::text[]`;
      return `(t.after ?| ${names} OR t.before ?| ${names})`;
    },
  },
  words: {
    staff: (value, { language }) => (value === '系统' ? textOf(['系统', 'System'], language) : String(value)),
    entity: (value, { platform, language }) => {
      const label = auditWords(platform.registrations).entity(String(value));
      return label ? textOf(label, language) : String(value);
    },
    action: (value, { platform, language }, row) => {
      const label = auditWords(platform.registrations).action(String(row.entity), String(value));
      return label ? textOf(label, language) : String(value);
    },
    changed: (value, { platform, language }, row) =>
      (value as string[])
        .map((column) => {
          const label = auditWords(platform.registrations).column(String(row.entity), column);
          return label ? textOf(label, language) : column;
        })
        .join('、'),
  },
  unique: { audit_check_open: ['校验正在进行', 'The chain is being verified already'] },
  handlers: { verify: askForCheck },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/menus`,
      title: ['菜单名称', 'Titles of menus'],
      access: READ,
      handle: ({ platform, facts }) => menuTitles(platform.database.db, facts.language),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/wording`,
      title: ['记录用语', 'Words of records'],
      access: READ,
      query: z.strictObject({ entity: z.string().max(80) }),
      handle: async ({ platform, facts, query }) =>
        auditWords(platform.registrations).wording(query.entity, facts.language),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/checks`,
      title: ['校验记录', 'Looks over the chain'],
      access: VERIFY,
      handle: async ({ platform, caller }): Promise<readonly AuditCheck[]> => {
        platformOnly(caller);
        const rows = await run<CheckRow>(
          platform.database.db,
          'SELECT * FROM audit_check ORDER BY id DESC LIMIT 10',
        );
        return rows.map((row) => ({
          id: String(row.id),
          from: row.from_no,
          to: row.to_no,
          state: row.state,
          checked: row.checked,
          unsealed: row.unsealed,
          firstBroken: row.first_broken,
          problems: row.problems.slice(0, 20),
          askedBy: row.asked_name,
          at: isoInstant(row.created_at),
          finishedAt: row.finished_at && isoInstant(row.finished_at),
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/difference`,
      title: ['字段差异', 'Difference by field'],
      access: READ,
      handle: async (call): Promise<RecordDetail> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { db } = call.platform.database;
        const row = (await runOne<RecordedRow & { entity_id: string; menu: string }>(
          db,
          'SELECT entity, action, before, after, entity_id, menu FROM audit_record WHERE id = $1',
          [id],
        ))!;
        const [differences, link, place] = await Promise.all([
          differencesOf(call, row),
          auditLink(db, id),
          routeOf(call, row.entity),
        ]);
        return {
          differences,
          chain: link
            ? {
                no: link.chainNo,
                before: link.before,
                hash: link.hash,
                sealedAt: isoInstant(link.sealedAt),
                intact: link.intact,
              }
            : null,
          route:
            place && /^[1-9]\d{0,14}$/.test(row.entity_id) && row.action !== 'remove'
              ? `${place}?detail=${row.entity_id}`
              : null,
        };
      },
    }),
  ],
  also: { jobs: checkJobs },
});

export const registration = bound.registration;

/** Where the rows of an entity are shown, for callers who hold a menu of it. */
async function routeOf(
  { platform, caller }: { platform: Parameters<typeof bound.page>[0]['platform']; caller: Caller },
  entity: string,
): Promise<string | undefined> {
  const resource = auditWords(platform.registrations).entities.get(entity)?.resource;
  const menu = [resource?.menu ?? '', ...(resource?.alsoMenus ?? [])].find((code) => holds(caller, code));
  if (!menu) return undefined;
  const place = await runOne<{ route: string }>(
    platform.database.db,
    'SELECT route FROM menu_place WHERE menu_code = $1 ORDER BY sort LIMIT 1',
    [menu],
  );
  return place?.route;
}

/** Queues a look over the chain. Its findings name records of every company, so only the platform asks. */
async function askForCheck({ tx, caller, input }: ActionContext) {
  platformOnly(caller);
  const asked = input as { range: 'whole' | 'part'; from?: number | null; to?: number | null };
  const { from = null, to = null } = asked.range === 'whole' ? {} : asked;
  if (asked.range === 'part' && from === null && to === null)
    throw invalid({ from: ['请填写起始或截止序号', 'Please enter the first or the last number'] });
  if (from !== null && to !== null && from > to)
    throw invalid({ to: ['截止序号不能小于起始序号', 'The last number is below the first'] });
  await giveUpStaleChecks(tx);
  const row = await runOne<{ id: number }>(
    tx,
    'INSERT INTO audit_check (from_no, to_no, asked_by, asked_name) VALUES ($1, $2, $3, $4) RETURNING id',
    [from, to, staffIdOf(caller), caller.name],
  );
  await queueJob(tx, CHECK_JOB, { id: row!.id }, { jobKey: `audit.check:${row!.id}`, maxAttempts: 3 });
  return { result: { id: String(row!.id) } };
}

function platformOnly(caller: Caller): void {
  if (caller.tenantKind !== 3)
    throw forbidden(['仅平台人员可以校验', 'Only staff of the platform can verify the chain']);
}

function idsOf(value: string): number[] {
  const ids = value.split(',').filter((one) => one !== '');
  if (ids.length > 500 || ids.some((one) => !/^\d{1,15}$/.test(one)))
    throw invalid({ staff: ['没有此选项', 'There is no such choice'] });
  return ids.map(Number);
}
