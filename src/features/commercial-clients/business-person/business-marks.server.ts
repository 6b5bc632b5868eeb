import { seenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { lastOf, type Mark } from './business-marks.rules.ts';
import { dayOf } from '../../../kernel/server/today.ts';

/** One row a figure is made of. `value` is 1, days of a stay, or fen. */
export interface MarkRow {
  readonly mark: Mark;
  readonly id: string;
  readonly clientId: number | null;
  readonly contractId: number | null;
  /** Empty where the caller does not see the client. */
  readonly client: string;
  readonly code: string;
  readonly staffId: number | null;
  readonly staff: string;
  readonly day: string;
  readonly value: number;
  readonly note: string;
  readonly reasonId: number | null;
  readonly reason: string;
  readonly projects: readonly number[];
}

/** Which rows are asked for. Days are business days, both included. */
export interface MarkQuestion {
  readonly marks: readonly Mark[];
  readonly from: string;
  readonly to: string;
  /** Whose, by staff; rows of nobody only without. */
  readonly staff?: readonly number[] | undefined;
}

/**
 * SQL of the rows of a mark (id, client, contract, staff, day, value, note, reason): the one definition figures, charts, the frozen
 * months and the lists behind them have. `from` and `to` are instants, `first` and `last` days.
 */
function sourceOf(mark: Mark, at: Readonly<Record<'from' | 'to' | 'first' | 'last', string>>): string {
  const within = (column: string) => `${column} >= ${at.from} AND ${column} < ${at.to}`;
  const row = (cells: {
    readonly id: string;
    readonly client: string;
    readonly contract?: string;
    readonly staff: string;
    readonly day: string;
    readonly value?: string;
    readonly note?: string;
    readonly reason?: string;
  }) =>
    `'${mark}'::text AS mark, ${cells.id} AS id, ${cells.client}::bigint AS client_id, ${cells.contract ?? 'NULL'}::bigint AS contract_id, ${cells.staff} AS staff_id,
     ${cells.day} AS day, (${cells.value ?? '1'})::float8 AS value, ${cells.note ?? `''`}::text AS note, ${cells.reason ?? 'NULL'}::bigint AS reason_id`;
  const assigned = (staff: string, where: string) =>
    `SELECT ${row({ id: 'a.id', client: 'a.client_id', staff: `a.${staff}`, day: dayOf('a.at'), note: 'a.reason' })} FROM client_assignment a WHERE ${within('a.at')} AND ${where}`;
  const talked = (where: string) =>
    `SELECT ${row({ id: 'f.id', client: 'f.client_id', staff: 'f.created_by', day: dayOf('f.at'), note: 'left(f.content, 60)' })} FROM follow_up f
      WHERE ${within('f.at')} AND NOT f.struck${where}`;
  const [kind, stage] = mark.split('_');
  if (kind === 'entered' || mark === 'lost')
    // A client that came twice in the time counts once.
    return `SELECT * FROM (SELECT DISTINCT ON (g.client_id) ${row({ id: 'g.id', client: 'g.client_id', staff: 'g.owner_id', day: dayOf('g.entered_at'), reason: 'g.reason_id' })}
       FROM client_stage g WHERE g.stage = '${stage ?? 'lost'}' AND ${within('g.entered_at')} ORDER BY g.client_id, g.id) once`;
  if (kind === 'left')
    return `SELECT ${row({ id: 'g.id', client: 'g.client_id', staff: 'g.owner_id', day: dayOf('g.left_at'), value: 'round(extract(epoch FROM g.left_at - g.entered_at) / 86400, 1)' })}
       FROM client_stage g WHERE g.stage = '${stage}' AND ${within('g.left_at')}`;
  switch (mark) {
    case 'fresh':
      return `SELECT * FROM (SELECT DISTINCT ON (a.client_id, a.to_staff, to_char(a.at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM')) ${row({ id: 'a.id', client: 'a.client_id', staff: 'a.to_staff', day: dayOf('a.at') })}
         FROM client_assignment a WHERE ${within('a.at')} AND a.to_staff IS NOT NULL AND a.kind IN ('create', 'claim', 'assign') ORDER BY a.client_id, a.to_staff, to_char(a.at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM'), a.id) once`;
    case 'follow':
      return talked('');
    case 'visit':
      return talked(` AND f.kind IN ('visit', 'viewing')`);
    case 'signed':
      return `SELECT ${row({ id: 's.contract_id', client: 'k.client_id', contract: 's.contract_id', staff: 's.staff_id', day: dayOf('s.at'), value: 's.amount', note: 'k.name' })}
         FROM contract_signing s JOIN contract k ON k.id = s.contract_id WHERE ${within('s.at')}`;
    case 'received':
      return `SELECT ${row({ id: 'x.id', client: 'k.client_id', contract: 's.contract_id', staff: 's.staff_id', day: 'r.received_on', value: 'x.amount', note: 'r.code' })}
         FROM receipt r JOIN receipt_allocation x ON x.receipt_id = r.id JOIN receivable v ON v.id = x.receivable_id AND v.source_kind = 'contract'
         JOIN contract_signing s ON s.contract_id = v.source_id JOIN contract k ON k.id = s.contract_id
        WHERE r.state = 'confirmed' AND r.received_on BETWEEN ${at.first} AND ${at.last}`;
    case 'pool_in':
      return assigned('from_staff', `a.kind IN ('release', 'auto_pool')`);
    case 'pool_claimed':
      return assigned('to_staff', `a.kind = 'claim'`);
    default:
      return assigned(
        'to_staff',
        `a.kind = 'claim' AND EXISTS (SELECT FROM contract_signing s JOIN contract k ON k.id = s.contract_id
           WHERE k.client_id = a.client_id AND s.at >= a.at AND s.at < a.at + interval '90 days')`,
      );
  }
}

function unionOf(question: MarkQuestion, parameters: Parameters): string {
  // Bound where it is read: a parameter nothing reads is refused.
  const bound = new Map<string, string>();
  const once = (name: string, value: unknown, type: string) => {
    if (!bound.has(name)) bound.set(name, `${parameters.bind(value)}::${type}`);
    return bound.get(name)!;
  };
  const at = {
    get from() {
      return once('from', startOfBusinessDay(question.from), 'timestamptz');
    },
    get to() {
      return once('to', endOfBusinessDay(question.to), 'timestamptz');
    },
    get first() {
      return once('first', question.from, 'date');
    },
    get last() {
      return once('last', question.to, 'date');
    },
  };
  return question.marks.map((mark) => `(${sourceOf(mark, at)})`).join(' UNION ALL ');
}

/**
 * The rows behind figures. `visible` are the business people the caller sees; contracts and money are those of projects it works in,
 * and clients it does not see are counted without their names.
 */
export async function markRows(
  db: Executor,
  caller: Caller,
  visible: readonly number[],
  question: MarkQuestion,
): Promise<readonly MarkRow[]> {
  const parameters = new Parameters();
  const union = unionOf(question, parameters);
  const staff = question.staff
    ? `m.staff_id = ANY(${parameters.bind(question.staff.filter((id) => visible.includes(id)))}::bigint[])`
    : `(m.staff_id = ANY(${parameters.bind(visible)}::bigint[]) OR m.staff_id IS NULL AND c.seen)`;
  const reach =
    caller.projectIds === null
      ? 'TRUE'
      : `(m.contract_id IS NULL OR k.project_id = ANY(${parameters.bind(caller.projectIds)}::bigint[]))`;
  return run<MarkRow>(
    db,
    `SELECT m.mark, m.id::text, m.client_id AS "clientId", m.contract_id AS "contractId", CASE WHEN c.seen THEN c.name ELSE '' END AS client,
            coalesce(k.code, CASE WHEN c.seen THEN c.code END, '') AS code, m.staff_id AS "staffId", coalesce(s.name, '') AS staff, m.day::text AS day, m.value,
            CASE WHEN c.seen OR m.contract_id IS NOT NULL THEN m.note ELSE '' END AS note, m.reason_id AS "reasonId", coalesce(d.name, '') AS reason,
            CASE WHEN m.contract_id IS NOT NULL THEN ARRAY[k.project_id] ELSE ARRAY(SELECT x.project_id FROM client_project x WHERE x.client_id = m.client_id) END AS projects
       FROM (${union}) m LEFT JOIN contract k ON k.id = m.contract_id LEFT JOIN staff s ON s.id = m.staff_id LEFT JOIN biz_dict d ON d.id = m.reason_id
       LEFT JOIN (SELECT t.id, t.code, t.name, ${seenClients(caller, parameters)} AS seen FROM client t) c ON c.id = m.client_id
      WHERE ${staff} AND ${reach} ORDER BY m.day DESC, m.mark, m.id DESC`,
    parameters.values,
  );
}

/** Figures of a person in a month; money in fen. */
export interface MonthFigures {
  readonly fresh: number;
  readonly follows: number;
  readonly visits: number;
  readonly contracts: number;
  readonly signed: number;
  readonly received: number;
  /** Target of the signed amount; null without one. */
  readonly target: number | null;
}

/** Figures of people in months of one range: those of frozen months as they were frozen, of others as they are. */
export async function figuresOf(
  db: Executor,
  staffIds: readonly number[],
  months: readonly string[],
): Promise<ReadonlyMap<string, MonthFigures>> {
  if (staffIds.length === 0 || months.length === 0) return new Map();
  const parameters = new Parameters();
  const union = unionOf(
    { marks: ['fresh', 'follow', 'visit', 'signed', 'received'], ...spanOf(months) },
    parameters,
  );
  const rows = await run<MonthFigures & { staffId: number; month: string }>(
    db,
    `WITH asked AS (SELECT s.staff_id, n.month FROM unnest(${parameters.bind(staffIds)}::bigint[]) s (staff_id), unnest(${parameters.bind(months)}::text[]) n (month)),
          live AS (SELECT m.staff_id, to_char(m.day, 'YYYY-MM') AS month, m.mark, count(*)::int AS n, sum(m.value)::bigint AS value FROM (${union}) m GROUP BY 1, 2, 3),
          summed AS (SELECT a.staff_id, a.month, coalesce(sum(l.n) FILTER (WHERE l.mark = 'fresh'), 0)::int AS fresh, coalesce(sum(l.n) FILTER (WHERE l.mark = 'follow'), 0)::int AS follows,
                 coalesce(sum(l.n) FILTER (WHERE l.mark = 'visit'), 0)::int AS visits, coalesce(sum(l.n) FILTER (WHERE l.mark = 'signed'), 0)::int AS contracts,
                 coalesce(sum(l.value) FILTER (WHERE l.mark = 'signed'), 0)::bigint AS signed, coalesce(sum(l.value) FILTER (WHERE l.mark = 'received'), 0)::bigint AS received
            FROM asked a LEFT JOIN live l ON l.staff_id = a.staff_id AND l.month = a.month GROUP BY 1, 2)
     SELECT u.staff_id AS "staffId", u.month, coalesce(f.new_clients, u.fresh) AS fresh, coalesce(f.follow_ups, u.follows) AS follows, coalesce(f.visits, u.visits) AS visits,
            coalesce(f.signed_contracts, u.contracts) AS contracts, coalesce(f.signed_amount, u.signed) AS signed, coalesce(f.received_amount, u.received) AS received,
            CASE WHEN f.month IS NOT NULL THEN f.target_amount ELSE g.signed_amount END AS target
       FROM summed u LEFT JOIN business_month f ON f.staff_id = u.staff_id AND f.month = u.month LEFT JOIN business_target g ON g.staff_id = u.staff_id AND g.month = u.month`,
    parameters.values,
  );
  return new Map(rows.map((row) => [`${row.staffId}.${row.month}`, row]));
}

const spanOf = (months: readonly string[]) => {
  const all = [...months].sort();
  return { from: `${all[0]!}-01`, to: lastOf(all.at(-1)!) };
};
