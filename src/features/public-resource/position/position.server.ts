import { seenClients } from '../../../domain/commercial-client/client-sight.server.ts';
import { dictionaryOptions } from '../../../domain/dictionary/dictionary.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { occupy, requireHoldRoom } from '../../../domain/position/occupancy.server.ts';
import { buildingOptions, residentScope } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import type { Job, OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { BOARD_MENU, position, POSITION_MENU } from './position.contract.ts';

/** SQL: today where the positions are. */
export const TODAY = `(now() AT TIME ZONE 'Asia/Shanghai')::date`;
/** Positions lie in projects; merchants see none. */
export const SCOPE = residentScope('t.project_id', 't.created_by');
const LEASED: Label = ['点位已出租，不能维修/停用', 'Position is leased'];
const DISABLED: Label = ['点位已停用', 'The position is disabled'];

/** SQL of live rows of occupancies (`o`): not released, and holds whose time is not over. */
export const LIVE = `o.released_at IS NULL AND (o.expires_at IS NULL OR o.expires_at > now())`;

const sight = listSight({ entity: position.name, menu: POSITION_MENU, table: 'position', scope: SCOPE });

/** What the board's positions share. */
export const positionBinding = {
  table: 'position',
  // What has it today: of several kinds none overlap, so there is one at most.
  from: `position t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN biz_dict k ON k.id = t.type_id LEFT JOIN building b ON b.id = t.building_id
    LEFT JOIN LATERAL (SELECT o.kind, o.to_on, o.reason, c.name AS client, s.name AS holder FROM position_occupancy o
       LEFT JOIN client c ON c.id = o.client_id LEFT JOIN staff s ON s.id = o.holder_id
      WHERE o.position_id = t.id AND ${LIVE} AND o.period @> ${TODAY} LIMIT 1) n ON true`,
  scope: SCOPE,
  joins: { building: 'building' },
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    type: { id: 't.type_id', title: 'k.name' },
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
    disable: (row) =>
      row.letNow ? LEASED : row.enabled ? undefined : ['已停用', 'It is disabled already'],
  },
  before: [check],
  after: [
    async ({ action, columns, tx, row, caller }, id) => {
      if (columns.list_price === undefined && columns.floor_price === undefined) return [];
      if (action !== 'create' && !pricesChange(row, columns)) return [];
      await run(
        tx,
        `INSERT INTO position_price (position_id, list_price, floor_price, staff_id) SELECT id, list_price, floor_price, $2 FROM position WHERE id = $1`,
        [id, staffIdOf(caller)],
      );
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
      const next = input.way === 'value' ? Number(input.value) : changed(old, Number(input.percent));
      if (next < Number(row.floor_price))
        throw ruleBroken(['低于底价', 'Below the floor price']);
      if (next === old) throw ruleBroken(['价格没有变化', 'The price stays as it is']);
      await run(
        tx,
        'INSERT INTO position_price (position_id, list_price, floor_price, staff_id) VALUES ($1, $2, $3, $4)',
        [id, next, row.floor_price, staffIdOf(caller)],
      );
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
      ...buildingOptions([POSITION_MENU]),
      clientsForHolds(),
    ],
    sights: [sight],
    jobs: [expireHolds()],
  },
}).registration;

const pricesChange = (row: Readonly<Record<string, unknown>> | undefined, columns: Record<string, unknown>) =>
  ['list_price', 'floor_price'].some(
    (name) => columns[name] !== undefined && Number(columns[name]) !== Number(row?.[name]),
  );

/** A price changed by some percent, in whole yuan, half up, one yuan at least. */
const changed = (fen: number, percent: number) =>
  Math.max(100, Math.round((fen * (100 + percent)) / 10_000) * 100);

async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns } = context;
  if (action === 'price') {
    const field = input.way === 'value' ? 'value' : 'percent';
    if (input[field] === undefined || input[field] === null)
      throw invalid({ [field]: ['此项必填', 'This field is required'] });
    return;
  }
  if (action !== 'create' && action !== 'update') return;
  for (const name of ['location', 'description']) if (columns[name] === null) columns[name] = '';
  const now = { ...row, ...columns };
  const problems: Record<string, Label> = {};
  if (Number(now.floor_price) > Number(now.list_price))
    problems.floorPrice = ['不能高于刊例价', 'Not above the list price'];
  if ((now.pin_x ?? null) === null !== ((now.pin_y ?? null) === null))
    problems.pinY = ['横向与纵向位置须同时填写', 'Fill in both places of the pin'];
  if ((now.pin_x ?? null) !== null && (now.plan_id ?? null) === null)
    problems.plan = ['标注位置须有平面图', 'A pin needs a floor plan'];
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
async function hold({ tx, id, input, caller, platform }: ActionContext): Promise<ActionResult> {
  const today = await requireDays(tx, input, false);
  const until = String(input.until);
  const days = await platform.settings.number('position.hold_max_days');
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
  await requireHoldRoom(tx, staffId, await platform.settings.number('position.hold_max_per_staff'));
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
  const last = (await runOne<{ day: string }>(tx, `SELECT ($1::date + $2::int)::text AS day`, [today, days]))!;
  if (until > last.day)
    throw invalid({ until: [`最多预留 ${days} 天`, `Held for ${days} days at most`] });
}

/** Clients a hold is for, as far as the caller sees them. */
function clientsForHolds(): OptionSource {
  return {
    target: 'positionClient',
    anyOf: [POSITION_MENU, BOARD_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const chosen =
        query.ids.length > 0
          ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `t.name ILIKE ${parameters.bind(containing(query.searchVal))}`;
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, t.code AS note FROM client t WHERE ${chosen} AND ${seenClients(caller, parameters)}
          ORDER BY t.name, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

/** Releases holds whose time is over and tells who held them; a day before they are warned. Source: group 17, position.holdExpiry. */
function expireHolds(): Job {
  return {
    name: 'position.holdExpiry',
    title: ['点位预留到期', 'Holds of positions that end'],
    cron: '*/5 * * * *',
    run: async (_payload, platform) => {
      const { db } = platform.database;
      const told = await transaction(db, async (tx) => {
        const over = await run<Held>(
          tx,
          `UPDATE position_occupancy o SET released_at = now(), release_reason = '到期', version = o.version + 1, updated_at = now()
             FROM position p WHERE p.id = o.position_id AND o.kind = 'hold' AND o.released_at IS NULL AND o.expires_at <= now()
           RETURNING o.position_id, p.code, o.holder_id`,
        );
        const soon = await run<Held>(
          tx,
          `UPDATE position_occupancy o SET warned_at = now() FROM position p
            WHERE p.id = o.position_id AND o.kind = 'hold' AND o.released_at IS NULL AND o.warned_at IS NULL AND o.expires_at <= now() + interval '1 day'
           RETURNING o.position_id, p.code, o.holder_id`,
        );
        for (const one of over)
          await tell(tx, one, [`点位 ${one.code} 的预留已到期`, `Your hold of position ${one.code} has ended`]);
        for (const one of soon)
          await tell(tx, one, [`点位 ${one.code} 的预留将在一天内到期`, `Your hold of position ${one.code} ends within a day`]);
        return over.length;
      });
      if (told > 0) platform.changed('position');
    },
  };
}

interface Held {
  readonly position_id: number;
  readonly code: string;
  readonly holder_id: number;
}

async function tell(tx: ActionContext['tx'], one: Held, title: Label): Promise<void> {
  await notify(tx, {
    kind: 'positionHold',
    staffIds: [Number(one.holder_id)],
    rows: { sight, ids: [Number(one.position_id)] },
    title,
    route: `/publicResource/positionDetails?id=${one.position_id}`,
  });
}
