import { menuOfElement } from '../../contract/resource.ts';
import { z } from 'zod';
import { writeAudit } from '../audit/audit.ts';
import { textOf } from '../../contract/label.ts';
import { run, runOne, transaction } from '../database.ts';
import { forbidden, notFound, tooMany } from './errors.ts';
import { holds } from '../people/caller.ts';
import { optionSourcesOf } from '../resource/option-source.ts';
import { readEncryptionToken } from '../resource/row-token.ts';
import { homeEndpoints } from '../home/home-endpoints.ts';
import { endpoint, type Endpoint, type RecordPrefix, type Registration } from '../registration.ts';

/** Reveals a staff may make in an hour. Source: ground rules section 5. */
export const REVEALS_PER_HOUR = 60;

/** Rows the palette shows of a kind, and how long it waits for them. Source: 00-frame, palette. */
const ROWS_A_KIND = 8;
const SEARCH_MS = 300;

/** Endpoints the engine gives for all resources together: home page, options, reveal, palette search. */
export function kernelEndpoints(registrations: readonly Registration[]): Endpoint[] {
  const options = optionSourcesOf(registrations);
  const reveals = new Map(
    registrations.flatMap((service) =>
      service.reveal ? [[service.reveal.name, service.reveal] as const] : [],
    ),
  );
  const prefixes = registrations.flatMap((service) => service.prefixes ?? []);

  return [
    ...homeEndpoints(registrations, () => options.get('project')),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/options/:target',
      title: ['选项', 'Options'],
      access: 'staff',
      query: z.strictObject({
        searchVal: z.string().max(100).default(''),
        ids: z.string().max(10_000).default(''),
        within: z.string().max(10_000).default(''),
        page: z.coerce.number().int().min(1).max(10_000).default(1),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
      handle: async (call) => {
        const source = options.get(call.params.target!);
        if (!source) throw notFound();
        if (source.anyOf && !source.anyOf.some((code) => holds(call.caller, code))) throw forbidden();
        return source.find(call, {
          searchVal: call.query.searchVal.trim(),
          ids: idsOf(call.query.ids),
          within: idsOf(call.query.within),
          offset: (call.query.page - 1) * call.query.limit,
          limit: call.query.limit,
        });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/dataDecryption',
      title: ['查看明文', 'Reveal personal data'],
      access: 'staff',
      query: z.strictObject({ encryptionField: z.string().min(1).max(200) }),
      handle: async (call) => {
        const token = readEncryptionToken(call.query.encryptionField);
        const reveal = token && reveals.get(token.name);
        if (!token || !reveal) throw notFound();
        if (!holds(call.caller, reveal.element)) throw forbidden();
        const names = token.path === undefined ? undefined : reveal.paths?.[token.path];
        if (token.path !== undefined && !names) throw notFound();
        const clear = await reveal.find(call.caller, call.platform, token.id);
        if (!clear) throw notFound();
        const row = names
          ? Object.fromEntries(
              Object.entries(names).flatMap(([field, name]) =>
                // What is empty was not masked either.
                clear[field] ? [[name, clear[field]] as const] : [],
              ),
            )
          : clear;
        await transaction(call.platform.database.db, async (tx) => {
          // One at a time per staff, so that parallel calls cannot pass the limit together.
          await run(tx, 'SELECT pg_advisory_xact_lock(7001, $1::int)', [call.caller.staffId % 2_000_000_000]);
          const used = await runOne<{ n: number; oldest: Date | null }>(
            tx,
            `SELECT count(*) AS n, min(at) AS oldest FROM audit_record WHERE staff_id = $1 AND action = 'reveal' AND at > clock_timestamp() - interval '1 hour'`,
            [call.caller.staffId],
          );
          if (used!.n >= REVEALS_PER_HOUR)
            throw tooMany(
              [`每小时最多查看${REVEALS_PER_HOUR}次`, `At most ${REVEALS_PER_HOUR} reveals an hour`],
              3600 - (Date.now() - (used!.oldest?.getTime() ?? Date.now())) / 1000,
            );
          await writeAudit(tx, {
            caller: call.caller,
            facts: call.facts,
            menu: menuOfElement(reveal.element),
            action: 'reveal',
            entity: reveal.name,
            entityId: token.id,
            after: { fields: Object.keys(row) },
          });
        });
        call.reply.header('Cache-Control', 'no-store');
        return row;
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/search',
      title: ['全局搜索', 'Search'],
      access: 'staff',
      query: z.strictObject({ keyword: z.string().max(60) }),
      handle: async (call) => {
        const keyword = call.query.keyword.trim();
        const found = await Promise.all(
          prefixes
            .filter((prefix) => holds(call.caller, prefix.menu) && isFor(prefix, keyword))
            .map(async (prefix) => {
              const rows = await inTime(prefix.find(call, keyword));
              return rows
                .slice(0, ROWS_A_KIND)
                .map((row) => ({ kind: textOf(prefix.label, call.facts.language), ...row }));
            }),
        );
        return found.flat();
      },
    }),
  ];
}

/** Ids of a comma separated text; what is none is left out. */
function idsOf(text: string): string[] {
  return text
    .split(',')
    .filter((id) => /^\d{1,15}$/.test(id))
    .slice(0, 500);
}

/** A number with its prefix, or six digits and more of it; a phone is looked for by who says so. */
function isFor(prefix: RecordPrefix, keyword: string): boolean {
  if (prefix.accepts) return prefix.accepts(keyword);
  if (keyword.length < 6 || /^1\d{10}$/.test(keyword)) return false;
  return keyword.toUpperCase().startsWith(prefix.prefix) || /^\d{6,}$/.test(keyword);
}

/** A kind that is not found in time is left out: the palette shows menus rather than wait. */
function inTime<T>(rows: Promise<readonly T[]>): Promise<readonly T[]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve([]), SEARCH_MS);
    rows.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
