import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { clientOptions } from '../../../domain/commercial-client/client-options.server.ts';
import { seenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import { dictionaryOptions } from '../../../domain/dictionary/dictionary.server.ts';
import { occupy, requireHoldRoom } from '../../../domain/position/occupancy.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { contractsOfPosition } from './position-contracts.server.ts';
import { ordersOfPosition } from './position-orders.server.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { BOARD_MENU, position, POSITION_MENU } from './position.contract.ts';
import { nextPrice, type PriceWay } from './position.rules.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Positions lie in projects; merchants see none. */
export const SCOPE = residentScope('t.project_id', 't.created_by');
const LEASED: Label = ['点位已出租，不能维修/停用', 'Position is leased'];
const DISABLED: Label = ['点位已停用', 'The position is disabled'];

/** SQL of live rows of occupancies (`o`): not released, and holds whose time is not over. */
export const LIVE = `o.released_at IS NULL AND (o.expires_at IS NULL OR o.expires_at > now())`;

/** What the board's positions share. */
export const positionBinding = {
  table: 'position',
  // What has it today: of several kinds none overlap, so there is one at most.
  from: `position t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN biz_dict k ON k.id = t.type_id LEFT JOIN building b ON b.id = t.building_id
    LEFT JOIN LATERAL (SELECT o.kind, o.to_on, o.reason, coalesce(c.name, x.party_text) AS client, s.name AS holder FROM position_occupancy o
       LEFT JOIN client c ON c.id = o.client_id LEFT JOIN contract x ON x.id = o.contract_id LEFT JOIN staff s ON s.id = o.holder_id
      WHERE o.position_id = t.id AND ${LIVE} AND o.period @> ${TODAY} LIMIT 1) n ON true`,
  scope: SCOPE,
  joins: { building: 'building' },
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    type: { id: 't.type_id', title: 'k.name', titleEn: 'k.name_en' },
    building: { id: 't.building_id', title: 'b.name' },
    width: 't.width_mm',
    height: 't.height_mm',
    area: 't.area::text',
    size: `concat_ws(' · ', t.width_mm || '×' || t.height_mm || ' mm', trim_scale(t.area) || ' m²')`,
    photos: picturesOf('t.photo_ids'),
    plan: 't.plan_id',
    standing: `(CASE n.kind WHEN 'lease' THEN 'leased' WHEN 'repair' THEN 'repair' WHEN 'hold' THEN 'held' ELSE 'free' END)`,
    user: `(CASE n.kind WHEN 'hold' THEN n.holder WHEN 'lease' THEN n.client ELSE n.reason END)`,
    until: 'n.to_on',
    occupied: `(SELECT (100 * coalesce(sum(upper(x.days) - lower(x.days)), 0) / 365)::integer FROM (
        SELECT o.period * daterange(${TODAY} - 364, ${TODAY}, '[]') AS days FROM position_occupancy o
         WHERE o.position_id = t.id AND o.kind = 'lease' AND o.released_at IS NULL AND o.period && daterange(${TODAY} - 364, ${TODAY}, '[]')) x)`,
    freeIn: 'NULL::date',
  },
  writes: { photos: 'photo_ids', plan: 'plan_id', width: 'width_mm', height: 'height_mm' },
  search: `lower(t.code || ' ' || t.name || ' ' || t.location)`,
  unique: { position_code: ['该项目已有此编码', 'The project has a position of this code'] },
  present: async (rows, db) => showFiles(rows, db, 'plan'),
  usedBy: { position_occupancy: ['占用', 'occupancies'], position_price: false },
  filters: {
    freeIn: (value, parameters) => {
      const [low = '', high = ''] = value.split('~');
      const days = `daterange(${parameters.bind(low || null)}::date, ${parameters.bind(high || null)}::date, '[]')`;
      return `NOT EXISTS (SELECT FROM position_occupancy o WHERE o.position_id = t.id AND ${LIVE} AND o.period && ${days})`;
    },
  },
  extra: {
    letNow: `EXISTS (SELECT FROM position_occupancy o WHERE o.position_id = t.id AND o.kind = 'lease' AND o.released_at IS NULL AND o.to_on >= ${TODAY})`,
  },
  ruleReads: ['enabled', 'letNow'],
  rowRules: {
    hold: (row) => (row.enabled ? undefined : DISABLED),
    disable: (row) => (row.letNow ? LEASED : row.enabled ? undefined : ['已停用', 'It is disabled already']),
  },
  detail: async (db, id, row, caller) => ({
    ...(await contractsOfPosition(db, id, row, caller)),
    orders: await ordersOfPosition(db, id, caller),
  }),
  before: [check],
  after: [
    async ({ action, tx, row, caller }, id) => {
      if (action !== 'create' && action !== 'update') return [];
      const now = (await runOne<{ list: number; floor: number }>(
        tx,
        'SELECT list_price AS list, floor_price AS floor FROM position WHERE id = $1',
        [id],
      ))!;
      if (action === 'create' || now.list !== Number(row.list_price) || now.floor !== Number(row.floor_price))
        await recordPrice(tx, id, now.list, now.floor, staffIdOf(caller));
      return [];
    },
  ],
  handlers: {
    hold,
    repair: async ({ tx, id, input, caller }) => {
      await requireDays(tx, input, true);
      await occupy(tx, {
        positionId: id,
        kind: 'repair',
        from: String(input.from),
        to: String(input.to),
        reason: String(input.reason),
        by: staffIdOf(caller),
      });
      return { remark: `${String(input.from)} – ${String(input.to)} · ${String(input.reason)}` };
    },
    price: async ({ tx, id, row, input, caller }) => {
      const old = Number(row.list_price);
      const next = nextPrice(
        old,
        input.way as PriceWay,
        Number(input.percent ?? 0),
        Number(input.amount ?? 0),
      );
      if (next < Number(row.floor_price) || next < 1) throw ruleBroken(['低于底价', 'Below the floor price']);
      if (next === old) throw ruleBroken(['价格没有变化', 'The price stays as it is']);
      await recordPrice(tx, id, next, Number(row.floor_price), staffIdOf(caller));
      return { set: { list_price: next } };
    },
  },
} satisfies Binding<string>;

/** Positions. */
export const registration = bindResource(position, {
  ...positionBinding,
  also: {
    options: [
      dictionaryOptions({ catalogue: 'business', dictionary: 'position_type' }),
      clientOptions('positionClient', [POSITION_MENU, BOARD_MENU]),
    ],
  },
}).registration;

/** Remembers what a position costs from now on. */
const recordPrice = (
  tx: ActionContext['tx'],
  id: number,
  list: number,
  floor: number,
  staffId: number | null,
) =>
  run(
    tx,
    'INSERT INTO position_price (position_id, list_price, floor_price, staff_id) VALUES ($1, $2, $3, $4)',
    [id, list, floor, staffId],
  );

async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns } = context;
  if (action === 'price') {
    const field = input.way === 'percent' ? 'percent' : 'amount';
    if (input[field] === undefined || input[field] === null)
      throw invalid({ [field]: ['此项必填', 'This field is required'] });
    if (input.way === 'set' && Number(input.amount) < 1)
      throw invalid({ amount: ['须大于 0', 'Must be above 0'] });
    return;
  }
  if (action !== 'create' && action !== 'update') return;
  if (input.project !== undefined) requireProjectsInReach(context.caller, [Number(input.project)]);
  for (const name of ['location', 'description']) if (columns[name] === null) columns[name] = '';
  if (columns.photo_ids === null) columns.photo_ids = [];
  const now = { ...row, ...columns };
  const problems: Record<string, Label> = {};
  if (Number(now.floor_price) > Number(now.list_price))
    problems.floorPrice = ['不能高于刊例价', 'Not above the list price'];
  if (((now.pin_x ?? null) === null) !== ((now.pin_y ?? null) === null))
    problems.pinY = ['横向与纵向位置须同时填写', 'Fill in both places of the pin'];
  if ((now.pin_x ?? null) !== null && (now.plan_id ?? null) === null)
    problems.plan = ['标注位置须有平面图', 'A pin needs a floor plan'];
  const elsewhere =
    now.building_id &&
    !(await runOne(context.tx, 'SELECT FROM building WHERE id = $1 AND project_id = $2', [
      now.building_id,
      now.project_id,
    ]));
  if (elsewhere) problems.building = ['楼栋不属于该项目', 'The building lies in another project'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (input.photos)
    await checkPictures(
      context,
      'photos',
      input.photos as string[],
      ((row?.photo_ids ?? []) as string[]).map(String),
    );
  if (input.plan) await checkPictures(context, 'plan', [String(input.plan)], [String(row?.plan_id ?? '')]);
}

/** Days of an occupation fit: in order, and not over. */
async function requireDays(
  tx: ActionContext['tx'],
  input: Readonly<Record<string, unknown>>,
  past: boolean,
): Promise<string> {
  const today = (await runOne<{ day: string }>(tx, `SELECT ${TODAY}::text AS day`))!.day;
  if (String(input.to) < String(input.from))
    throw invalid({ to: ['不能早于开始日期', 'Not before the first day'] });
  if (!past && String(input.from) < today) throw invalid({ from: ['不能早于今天', 'Not before today'] });
  if (past && String(input.to) < today) throw invalid({ to: ['不能早于今天', 'Not before today'] });
  return today;
}

/** Holds a position for some days until a day; limits are settings. */
export async function hold(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller, platform } = context;
  const today = await requireDays(tx, input, false);
  const until = String(input.until);
  const of = { projectId: Number(row.project_id) };
  const days = await platform.settings.numberIn(tx, 'position.hold_max_days', of);
  await requireUntil(tx, until, today, days);
  if (input.client !== undefined && input.client !== null) {
    const parameters = new Parameters();
    const seen = await runOne(
      tx,
      `SELECT 1 FROM client t WHERE t.id = ${parameters.bind(input.client)} AND ${seenClients(caller, parameters)}`,
      parameters.values,
    );
    if (!seen) throw invalid({ client: ['没有此客户', 'There is no such client'] });
  }
  const staffId = staffIdOf(caller)!;
  await requireHoldRoom(tx, staffId, await platform.settings.numberIn(tx, 'position.hold_max_per_staff', of));
  await occupy(tx, {
    positionId: id,
    kind: 'hold',
    from: String(input.from),
    to: String(input.to),
    reason: String(input.reason),
    holderId: staffId,
    clientId: (input.client as number | undefined) ?? null,
    expiresAt: new Date(`${until}T23:59:59+08:00`),
    by: staffId,
  });
  return { remark: `${String(input.from)} – ${String(input.to)} · ${String(input.reason)}` };
}

/** The day a hold ends lies between today and the longest a position is held. */
export async function requireUntil(
  tx: ActionContext['tx'],
  until: string,
  today: string,
  days: number,
): Promise<void> {
  if (until < today) throw invalid({ until: ['不能早于今天', 'Not before today'] });
  const last = (await runOne<{ day: string }>(tx, `SELECT ($1::date + $2::int)::text AS day`, [
    today,
    days,
  ]))!;
  if (until > last.day) throw invalid({ until: [`最多预留 ${days} 天`, `Held for ${days} days at most`] });
}
