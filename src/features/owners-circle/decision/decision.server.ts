import {
  percentOf,
  reaches,
  shareText,
  sharesOf,
  verdictOf,
  type DecisionRules,
  type Weight,
} from '../../../domain/decision/decision.rules.ts';
import {
  enterPaper,
  fixRoll,
  tallyOf,
  tellOwners,
  type BallotChoice,
} from '../../../domain/decision/decision.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { decision, type DecisionStanding } from './decision.contract.ts';

const MENU = decision.menu;
const ROOT = '/jinmao/web/decision';
const DAY = 86_400_000;

/** Houses of the roll the form of a paper ballot was opened on. */
const rollHouses: OptionSource = {
  target: 'decisionRollHouse',
  anyOf: [`${MENU}:btn_paper`],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [
      placeCondition(caller, residentScope('d.project_id'), parameters),
      `d.state <> 'ended' AND NOT d.deleted`,
    ];
    if (query.ids.length > 0) parts.push(`r.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else {
      if (query.within && query.within.length > 0)
        parts.push(`d.id = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
      if (query.searchVal)
        parts.push(
          `replace(r.name, ' ', '') ILIKE ${parameters.bind(containing(query.searchVal.replaceAll(' ', '')))}`,
        );
    }
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT r.id, r.name AS title, d.title AS note FROM decision_house r JOIN decision d ON d.id = r.decision_id
        WHERE ${parts.join(' AND ')} ORDER BY d.id DESC, r.building, lpad(r.name, 60), r.id
        LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};

const bound: BoundResource = bindResource(decision, {
  table: 'decision',
  from: `decision t LEFT JOIN project p ON p.id = t.project_id`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    content: 'NULL::text',
    who: `'owners'`,
    attachments: picturesOf('t.attachments'),
    area: '(t.area / 100.0)::numeric(14, 2)',
    voted: `(SELECT count(*)::integer FROM ballot b WHERE b.decision_id = t.id AND b.state = 'live')`,
    turnout: `(SELECT count(*)::integer FROM ballot b WHERE b.decision_id = t.id AND b.state = 'live')`,
    rate: `(SELECT count(*)::integer FROM ballot b WHERE b.decision_id = t.id AND b.state = 'live' AND b.choice = 'agree')`,
    perHouse: 'greatest(round(1.0 / t.houses, 4), 0.0001)',
    why: `nullif(t.why, '')`,
  },
  writes: { content: 'content_html', who: false },
  codePrefix: 'DE',
  where: 'NOT t.deleted',
  scope: residentScope('t.project_id', 't.created_by'),
  search: `lower(t.code || ' ' || t.title)`,
  unique: {
    decision_running_title: [
      '该项目已有同名的决策在进行',
      'A decision of the same title is running in this project',
    ],
  },
  extra: {
    mayRemind: `(t.reminded_at IS NULL OR t.reminded_at <= now() - interval '24 hours')`,
    outcome: 't.result',
  },
  ruleReads: ['mayRemind', 'outcome'],
  rowRules: {
    remind: (row) =>
      row.mayRemind === true ? undefined : ['24 小时内已催办过', 'Reminded within the last 24 hours'],
    void: (row, caller) =>
      row.outcome === 'voided'
        ? ['已作废', 'It is void already']
        : caller.tenantKind === 3
          ? undefined
          : ['仅平台可作废', 'Only the platform may void it'],
  },
  before: [check],
  checks: {
    remove: ({ row }) => {
      if ((row.ends_at as Date) <= new Date()) throw ruleBroken(OVER);
    },
  },
  sets: { void: { result: 'voided', void_reason: fromInput('reason') }, remove: { deleted: true } },
  handlers: {
    paper,
    remind: async ({ tx, id }) => {
      const n = await tellOwners(tx, id, '业主决策待您投票', true);
      await run(tx, 'UPDATE decision SET reminded_at = clock_timestamp() WHERE id = $1', [id]);
      return { remark: `${n} 位业主 / owners`, result: { n } };
    },
    begin: async ({ tx, id }) => {
      await tellOwners(tx, id, '业主决策开始投票', false);
    },
    finish,
    nudge: async ({ tx, id }) => {
      const n = await tellOwners(tx, id, '业主决策待您投票', true);
      await run(
        tx,
        `UPDATE decision SET half_reminded = half_reminded OR now() >= starts_at + (ends_at - starts_at) / 2,
           last_reminded = last_reminded OR now() >= ends_at - interval '24 hours' WHERE id = $1`,
        [id],
      );
      return { remark: `${n} 位业主 / owners` };
    },
  },
  after: [
    async ({ tx, action, columns, input }, id) => {
      if (action === 'create') await fixRoll(tx, id, Number(columns.project_id));
      if (action === 'update' && Object.keys(input).length > 0) {
        const row = await runOne<{ state: string }>(tx, 'SELECT state FROM decision WHERE id = $1', [id]);
        if (row!.state === 'running') await tellOwners(tx, id, '业主决策内容有更新', false);
      }
      return [];
    },
  ],
  present: async (rows) => {
    for (const row of rows) {
      const houses = Number(row.houses);
      row.turnout = percentOf(Number(row.turnout), houses);
      row.rate = percentOf(Number(row.rate), houses);
    }
  },
  detail: async (db, id) => ({
    content: (await runOne<{ content_html: string }>(db, 'SELECT content_html FROM decision WHERE id = $1', [
      id,
    ]))!.content_html,
    standing: await standingOf(db, id),
  }),
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/sheet`,
      title: ['业主决策结果表', 'Result sheet of a decision'],
      access: { code: `${MENU}:btn_sheet` },
      handle: async (call) => {
        const id = idOf(call.params.id);
        const row = await bound.detail(call, id);
        const { db } = call.platform.database;
        return {
          decision: row,
          houses:
            row.secret === true
              ? []
              : await run<{ name: string; area: string; choice: BallotChoice | null; way: string | null }>(
                  db,
                  `SELECT r.name, (r.area / 100.0)::numeric(14, 2)::text AS area, b.choice, b.way FROM decision_house r
                     LEFT JOIN ballot b ON b.decision_id = r.decision_id AND b.house_id = r.house_id AND b.state = 'live'
                    WHERE r.decision_id = $1 ORDER BY r.building, r.name, r.id`,
                  [id],
                ),
        };
      },
    }),
  ],
  also: {
    options: [rollHouses],
    jobs: [
      dueJob(() => bound, {
        name: 'decision.start',
        title: ['业主决策开始', 'Decisions begin'],
        cron: '* * * * *',
        action: 'begin',
        when: 't.starts_at <= now() AND t.ends_at > now()',
      }),
      dueJob(() => bound, {
        name: 'decision.end',
        title: ['业主决策结束', 'Decisions end'],
        cron: '* * * * *',
        action: 'finish',
        when: 't.ends_at <= now()',
      }),
      dueJob(() => bound, {
        name: 'decision.remind',
        title: ['业主决策提醒', 'Owners who have not voted are reminded'],
        cron: '5 * * * *',
        action: 'nudge',
        when: `t.ends_at > now() AND ((NOT t.half_reminded AND now() >= t.starts_at + (t.ends_at - t.starts_at) / 2)
          OR (NOT t.last_reminded AND now() >= t.ends_at - interval '24 hours'))`,
      }),
    ],
  },
});

/** Decisions of owners. */
export const registration = bound.registration;

const OVER: Label = ['投票已结束', 'The vote is over'];

/** Times, files and, for a new one, the rules and the size of its roll. */
async function check({ tx, platform, action, caller, input, columns, row }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const now = (await runOne<{ now: Date }>(tx, 'SELECT clock_timestamp() AS now'))!.now;
  const given = (name: string, column: string) =>
    columns[column] === undefined ? (row[column] as Date) : new Date(columns[column] as string | Date);
  const [from, to] = [given('startsAt', 'starts_at'), given('endsAt', 'ends_at')];
  if (action === 'update') {
    const [oldFrom, oldTo] = [row.starts_at as Date, row.ends_at as Date];
    if (oldTo <= now) throw ruleBroken(OVER);
    if (from.getTime() !== oldFrom.getTime()) {
      if (oldFrom <= now) throw invalid({ startsAt: ['已开始，不能修改', 'It has begun and stays'] });
      if (from < now) throw invalid({ startsAt: ['不能早于现在', 'Not before now'] });
    }
    if (to < oldTo) throw invalid({ endsAt: ['只能延后', 'It can only be moved later'] });
  } else if (from.getTime() < now.getTime() - 60_000)
    throw invalid({ startsAt: ['不能早于现在', 'Not before now'] });
  const length = to.getTime() - from.getTime();
  if (length < DAY) throw invalid({ endsAt: ['至少晚于开始 1 天', 'At least a day after the start'] });
  if (length > 60 * DAY) throw invalid({ endsAt: ['最长 60 天', 'At most 60 days'] });
  const ids = (input.attachments ?? []) as readonly string[];
  await checkAttachable(
    tx,
    caller,
    'attachments',
    ids.filter((id) => !((row.attachments ?? []) as readonly string[]).includes(id)),
  );
  if (action === 'update') return;
  const projectId = Number(input.project);
  requireProjectsInReach(caller, [projectId]);
  const size = (await runOne<{ houses: number; area: number }>(
    tx,
    'SELECT count(*)::integer AS houses, coalesce(sum((built_area * 100)::bigint), 0)::float8 AS area FROM house WHERE project_id = $1 AND merged_into_id IS NULL',
    [projectId],
  ))!;
  if (size.houses === 0) throw invalid({ project: ['该项目没有房屋', 'The project has no houses'] });
  const rule = async (key: string) => {
    const text = await platform.settings.textIn(tx, key, { projectId });
    if (!sharesOf(text))
      throw ruleBroken([`参数 ${key} 不是有效的比例`, `The setting ${key} is no valid share`]);
    return text;
  };
  Object.assign(columns, size, {
    quorum: await rule('decision.quorum'),
    pass: await rule(input.kind === 'special' ? 'decision.pass.special' : 'decision.pass.ordinary'),
    base: await platform.settings.textIn(tx, 'decision.base', { projectId }),
  });
}

/** Enters the signed sheet of a house of this very roll. */
async function paper(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, caller } = context;
  const house = await runOne<{ house_id: number; name: string }>(
    tx,
    'SELECT house_id, name FROM decision_house WHERE id = $1 AND decision_id = $2',
    [input.house, id],
  );
  if (!house) throw invalid({ house: ['该房屋不在本决策名册中', 'The house is not on this roll'] });
  const proxyName = String(input.proxyName ?? '');
  const proxyDocument = String(input.proxyDocument ?? '');
  if ((proxyName === '') !== (proxyDocument === ''))
    throw invalid({
      [proxyName === '' ? 'proxyName' : 'proxyDocument']: [
        '委托投票须填写代理人和委托书',
        'A proxy needs both name and document',
      ],
    });
  const photo = (input.photo ?? []) as readonly string[];
  await checkPictures(context, 'photo', photo);
  await enterPaper(tx, {
    decisionId: id,
    houseId: house.house_id,
    choice: input.choice as BallotChoice,
    evidence: photo,
    proxyName,
    proxyDocument,
    staffId: caller.staffId,
  });
  return { remark: house.name, ...(context.row.secret === true && { unrecorded: ['choice', 'photo'] }) };
}

/** The result, once: from the ballots that count when the period is over. */
async function finish({ tx, id, row }: ActionContext): Promise<ActionResult> {
  const tally = await tallyOf(tx, id);
  const { passed, why } = verdictOf(tally, row as unknown as DecisionRules);
  await tellOwners(tx, id, passed ? '业主决策已通过' : '业主决策未通过', false);
  return {
    set: { result: passed ? 'passed' : 'failed', why, decided: JSON.stringify(tally) },
    remark: passed ? '通过' : why === 'quorum' ? '参与未达法定比例' : '同意未达法定比例',
  };
}

/** Where a decision stands against its rules. */
async function standingOf(db: Executor, id: number): Promise<DecisionStanding> {
  const tally = await tallyOf(db, id);
  const rules = (await runOne<{ quorum: string; pass: string; base: 'participating' | 'all' }>(
    db,
    'SELECT quorum, pass, base FROM decision WHERE id = $1',
    [id],
  ))!;
  const wire = (side: Weight) => ({ houses: side.houses, area: (side.area / 100).toFixed(2) });
  const bar = (key: 'quorum' | 'pass', part: Weight, whole: Weight) => {
    const shares = sharesOf(rules[key])!;
    return {
      key,
      houses: percentOf(part.houses, whole.houses),
      area: percentOf(part.area, whole.area),
      needHouses: shareText(shares.count),
      needArea: shareText(shares.area),
      lineHouses: (shares.count.over / shares.count.under) * 100,
      lineArea: (shares.area.over / shares.area.under) * 100,
      met: reaches(part.houses, whole.houses, shares.count) && reaches(part.area, whole.area, shares.area),
    };
  };
  return {
    sides: {
      all: wire(tally.all),
      participating: wire(tally.participating),
      agree: wire(tally.agree),
      disagree: wire(tally.disagree),
      abstain: wire(tally.abstain),
    },
    bars: [
      bar('quorum', tally.participating, tally.all),
      bar('pass', tally.agree, rules.base === 'all' ? tally.all : tally.participating),
    ],
    base: rules.base,
    days: await run(
      db,
      `SELECT h.day::text AS day, sum(count(*)) OVER (ORDER BY h.day)::integer AS voted FROM (
         SELECT (min(cast_at) AT TIME ZONE 'Asia/Shanghai')::date AS day FROM ballot
          WHERE decision_id = $1 AND state IN ('live', 'superseded') GROUP BY house_id) h GROUP BY h.day ORDER BY h.day`,
      [id],
    ),
    buildings: await run(
      db,
      `SELECT r.building AS name, count(*)::integer AS houses, count(b.id)::integer AS voted FROM decision_house r
         LEFT JOIN ballot b ON b.decision_id = r.decision_id AND b.house_id = r.house_id AND b.state = 'live'
        WHERE r.decision_id = $1 GROUP BY r.building ORDER BY r.building`,
      [id],
    ),
  };
}
