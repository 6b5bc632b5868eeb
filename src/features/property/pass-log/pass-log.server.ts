import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { fileValue, findStoredFile } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Job, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { filterCondition } from '../../../kernel/server/resource/list-query.ts';
import { passReports } from './pass-report.server.ts';
import { passLog } from './pass-log.contract.ts';

/** Days one question may span. Source: group 06, cs_passLog. */
const MAX_DAYS = 31;

const bound = bindResource(passLog, {
  table: 'pass_log',
  from: 'pass_log t LEFT JOIN visitor_registration v ON v.id = t.visit_id LEFT JOIN road_gate g ON g.id = t.gate_id',
  joins: { project: 'project' },
  columns: {
    gate: { id: 't.gate_id', title: 'g.name' },
    visit: { id: 't.visit_id', title: 'v.address' },
    hasPhoto: '(t.photo_id IS NOT NULL)',
  },
  extra: { version: '1' },
  // Written by devices: whoever sees own rows only sees none.
  scope: residentScope('t.project_id'),
  search: 't.search',
  searchExact: ['t.phone'],
  filters: {
    phone: (value, parameters) => `t.phone = ${parameters.bind(value.trim())}`,
    at: (value, parameters) => {
      const [from = '', to = ''] = value.split('~');
      const days = from && to ? (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1 : 0;
      if (days > MAX_DAYS)
        throw invalid({ at: [`时间范围最多 ${MAX_DAYS} 天`, `The range has at most ${MAX_DAYS} days`] });
      const condition = filterCondition(passLog.fields.at, 't.at', value, parameters);
      if (typeof condition !== 'string') throw invalid({ at: condition });
      return condition;
    },
  },
  tabs: {
    today: (_caller, parameters) =>
      `t.at >= (${parameters.bind(businessDayOf(new Date()))}::date::timestamp AT TIME ZONE 'Asia/Shanghai')`,
    all: () => 'TRUE',
  },
  endpoints: [
    passReports,
    endpoint({
      method: 'POST',
      path: '/jinmao/web/passLog/:id/photo',
      title: ['查看抓拍照片', 'See the photo of a passage'],
      access: { code: `${passLog.menu}:btn_photo` },
      handle: async (call): Promise<FileValue> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { db } = call.platform.database;
        const row = await runOne<{ photo_id: string | null }>(
          db,
          'SELECT photo_id FROM pass_log WHERE id = $1',
          [id],
        );
        const file = row?.photo_id ? await findStoredFile(db, row.photo_id) : undefined;
        if (!file) throw notFound();
        // Whoever looks at a face is written down before it is shown.
        await transaction(db, (tx) =>
          writeAudit(tx, {
            caller: call.caller,
            facts: call.facts,
            menu: passLog.menu,
            action: 'photo',
            entity: passLog.name,
            entityId: id,
          }),
        );
        return fileValue(call.platform, call.caller, file);
      },
    }),
  ],
  also: { options: [gates()], jobs: [monthJob()] },
});

/** Passages: read here, written by the devices. */
export const registration = bound.registration;

/** Makes the coming months and drops what is older than `passlog.days`; returns how many months went as a whole. */
export async function keepPassLog(platform: Platform): Promise<number> {
  const { db } = platform.database;
  await run(db, 'SELECT make_pass_log_months()');
  const days = await platform.settings.number('passlog.days');
  const row = await runOne<{ dropped: number }>(
    db,
    `SELECT drop_pass_log_before((clock_timestamp() AT TIME ZONE 'Asia/Shanghai')::date - $1::integer) AS dropped`,
    [days],
  );
  return row!.dropped;
}

function monthJob(): Job {
  return {
    name: 'passlog.partition',
    title: ['通行记录分月与清理', 'Months of the pass log'],
    // 04:00 in China.
    cron: '0 20 * * *',
    run: async (_payload, platform, context) => {
      const dropped = await keepPassLog(platform);
      context?.print(`${dropped} 个月 / months`);
    },
  };
}

/** Gates of the caller's projects, for the filter. */
function gates(): OptionSource {
  return {
    target: 'passGate',
    anyOf: [passLog.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [placeCondition(caller, residentScope('x.project_id'), parameters)];
      if (query.ids.length > 0) parts.push(`x.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else {
        if (query.within && query.within.length > 0)
          parts.push(`x.project_id = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
        if (query.searchVal)
          parts.push(`x.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      }
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT x.id, x.name AS title, p.name AS note FROM road_gate x JOIN project p ON p.id = x.project_id
          WHERE ${parts.join(' AND ')} ORDER BY p.id, x.name, x.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
