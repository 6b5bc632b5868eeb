import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { feeItemOptions } from '../../../domain/charging/fee-item-options.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { startTest } from '../../base-data/payee-account/payee-test-run.server.ts';
import { paymentWay, WAY_MENU } from './payment-way.contract.ts';

/** Ways of paying, by project. */
export const registration = bindResource(paymentWay, {
  table: 'payment_way',
  joins: { project: 'project', payee: { table: 'payee_account', column: 'payee_id', title: 'name' } },
  links: {
    items: { table: 'payment_way_item', own: 'way_id', other: 'fee_item_id', to: 'fee_item' },
  },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  unique: {
    payment_way_place_once: [
      '该项目、渠道、场景与收费项目已有支付方式',
      'The project has a way of this channel, scene and fee item',
    ],
  },
  usedBy: { payment_way_item: false, payment_way_place: false },
  before: [check],
  after: [keepPlaces],
  handlers: { add, disable, copyTo, test },
  also: { options: [payees(), feeItemOptions('wayFeeItem', [WAY_MENU])] },
}).registration;

const BANKED = ['pos', 'transfer', 'unionpay'];
const UNBANKED = ['cash', 'prepaid'];

/** An account fits a channel: its own, or a bank's. Throws 422 at its field. */
async function requireFit(tx: Tx, channel: string, payeeId: number | null, enabled: boolean): Promise<void> {
  if (UNBANKED.includes(channel)) {
    if (payeeId !== null)
      throw invalid({ payee: ['现金与预存不需要收款账户', 'Cash and prepaid take no account'] });
    return;
  }
  const account =
    payeeId === null
      ? undefined
      : await runOne<{ channel: string; state: string; purpose: string }>(
          tx,
          'SELECT channel, state, purpose FROM payee_account WHERE id = $1',
          [payeeId],
        );
  if (account) {
    const fits = BANKED.includes(channel) ? account.channel === 'bank' : account.channel === channel;
    if (!fits || account.purpose !== 'collect')
      throw invalid({ payee: ['收款账户与渠道不符', 'The account is of another channel'] });
  }
  if (enabled && account?.state !== 'active')
    throw ruleBroken(
      ['没有启用的收款账户，不能启用', 'There is no enabled payee account: it cannot be enabled'],
      { fields: { payee: ['须选择启用的收款账户', 'Choose an enabled account'] } },
    );
}

async function check({ tx, action, row, input, columns }: ActionContext): Promise<void> {
  if (action !== 'update' && action !== 'enable') return;
  const channel = String(row.channel);
  const payeeId = 'payee' in input ? (columns.payee_id as number | null) : (row.payee_id as number | null);
  await requireFit(tx, channel, payeeId ?? null, action === 'enable' || row.enabled === true);
  if (input.needsSlip === true && channel !== 'transfer')
    throw invalid({ needsSlip: ['仅银行转账需要凭证', 'Only transfers need a slip'] });
}

/** Keeps what a way stands for, so that no second one can. */
async function keepPlaces({ tx, action }: ActionContext, id: number) {
  if (action === 'update') await placeWay(tx, id);
  return [];
}

async function placeWay(tx: Tx, id: number): Promise<void> {
  await run(tx, 'DELETE FROM payment_way_place WHERE way_id = $1', [id]);
  await run(
    tx,
    `INSERT INTO payment_way_place (way_id, project_id, channel, scene, item_id)
     SELECT w.id, w.project_id, w.channel, w.scene, coalesce(i.fee_item_id, 0) FROM payment_way w LEFT JOIN payment_way_item i ON i.way_id = w.id WHERE w.id = $1`,
    [id],
  );
}

interface NewWay {
  readonly channel: string;
  readonly scene: string;
  readonly payeeId: number | null;
  readonly items: readonly number[];
  readonly feePpm: number;
  readonly needsSlip: boolean;
  readonly position: number;
  readonly enabled: boolean;
}

/** One way for a project, with its line in the timeline. */
async function insertWay({ tx, caller }: ActionContext, projectId: number, way: NewWay): Promise<number> {
  const made = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO payment_way (project_id, channel, scene, payee_id, fee_ppm, needs_slip, position, enabled, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) RETURNING id`,
    [
      projectId,
      way.channel,
      way.scene,
      way.payeeId,
      way.feePpm,
      way.needsSlip,
      way.position,
      way.enabled,
      caller.staffId,
    ],
  ))!;
  await run(tx, 'INSERT INTO payment_way_item (way_id, fee_item_id) SELECT $1, unnest($2::bigint[])', [
    made.id,
    way.items,
  ]);
  await placeWay(tx, made.id);
  await writeTimeline(tx, {
    entity: paymentWay.name,
    entityId: made.id,
    caller,
    action: 'add',
    label: paymentWay.actions!.add.label,
  });
  return made.id;
}

async function add(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller } = context;
  const projects = (input.projects as readonly (string | number)[]).map(Number);
  requireProjectsInReach(caller, projects);
  const channel = String(input.channel);
  const scene = String(input.scene);
  if (scene === 'app' && ['cash', 'pos'].includes(channel))
    throw invalid({ scene: ['现金与刷卡仅用于柜台', 'Cash and POS are for the counter'] });
  if (input.needsSlip === true && channel !== 'transfer')
    throw invalid({ needsSlip: ['仅银行转账需要凭证', 'Only transfers need a slip'] });
  const way: NewWay = {
    channel,
    scene,
    payeeId: input.payee ? Number(input.payee) : null,
    items: ((input.items ?? []) as readonly (string | number)[]).map(Number),
    feePpm: Number(input.feePpm ?? 0),
    needsSlip: input.needsSlip === true,
    position: Number(input.position),
    enabled: input.enabled === true,
  };
  await requireFit(tx, channel, way.payeeId, way.enabled);
  for (const project of projects) await insertWay(context, project, way);
  return { told: true, result: { made: projects.length } };
}

/** What a way of paying is stopped for: the last one of the app leaves unpaid bills that cannot be paid there. */
async function disable({ tx, id, row, input }: ActionContext): Promise<ActionResult> {
  if (row.scene === 'app' && input.sure !== true) {
    const others = await runOne<{ left: number; bills: number }>(
      tx,
      `SELECT (SELECT count(*)::int FROM payment_way w WHERE w.project_id = $1 AND w.scene = 'app' AND w.enabled AND w.id <> $2) AS left,
              (SELECT count(*)::int FROM bill b WHERE b.project_id = $1 AND b.state IN ('unpaid', 'part')) AS bills`,
      [row.project_id, id],
    );
    if (others!.left === 0)
      throw ruleBroken(
        [
          `这是该项目最后一种 App 支付方式，停用后 ${others!.bills} 张未缴账单无法线上缴纳，请勾选确认`,
          `This is the last way of the app in the project: ${others!.bills} open bills could not be paid there. Tick to confirm`,
        ],
        { fields: { sure: ['请勾选确认', 'Tick to confirm'] } },
      );
  }
  return { set: { enabled: false } };
}

async function copyTo(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller } = context;
  const projects = (input.projects as readonly (string | number)[]).map(Number);
  requireProjectsInReach(caller, projects);
  const items = (
    await run<{ id: number }>(tx, 'SELECT fee_item_id AS id FROM payment_way_item WHERE way_id = $1', [id])
  ).map((one) => one.id);
  const taken = new Set(
    (
      await run<{ id: number }>(
        tx,
        `SELECT DISTINCT project_id AS id FROM payment_way_place WHERE project_id = ANY($1::bigint[]) AND channel = $2 AND scene = $3 AND item_id = ANY($4::bigint[])`,
        [projects, row.channel, row.scene, items.length > 0 ? items : [0]],
      )
    ).map((one) => one.id),
  );
  const wanted = projects.filter((project) => !taken.has(project));
  for (const project of wanted)
    await insertWay(context, project, {
      channel: String(row.channel),
      scene: String(row.scene),
      payeeId: row.payee_id === null ? null : Number(row.payee_id),
      items,
      feePpm: Number(row.fee_ppm),
      needsSlip: row.needs_slip === true,
      position: Number(row.position),
      enabled: row.enabled === true,
    });
  return { told: true, result: { made: wanted.length, skipped: projects.length - wanted.length } };
}

/** A cent into the account of the way, as the account's own test does. */
async function test(context: ActionContext): Promise<ActionResult> {
  const { tx, row } = context;
  const account = row.payee_id
    ? await runOne<{ id: number; channel: string; state: string }>(
        tx,
        'SELECT id, channel, state FROM payee_account WHERE id = $1',
        [row.payee_id],
      )
    : undefined;
  if (!account || account.channel === 'bank')
    throw ruleBroken(['只有线上渠道可以测试', 'Only online channels can be tested']);
  return startTest({ ...context, id: account.id, row: { ...row, ...account } });
}

/** Enabled accounts that collect, of companies the caller works for. */
function payees(): OptionSource {
  return {
    target: 'wayPayee',
    anyOf: [WAY_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        `t.purpose = 'collect'`,
        placeCondition(caller, { tenant: 't.tenant_id', project: 'none' }, parameters),
        query.ids.length > 0
          ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `t.state = 'active' AND t.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`,
      ];
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, CASE t.channel WHEN 'alipay' THEN '支付宝' WHEN 'wechat' THEN '微信' ELSE '银行' END || ' ' || t.number_tail AS note
           FROM payee_account t WHERE ${parts.join(' AND ')} ORDER BY t.channel, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
