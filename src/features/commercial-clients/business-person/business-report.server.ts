import { addDays } from '../../../kernel/contract/time.rules.ts';
import type { ChartPoint } from '../../../kernel/contract/report.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { bindReport, type ReportRequest } from '../../../kernel/server/report/bind.ts';
import { commercialClient } from '../client/client.contract.ts';
import { businessMarks, businessReport } from './business-report.contract.ts';
import { FUNNEL, lastOf, MARKS, monthsIn, ofMoney, shareOf, type Mark } from './business-marks.rules.ts';
import { markRows, type MarkRow } from './business-marks.server.ts';
import { visiblePeople } from './business-target.server.ts';

const idsOf = (text: string | undefined) => (text ? text.split(',').map(Number) : undefined);

/** The whole months a request stands for, as days. */
function periodOf(request: Pick<ReportRequest, 'from' | 'to'>) {
  const months = monthsIn(request.from, request.to);
  return { months, from: `${months[0]!}-01`, to: lastOf(months.at(-1)!) };
}

/** Whom a request is about: those of the people the caller sees that it names, or all of them. */
async function peopleOf(db: Executor, caller: Caller, { parameters }: ReportRequest) {
  const all = await visiblePeople(db, caller);
  const persons = idsOf(parameters.person);
  const departments = idsOf(parameters.department);
  const narrowed = persons !== undefined || departments !== undefined;
  const below = departments
    ? (
        await run<{ id: number }>(
          db,
          'SELECT d.id FROM department d WHERE d.id = ANY($1::bigint[]) OR d.path && $1::bigint[]',
          [departments],
        )
      ).map((one) => one.id)
    : undefined;
  const named = all.filter(
    (one) =>
      (!persons || persons.includes(one.id)) &&
      (!below || (one.departmentId !== null && below.includes(one.departmentId))),
  );
  return { all: all.map((one) => one.id), named, narrowed };
}

type People = Awaited<ReturnType<typeof peopleOf>>;

/** Rows of marks a request asks for, those of its projects only where it names some. */
async function rowsOf(
  db: Executor,
  caller: Caller,
  request: ReportRequest,
  { all, named, narrowed }: People,
  marks: readonly Mark[],
  period: { readonly from: string; readonly to: string },
): Promise<readonly MarkRow[]> {
  const rows = await markRows(db, caller, all, {
    marks,
    ...period,
    staff: narrowed ? named.map((one) => one.id) : undefined,
  });
  const projects = idsOf(request.parameters.project)?.filter((id) => caller.projectIds?.includes(id) ?? true);
  return projects ? rows.filter((row) => row.projects.some((id) => projects.includes(id))) : rows;
}

const sum = (rows: readonly MarkRow[]) => rows.reduce((total, row) => total + row.value, 0);
const average = (rows: readonly MarkRow[]) =>
  rows.length === 0 ? null : Math.round((10 * sum(rows)) / rows.length) / 10;
const plain = (value: number | null) => ({ value, previous: null, spark: [] });

/** Columns of the table and the marks they count. */
const COLUMNS = {
  fresh: 'fresh',
  follow: 'follow',
  visit: 'visit',
  contracts: 'signed',
  signed: 'signed',
  received: 'received',
  lost: 'lost',
  poolIn: 'pool_in',
  poolClaimed: 'pool_claimed',
  poolSigned: 'pool_signed',
} as const satisfies Readonly<Record<string, Mark>>;
/** What a column says of its rows: of contracts signed there is a number and a sum. */
const valueOf = (column: string, rows: readonly MarkRow[]) =>
  column === 'signed' || column === 'received' ? sum(rows) : rows.length;

/** What people won, from the very rows its figures open. */
export const registration = bindReport(businessReport, {
  compute: async ({ caller, platform, language }, request) => {
    const { db } = platform.replica;
    const { months, ...period } = periodOf(request);
    const people = await peopleOf(db, caller, request);
    const { named } = people;
    const byMark = new Map<Mark, MarkRow[]>();
    for (const row of await rowsOf(db, caller, request, people, Object.keys(MARKS) as Mark[], period)) {
      const known = byMark.get(row.mark);
      if (known) known.push(row);
      else byMark.set(row.mark, [row]);
    }
    const of = (mark: Mark): readonly MarkRow[] => byMark.get(mark) ?? [];
    const targets = await targetsOf(
      db,
      named.map((one) => one.id),
      months,
    );
    const targetOf = (staff: number) => sumOrNone(targets.filter((one) => one.staff === staff));
    const asked = Object.fromEntries(Object.entries(request.parameters).filter(([name]) => name !== 'range'));
    const query = (mark: Mark, more: Readonly<Record<string, string>> = {}, days = period) => ({
      part: 'rows',
      range: `${days.from}~${days.to}`,
      mark,
      ...asked,
      ...more,
    });
    const key = (...of: Parameters<typeof query>) => new URLSearchParams(query(...of)).toString();
    const byProject = request.parameters.project !== undefined;
    const target = byProject ? null : sumOrNone(targets);
    const table = named.map((person) => {
      const own = (mark: Mark) => of(mark).filter((row) => row.staffId === person.id);
      const values = Object.fromEntries(
        Object.entries(COLUMNS).map(([column, mark]) => [column, valueOf(column, own(mark))]),
      );
      const wanted = byProject ? null : targetOf(person.id);
      return {
        id: person.id,
        name: person.name,
        department: person.department,
        ...values,
        target: wanted,
        completion: shareOf(values.signed!, wanted),
        drill: Object.fromEntries(
          Object.entries(COLUMNS).map(([column, mark]) => [
            column,
            query(mark, { person: String(person.id) }),
          ]),
        ),
      };
    });
    const sums = Object.fromEntries(
      Object.entries(COLUMNS).map(([column, mark]) => [column, valueOf(column, of(mark))]),
    );
    const states = commercialClient.states as Readonly<
      Record<string, { readonly label: readonly [string, string] }>
    >;
    const word = (stage: string) => states[stage]!.label[language === 'en' ? 1 : 0];
    return {
      figures: {
        fresh: plain(sums.fresh!),
        signed: plain(sums.signed!),
        received: plain(sums.received!),
        target: plain(target),
        completion: plain(shareOf(sums.signed!, target)),
        lost: plain(sums.lost!),
        poolIn: plain(sums.poolIn!),
        poolClaimed: plain(sums.poolClaimed!),
        poolSigned: plain(sums.poolSigned!),
      },
      charts: {
        funnel: FUNNEL.map((mark, index) => {
          const next = FUNNEL[index + 1];
          const entered = of(mark).length;
          return {
            key: key(mark),
            label: word(mark.slice('entered_'.length)),
            values: {
              clients: entered,
              conversion: (next && shareOf(of(next).length, entered)) ?? 0,
            },
          };
        }),
        days: (['left_lead', 'left_contacted', 'left_viewing', 'left_negotiating'] as const).map((mark) => ({
          key: key(mark),
          label: word(mark.slice('left_'.length)),
          values: { days: average(of(mark)) ?? 0 },
        })),
        lost: [...new Map(of('lost').map((row) => [row.reasonId, row.reason]))]
          .filter(([reason]) => reason !== null)
          .map(([reason, label]) => ({
            key: key('lost', { reason: String(reason) }),
            label,
            values: { clients: of('lost').filter((row) => row.reasonId === reason).length },
          })),
        people: table
          .filter(
            (row) =>
              sums.signed === 0 || (row as unknown as { signed: number }).signed > 0 || row.target !== null,
          )
          .map((row) => ({
            key: new URLSearchParams(row.drill.signed as Record<string, string>).toString(),
            label: row.name,
            values: {
              signed: Number((row as Record<string, unknown>).signed) / 100,
              received: Number((row as Record<string, unknown>).received) / 100,
              target: (row.target ?? 0) / 100,
            },
          })),
        projects: await projectPoints(db, of('signed'), of('received'), (id) =>
          key('signed', { project: String(id) }),
        ),
        months: await monthPoints(db, caller, request, people, months.at(-1)!, (month) =>
          key('signed', {}, { from: `${month}-01`, to: lastOf(month) }),
        ),
      },
      rows: table,
      sums: {
        ...sums,
        target,
        drill: Object.fromEntries(Object.entries(COLUMNS).map(([column, mark]) => [column, query(mark)])),
      },
    };
  },
});

interface Wanted {
  readonly staff: number;
  readonly month: string;
  readonly value: number;
}

/** Targets of the signed amount; those of frozen months as they were frozen. */
async function targetsOf(
  db: Executor,
  staff: readonly number[],
  months: readonly string[],
): Promise<readonly Wanted[]> {
  return run<Wanted>(
    db,
    `SELECT coalesce(f.staff_id, g.staff_id) AS staff, coalesce(f.month, g.month) AS month, CASE WHEN f.month IS NOT NULL THEN f.target_amount ELSE g.signed_amount END AS value
       FROM business_target g FULL JOIN business_month f ON f.staff_id = g.staff_id AND f.month = g.month
      WHERE coalesce(f.staff_id, g.staff_id) = ANY($1::bigint[]) AND coalesce(f.month, g.month) = ANY($2::text[])
        AND CASE WHEN f.month IS NOT NULL THEN f.target_amount ELSE g.signed_amount END IS NOT NULL`,
    [staff, months],
  );
}

const sumOrNone = (targets: readonly Wanted[]) =>
  targets.length === 0 ? null : targets.reduce((total, one) => total + one.value, 0);

async function projectPoints(
  db: Executor,
  signed: readonly MarkRow[],
  received: readonly MarkRow[],
  key: (project: number) => string,
): Promise<ChartPoint[]> {
  const ids = [...new Set([...signed, ...received].flatMap((row) => row.projects))];
  const names = await run<{ id: number; name: string }>(
    db,
    'SELECT id, name FROM project WHERE id = ANY($1::bigint[]) ORDER BY name, id',
    [ids],
  );
  const of = (rows: readonly MarkRow[], id: number) =>
    sum(rows.filter((row) => row.projects.includes(id))) / 100;
  return names.map(({ id, name }) => ({
    key: key(id),
    label: name,
    values: { signed: of(signed, id), received: of(received, id) },
  }));
}

/** The last twelve months up to one. */
async function monthPoints(
  db: Executor,
  caller: Caller,
  request: ReportRequest,
  people: People,
  last: string,
  key: (month: string) => string,
): Promise<ChartPoint[]> {
  const months = monthsIn(addDays(`${last}-01`, -335), `${last}-01`).slice(-12);
  const rows = await rowsOf(db, caller, request, people, ['signed', 'received'], {
    from: `${months[0]!}-01`,
    to: lastOf(last),
  });
  const targets =
    request.parameters.project === undefined
      ? await targetsOf(
          db,
          people.named.map((one) => one.id),
          months,
        )
      : [];
  const of = (mark: Mark, month: string) =>
    sum(rows.filter((row) => row.mark === mark && row.day.startsWith(month))) / 100;
  return months.map((month) => ({
    key: key(month),
    label: month,
    values: {
      signed: of('signed', month),
      received: of('received', month),
      target: (sumOrNone(targets.filter((one) => one.month === month)) ?? 0) / 100,
    },
  }));
}

/** The rows behind a figure. */
export const marks = bindReport(businessMarks, {
  titles: (_platform, parameters) => {
    const mark = (parameters.mark ?? 'signed') as Mark;
    return Promise.resolve({
      ...(ofMoney(mark) ? {} : { amount: null }),
      ...(mark.startsWith('left_') ? {} : { days: null }),
    });
  },
  compute: async ({ caller, platform }, request) => {
    const { db } = platform.replica;
    const mark = (request.parameters.mark ?? 'signed') as Mark;
    const reasons = idsOf(request.parameters.reason);
    const rows = (
      await rowsOf(db, caller, request, await peopleOf(db, caller, request), [mark], periodOf(request))
    ).filter((row) => !reasons || (row.reasonId !== null && reasons.includes(row.reasonId)));
    const projects = new Map(
      (
        await run<{ id: number; name: string }>(
          db,
          'SELECT id, name FROM project WHERE id = ANY($1::bigint[])',
          [
            [...new Set(rows.flatMap((row) => row.projects))].filter(
              (id) => caller.projectIds?.includes(id) ?? true,
            ),
          ],
        )
      ).map((one) => [one.id, one.name]),
    );
    const money = ofMoney(mark);
    const stays = mark.startsWith('left_');
    return {
      figures: {
        rows: plain(rows.length),
        amount: money ? plain(sum(rows)) : null,
        days: stays ? plain(average(rows)) : null,
      },
      charts: {},
      rows: rows.map((row) => ({
        id: `${row.mark}.${row.id}`,
        code: row.code,
        client: row.client,
        day: row.day,
        staff: row.staff,
        projects: row.projects.flatMap((id) => projects.get(id) ?? []).join('、'),
        note: row.reason || row.note,
        amount: money ? row.value : null,
        days: stays ? row.value : null,
        drill: {
          code:
            row.contractId !== null
              ? `/publicResource/pr_contractSee/view/${row.contractId}`
              : row.client && `/yueshang/details?id=${row.clientId}`,
        },
      })),
      sums: money ? { amount: sum(rows) } : {},
    };
  },
});
