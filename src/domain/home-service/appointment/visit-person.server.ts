import type { Label } from '../../../kernel/contract/label.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { LIVE_VISITS } from './visit-words.rules.ts';
import type { ServiceTerms } from './visit-place.server.ts';

/** What a person is wanted for. */
export interface PersonRequest {
  readonly terms: ServiceTerms;
  readonly projectId: number;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly busyFrom: Date;
  readonly busyTo: Date;
  /** The visit itself, which is in nobody's way. */
  readonly except: number | null;
}

/** A person with what speaks against a visit; `load` counts the visits of that day. */
export interface Candidate {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly parallel: number;
  readonly load: number;
  readonly refusal: Label | undefined;
}

interface CandidateRow {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly parallel: number;
  readonly enabled: boolean;
  readonly own: boolean;
  readonly missing: string[];
  readonly here: boolean;
  readonly on_duty: boolean;
  readonly away: boolean;
  readonly expired: boolean;
  readonly load: number;
  readonly clashes: number;
  readonly other_code: string | null;
  readonly other_from: Date | null;
  readonly other_to: Date | null;
}

/**
 * People of the service's merchant with what speaks against each: switched off, other merchant, skills, project, roster,
 * leave, certificate, another visit with its buffers. Free ones first, those with less to do before others.
 * Source: group 07, service order states (派单) and cs_busServicePerson; Must show 2 and 13.
 */
export async function candidates(db: Executor, wanted: PersonRequest, onlyId?: number): Promise<Candidate[]> {
  const rows = await run<CandidateRow>(
    db,
    `SELECT p.id, p.name, p.phone, p.parallel, p.enabled, p.tenant_id = $1 AS own,
            ARRAY(SELECT x FROM unnest($2::text[]) AS x WHERE NOT x = ANY(p.skills)) AS missing,
            EXISTS (SELECT FROM service_person_project j WHERE j.person_id = p.id AND j.project_id = $3) AS here,
            (p.roster = '[]'::jsonb OR EXISTS (SELECT FROM jsonb_to_recordset(p.roster) AS r (weekday integer, "from" integer, "to" integer)
              WHERE r.weekday = extract(isodow FROM $4::timestamptz AT TIME ZONE 'Asia/Shanghai')
                AND r."from" <= extract(epoch FROM ($4::timestamptz AT TIME ZONE 'Asia/Shanghai')::time) / 60
                AND r."to" >= extract(epoch FROM ($4::timestamptz AT TIME ZONE 'Asia/Shanghai')::time) / 60
                  + extract(epoch FROM $5::timestamptz - $4::timestamptz) / 60)) AS on_duty,
            EXISTS (SELECT FROM service_stop s WHERE s.person_id = p.id AND (s.project_id IS NULL OR s.project_id = $3) AND s.period && tstzrange($4, $5)) AS away,
            EXISTS (SELECT FROM service_person_certificate c WHERE c.person_id = p.id AND c.required
              AND c.expires_on < ($4::timestamptz AT TIME ZONE 'Asia/Shanghai')::date) AS expired,
            (SELECT count(*) FROM appointment a WHERE a.person_id = p.id AND a.state = ANY($8::text[])
              AND (a.starts_at AT TIME ZONE 'Asia/Shanghai')::date = ($4::timestamptz AT TIME ZONE 'Asia/Shanghai')::date)::integer AS load,
            b.clashes, b.other_code, b.other_from, b.other_to
       FROM service_person p
       LEFT JOIN LATERAL (SELECT count(*)::integer AS clashes, (array_agg(a.code ORDER BY a.starts_at))[1] AS other_code,
                (array_agg(a.starts_at ORDER BY a.starts_at))[1] AS other_from, (array_agg(a.ends_at ORDER BY a.starts_at))[1] AS other_to
           FROM appointment a WHERE a.person_id = p.id AND a.state = ANY($8::text[]) AND a.id IS DISTINCT FROM $9 AND a.busy && tstzrange($6, $7)) b ON true
      WHERE ($10::bigint IS NULL AND p.tenant_id = $1) OR p.id = $10 ORDER BY p.id`,
    [
      wanted.terms.tenantId,
      wanted.terms.skills,
      wanted.projectId,
      wanted.startsAt,
      wanted.endsAt,
      wanted.busyFrom,
      wanted.busyTo,
      [...LIVE_VISITS],
      wanted.except,
      onlyId ?? null,
    ],
  );
  return rows
    .map((row) => ({
      id: row.id,
      name: row.name,
      phone: row.phone,
      parallel: row.parallel,
      load: row.load,
      refusal: refusalOf(row),
    }))
    .sort(
      (a, b) =>
        Number(a.refusal !== undefined) - Number(b.refusal !== undefined) || a.load - b.load || a.id - b.id,
    );
}

/** One person behind a lock, so that two desks never give it two visits at once. Undefined: there is no such person. */
export async function lockCandidate(
  tx: Executor,
  wanted: PersonRequest,
  personId: number,
): Promise<Candidate | undefined> {
  await runOne(tx, 'SELECT id FROM service_person WHERE id = $1 FOR NO KEY UPDATE', [personId]);
  const [found] = await candidates(tx, wanted, personId);
  return found;
}

function refusalOf(row: CandidateRow): Label | undefined {
  if (!row.own) return ['人员不属于该商户', 'The person works for another merchant'];
  if (!row.enabled) return ['人员已停用', 'The person is switched off'];
  if (row.expired) return ['证件已过期', 'A certificate has expired'];
  if (row.missing.length > 0)
    return [`缺少技能：${row.missing.join('、')}`, `Skills missing: ${row.missing.join(', ')}`];
  if (!row.here) return ['不负责该项目', 'Does not work in this project'];
  if (row.away) return ['人员请假', 'The person is on leave'];
  if (!row.on_duty) return ['不在排班时间', 'Outside of the roster'];
  if (row.clashes < row.parallel) return undefined;
  const time = `${businessTimeText(row.other_from!).slice(5, 16)}–${businessTimeText(row.other_to!).slice(11, 16)}`;
  return [
    `${row.name}已有预约 ${row.other_code} ${time}（含缓冲时间）`,
    `${row.name} has appointment ${row.other_code} ${time} (buffers included)`,
  ];
}
