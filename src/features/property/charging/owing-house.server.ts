import { z } from 'zod';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { owingHouse, type DunningPreview } from './dunning.contract.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

/** `purpose` of the SMS. */
const SMS = 'feeDunning';
const STANDARD = '您的房屋{房屋}有{笔数}笔费用逾期未缴，共{金额}元，请尽快缴纳。';
/** Hours messages are sent in, by the business's clock. Source: group 06, Dunning. */
const [FROM_HOUR, TO_HOUR] = [9, 20];
const OUT_OF_HOURS: Label = ['仅可在9:00–20:00发送催缴', 'Reminders are sent from 9:00 to 20:00'];

/** Overdue bills (`o`) of the house `t` that nobody disputes. */
const BILLS = `FROM bill o WHERE o.house_id = t.id AND o.state IN ('unpaid', 'part') AND o.due_date < ${TODAY} AND NOT o.disputed`;
const OWED = `(SELECT coalesce(sum(o.owed_principal + o.owed_late_fee), 0)::bigint ${BILLS})`;
const DAYS = `(SELECT ${TODAY} - min(o.due_date) ${BILLS})`;
const WEEK = `date_trunc('week', now() AT TIME ZONE 'Asia/Shanghai')::date`;
const PLACE = `(b.name || u.name || t.number)`;
const SCOPE = residentScope('t.project_id', 't.created_by');
/** Phones of the owners of the house `house`. */
const phonesOf = (house: string) =>
  `SELECT DISTINCT m.phone FROM household r JOIN member m ON m.id = r.member_id WHERE r.house_id = ${house} AND r.identity = 'owner' AND r.status = 'normal' AND m.phone <> ''`;

/** Houses that owe, and how they are reminded. */
export const registration = bindResource(owingHouse, {
  table: 'house',
  entity: 'owingHouse',
  from: `house t LEFT JOIN building_unit u ON u.id = t.unit_id LEFT JOIN building b ON b.id = u.building_id LEFT JOIN project p ON p.id = t.project_id`,
  where: `EXISTS (SELECT ${BILLS})`,
  columns: {
    place: PLACE,
    project: { id: 't.project_id', title: 'p.name' },
    building: { id: 'u.building_id', title: 'b.name' },
    debtor: `(SELECT o.debtor_name ${BILLS} ORDER BY o.due_date DESC, o.id DESC LIMIT 1)`,
    items: `(SELECT string_agg(DISTINCT i.name, '、') FROM fee_item i WHERE i.id IN (SELECT o.fee_item_id ${BILLS}))`,
    item: 'NULL::bigint',
    months: `(SELECT count(DISTINCT o.period_from)::integer ${BILLS})`,
    owed: OWED,
    days: DAYS,
    age: `(CASE WHEN ${DAYS} <= 30 THEN 'd30' WHEN ${DAYS} <= 60 THEN 'd60' WHEN ${DAYS} <= 90 THEN 'd90' WHEN ${DAYS} <= 180 THEN 'd180' ELSE 'more' END)`,
    week: `(SELECT count(*)::integer FROM dunning_record d WHERE d.house_id = t.id AND d.week = ${WEEK})`,
    lastAt: `(SELECT max(d.at) FROM dunning_record d WHERE d.house_id = t.id)`,
    promisedOn: `(SELECT d.promised_on FROM dunning_record d WHERE d.house_id = t.id AND d.promised_on IS NOT NULL ORDER BY d.id DESC LIMIT 1)`,
  },
  scope: SCOPE,
  filters: {
    item: (value, parameters) =>
      `EXISTS (SELECT ${BILLS} AND o.fee_item_id::text = ANY(${parameters.bind(value.split(','))}::text[]))`,
  },
  handlers: { sms, note },
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/owingHouse/preview',
      title: ['预览催缴', 'Preview of reminders'],
      access: { code: `${CHARGING_MENU}:btn_dun` },
      body: z.strictObject({
        ids: z
          .array(z.string().regex(/^\d{1,15}$/))
          .min(1)
          .max(200),
        template: z.string().max(200).optional(),
      }),
      handle: ({ caller, platform, body }) =>
        previewOf(platform, caller, body.ids.map(Number), body.template),
    }),
  ],
}).registration;

/** What {@link sms} would do to some houses now: the same text, the same limits, nothing sent. */
async function previewOf(
  platform: Platform,
  caller: Caller,
  ids: readonly number[],
  template: string | undefined,
): Promise<DunningPreview> {
  const values = new Parameters();
  const houses = await run<{
    project: number;
    place: string;
    bills: number;
    owed: number;
    sent: number;
    phones: number;
  }>(
    platform.database.db,
    `SELECT t.project_id AS project, ${PLACE} AS place, (SELECT count(*)::integer ${BILLS}) AS bills, ${OWED} AS owed,
            (SELECT count(*)::integer FROM dunning_record d WHERE d.house_id = t.id AND d.week = ${WEEK}) AS sent,
            (SELECT count(*)::integer FROM (${phonesOf('t.id')}) x) AS phones
       FROM house t JOIN building_unit u ON u.id = t.unit_id JOIN building b ON b.id = u.building_id
      WHERE t.id = ANY(${values.bind(ids)}::bigint[]) AND EXISTS (SELECT ${BILLS}) AND ${scopeCondition(caller, CHARGING_MENU, SCOPE, values)}
      ORDER BY array_position(${values.bind(ids)}::bigint[], t.id)`,
    values.values,
  );
  const most = new Map<number, number>();
  for (const projectId of new Set(houses.map((one) => one.project)))
    most.set(projectId, await platform.settings.number('fee.dun.per_week', { projectId }));
  const full = houses.filter((one) => one.sent >= most.get(one.project)!);
  const open = houses.filter((one) => !full.includes(one));
  const reached = open.filter((one) => one.phones > 0);
  const [first] = reached;
  return {
    houses: reached.length,
    messages: reached.reduce((sum, one) => sum + one.phones, 0),
    owed: yuanFromFen(reached.reduce((sum, one) => sum + one.owed, 0)),
    full: full.length,
    unreachable: open.length - reached.length,
    outOfHours: isOutOfHours() ? OUT_OF_HOURS : null,
    sample: first ? worded(template, first.place, first.bills, first.owed) : null,
  };
}

function isOutOfHours(): boolean {
  const hour = (new Date().getUTCHours() + 8) % 24;
  return hour < FROM_HOUR || hour >= TO_HOUR;
}

/** The text of a message, of the standard one where nothing was written. */
const worded = (template: unknown, place: string, bills: number, owed: number): string =>
  (String(template ?? '').trim() || STANDARD)
    .replaceAll('{房屋}', place)
    .replaceAll('{笔数}', String(bills))
    .replaceAll('{金额}', yuanFromFen(owed))
    .slice(0, 500);

interface Owing {
  readonly ids: number[];
  readonly owed: number;
  readonly place: string;
  readonly week: string;
}

/** What the locked house owes now. Throws 30101 where it was paid or disputed in between. */
async function owingOf(tx: Tx, houseId: number): Promise<Owing> {
  const found = await runOne<Owing>(
    tx,
    `SELECT ARRAY(SELECT o.id ${BILLS} ORDER BY o.id) AS ids, ${OWED} AS owed, ${PLACE} AS place, ${WEEK}::text AS week
       FROM house t JOIN building_unit u ON u.id = t.unit_id JOIN building b ON b.id = u.building_id WHERE t.id = $1`,
    [houseId],
  );
  if (!found || found.ids.length === 0)
    throw ruleBroken(['该房屋没有可催缴的欠费', 'The house has nothing that is overdue and undisputed']);
  return found;
}

/** Sends its owner a message: by day only, and so many times a week. The house is locked, the table holds the places. */
async function sms({ tx, platform, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const owing = await owingOf(tx, id);
  if (isOutOfHours()) throw ruleBroken(OUT_OF_HOURS);
  const projectId = Number(row.project_id);
  const most = await platform.settings.numberIn(tx, 'fee.dun.per_week', { projectId });
  const content = worded(input.template, owing.place, owing.ids.length, owing.owed);
  const { seat } = (await runOne<{ seat: number | null }>(
    tx,
    `SELECT min(s)::integer AS seat FROM generate_series(1, $3::integer) s WHERE NOT EXISTS (SELECT FROM dunning_record d WHERE d.house_id = $1 AND d.week = $2 AND d.seat = s)`,
    [id, owing.week, most],
  ))!;
  if (seat === null)
    throw ruleBroken([`每户每周最多催缴${most}次`, `A house is sent at most ${most} reminders a week`]);
  const sent = await run<{ id: number }>(
    tx,
    `INSERT INTO sms_message (phone, purpose, body, params)
     SELECT x.phone, $2::text, $3::text, jsonb_build_object('text', $3::text) FROM (${phonesOf('$1')}) x RETURNING id`,
    [id, SMS, content],
  );
  if (sent.length === 0) throw ruleBroken(['该房屋没有可联系的业主', 'No owner of the house can be reached']);
  await keep(tx, { id, projectId, channel: 'sms', owing, content, staffId: caller.staffId, seat, sms: sent });
  return { remark: content };
}

/** Notes what a call or a visit came to. */
async function note({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const promisedOn = (input.promisedOn as string | null | undefined) ?? null;
  if (promisedOn !== null && promisedOn < businessDayOf(new Date()))
    throw invalid({ promisedOn: ['不能早于今天', 'Not before today'] });
  const content = String(input.content);
  await keep(tx, {
    id,
    projectId: Number(row.project_id),
    channel: String(input.channel),
    owing: await owingOf(tx, id),
    content,
    promisedOn,
    staffId: caller.staffId,
  });
  return { remark: [content, promisedOn].filter(Boolean).join(' · ') };
}

async function keep(
  tx: Tx,
  record: {
    readonly id: number;
    readonly projectId: number;
    readonly channel: string;
    readonly owing: Owing;
    readonly content: string;
    readonly staffId: number;
    readonly promisedOn?: string | null;
    readonly seat?: number;
    readonly sms?: readonly { readonly id: number }[];
  },
): Promise<void> {
  await run(
    tx,
    `INSERT INTO dunning_record (project_id, house_id, channel, bill_ids, owed, content, promised_on, sms_ids, week, seat, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      record.projectId,
      record.id,
      record.channel,
      record.owing.ids,
      record.owing.owed,
      record.content,
      record.promisedOn ?? null,
      (record.sms ?? []).map((one) => one.id),
      record.seat === undefined ? null : record.owing.week,
      record.seat ?? null,
      record.staffId,
    ],
  );
}
