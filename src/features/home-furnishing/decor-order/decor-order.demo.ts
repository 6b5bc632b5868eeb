import {
  issueDue,
  keepTrade,
  quoteUnder,
  reprice,
  startNodes,
  startWarranty,
  writeCheck,
  writeLines,
  writePlan,
  type DecorOrderRow,
} from '../../../domain/furnishing/decor-order.server.ts';
import { readVersion } from '../../../domain/furnishing/decor-version.server.ts';
import type { DueEvent } from '../../../domain/furnishing/decor-version.rules.ts';
import type { Room } from '../../../domain/furnishing/rooms.rules.ts';
import { payerOf } from '../../../domain/receivable/payer.server.ts';
import { confirmReceipt } from '../../../domain/receivable/receipt.server.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { decorOrder } from './decor-order.contract.ts';

const DAY = 86_400_000;
const STEPS = [
  'quoting',
  'deposit_due',
  'to_accept',
  'measuring',
  'designing',
  'signing',
  'to_start',
  'constructing',
  'accepting',
  'tail_due',
  'warranty',
] as const;
const ACTIONS = [
  'send',
  'depositPaid',
  'accept',
  'measure',
  'design',
  'sign',
  'start',
  'check',
  'acceptance',
  'settled',
] as const;

interface Model {
  readonly stage: (typeof STEPS)[number];
  /** Days since the quote. */
  readonly age: number;
  readonly options: number;
  readonly discount?: number;
  /** Nodes that passed of an order under way. */
  readonly nodes?: number;
  /** The progress payment is not paid. */
  readonly owes?: true;
  /** The node under way waits, or came back. */
  readonly node?: 'to_check' | 'failed';
}

const MODELS: readonly Model[] = [
  { stage: 'quoting', age: 2, options: 1 },
  { stage: 'quoting', age: 5, options: 2, discount: 100_000 },
  { stage: 'deposit_due', age: 1, options: 0 },
  { stage: 'to_accept', age: 1, options: 2 },
  { stage: 'measuring', age: 4, options: 1 },
  { stage: 'designing', age: 14, options: 2 },
  { stage: 'signing', age: 20, options: 1, discount: 200_000 },
  { stage: 'to_start', age: 24, options: 2 },
  { stage: 'constructing', age: 70, options: 2, nodes: 3, node: 'to_check' },
  { stage: 'constructing', age: 90, options: 1, nodes: 1, owes: true },
  { stage: 'constructing', age: 95, options: 2, nodes: 4, node: 'failed' },
  { stage: 'accepting', age: 130, options: 1, nodes: 99 },
  { stage: 'tail_due', age: 140, options: 2, nodes: 99 },
  { stage: 'warranty', age: 170, options: 1, nodes: 99 },
  { stage: 'warranty', age: 190, options: 2, nodes: 99, discount: 150_000 },
];

/** Decor orders in their stages, with what was paid, built and checked. */
export const demo = defineDemo({
  key: 'decorOrders',
  after: ['decorPackages', 'packageOrders'],
  run: async ({ tx, insert, tell, now, as }) => {
    const seller = as('mall1');
    const checker = as('centre1');
    const cashier = as('finance1');
    const homes = await run<{
      house: number;
      member: number;
      project: number;
      type: number;
      built: string;
      inner: string;
      rooms: readonly Room[];
      version: number;
      product: number;
      tenant: number;
      name: string;
    }>(
      tx,
      `SELECT DISTINCT ON (h.id) h.id AS house, x.member_id AS member, h.project_id AS project, y.id AS type, y.built_area::text AS built, y.inner_area::text AS inner, y.rooms,
              v.id AS version, p.id AS product, p.tenant_id AS tenant, m.name
         FROM house h JOIN household x ON x.house_id = h.id AND x.status = 'normal' AND x.identity = 'owner' JOIN member m ON m.id = x.member_id AND m.name <> ''
         JOIN house_type y ON y.id = h.house_type_id JOIN decor_price d ON d.house_type_id = y.id JOIN decor_version v ON v.id = d.version_id AND v.standing = 'live'
         JOIN product p ON p.id = v.product_id AND p.status = 'published' JOIN product_project pp ON pp.product_id = p.id AND pp.project_id = h.project_id
        ORDER BY h.id, (p.id + h.id) % 3, p.id LIMIT 60`,
    );
    const picture = await runOne<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE name = 'launch-1.png' LIMIT 1`,
    );
    if (homes.length === 0 || !picture) return;
    const photos = [picture.id, picture.id, picture.id];
    const today = businessDayOf(now);
    for (const [index, model] of MODELS.entries()) {
      const home = homes[(index * 3) % homes.length]!;
      const taken = await runOne(
        tx,
        `SELECT id FROM decor_order WHERE house_id = $1 AND product_id = $2 AND state <> 'closed'`,
        [home.house, home.product],
      );
      if (taken) continue;
      const version = (await readVersion(tx, home.version))!;
      const chosen = version.options.slice(0, model.options).map(({ code }) => ({ code, pieces: 1 }));
      const spec = { houseTypeId: home.type, built: home.built, inner: home.inner, rooms: home.rooms };
      const plain = quoteUnder(version, { ...spec, chosen })!;
      const options = plain.problem ? [] : chosen;
      const quote = quoteUnder(version, { ...spec, chosen: options })!;
      const discount = model.discount ?? 0;
      // Times of the steps, spread over the age of the order.
      const last = STEPS.indexOf(model.stage);
      const at = (step: number, hours = 0) =>
        new Date(
          Math.min(
            now.getTime() - 60_000,
            now.getTime() - model.age * DAY * (1 - (step / (last + 1)) ** 1.5) + hours * 3_600_000,
          ),
        );
      const madeAt = at(0);
      const payer = await payerOf(tx, { memberId: home.member });
      const code = await nextCode(tx, 'SO', madeAt);
      const [id] = await insert('decor_order', [
        {
          code,
          tenant_id: home.tenant,
          project_id: home.project,
          member_id: home.member,
          payer_id: payer,
          house_id: home.house,
          house_type_id: home.type,
          product_id: home.product,
          version_id: home.version,
          built_area: home.built,
          inner_area: home.inner,
          rooms: home.rooms,
          options,
          gross: quote.gross,
          discount,
          discount_reason: discount > 0 ? '小区团装优惠' : '',
          price: quote.gross - discount,
          quote_until: addDays(businessDayOf(madeAt), 15),
          created_at: madeAt,
          created_by: seller.staffId,
          updated_at: madeAt,
          updated_by: seller.staffId,
        },
      ]);
      const order = async () =>
        (await runOne<DecorOrderRow>(tx, 'SELECT * FROM decor_order WHERE id = $1', [id]))!;
      const set = async (columns: Readonly<Record<string, unknown>>) => {
        const names = Object.keys(columns);
        await run(
          tx,
          `UPDATE decor_order SET ${names.map((name, n) => `${name} = $${n + 2}`).join(', ')} WHERE id = $1`,
          [id, ...Object.values(columns)],
        );
      };
      const issue = async (event: DueEvent, step: number) => {
        await issueDue(tx, await order(), event, businessDayOf(at(step)), seller.staffId);
        await run(
          tx,
          `UPDATE receivable SET created_at = $2, updated_at = $2 WHERE source_kind = 'decor' AND source_id = $1 AND posted_on = $3::date`,
          [id, at(step), businessDayOf(at(step))],
        );
      };
      const pay = async (seq: number, step: number) => {
        const line = await runOne<{ id: number; principal: number }>(
          tx,
          `SELECT id, principal FROM receivable WHERE source_kind = 'decor' AND source_id = $1 AND period_no = $2 AND state = 'open'`,
          [id, seq],
        );
        if (!line) return;
        const paidAt = at(step, 2);
        const [receipt] = await insert('receipt', [
          {
            code: await nextCode(tx, 'RC', paidAt),
            payer_id: payer,
            project_id: home.project,
            method: index % 2 === 0 ? 'pos' : 'cash',
            amount: line.principal,
            received_on: businessDayOf(paidAt),
            payer_name: home.name,
            recorder_id: seller.staffId,
            created_at: paidAt,
            created_by: seller.staffId,
            updated_at: paidAt,
            updated_by: seller.staffId,
          },
        ]);
        await insert('receipt_allocation', [
          { receipt_id: receipt, receivable_id: line.id, amount: line.principal },
        ]);
        const done = await confirmReceipt(
          tx,
          { id: receipt!, payer_id: payer, method: 'pos', amount: line.principal },
          'principal_first',
          cashier.staffId,
        );
        await run(
          tx,
          `UPDATE receipt SET state = 'confirmed', confirmed_at = $2, confirmer_id = $3, allocated = $4, to_prepaid = $5 WHERE id = $1`,
          [receipt, at(step, 3), cashier.staffId, done.allocated, done.to_prepaid],
        );
        const trade = await keepTrade(tx, await order());
        if (seq === 1 && trade !== null) {
          await run(
            tx,
            'UPDATE sales_order SET created_at = $2, paid_at = $3, created_by = $4 WHERE id = $1',
            [trade, madeAt, paidAt, seller.staffId],
          );
          await run(
            tx,
            'UPDATE payment p SET created_at = $2, paid_at = $2, deadline = $2 FROM sales_order o WHERE o.id = $1 AND p.id = o.payment_id',
            [trade, paidAt],
          );
        }
      };
      await writeLines(tx, id!, version.name, quote.lines, discount);
      await writePlan(tx, id!, version, quote.gross - discount);
      const told = { entity: decorOrder.name, entityId: id!, caller: seller };
      await tell({
        ...told,
        action: 'create',
        label: decorOrder.actions!.create!.label,
        to: 'quoting',
        at: madeAt,
      });
      const check = (kind: 'measure' | 'design' | 'contract', step: number, note: string) =>
        writeCheck(tx, {
          orderId: id!,
          kind,
          files: photos.slice(0, kind === 'measure' ? 3 : 1),
          signature: kind === 'design' ? picture.id : null,
          note,
          staffId: seller.staffId,
          at: at(step),
        });
      for (let step = 1; step <= last; step += 1) {
        const state = STEPS[step]!;
        const when = at(step);
        if (state === 'deposit_due') {
          await issue('order', step);
          await set({ sent_at: when, deposit_until: new Date(when.getTime() + 2 * DAY) });
        }
        if (state === 'to_accept') {
          await pay(1, step);
          await set({ accept_until: new Date(when.getTime() + DAY) });
        }
        if (state === 'measuring') await set({ manager_id: seller.staffId, supervisor_id: checker.staffId });
        if (state === 'designing') {
          // A little more than the plan says.
          const built = (Number(home.built) + 0.36).toFixed(2);
          const wider = quoteUnder(version, { ...spec, built, chosen: options })!;
          const price = wider.gross - discount;
          await reprice(tx, await order(), price, businessDayOf(when));
          await writeLines(tx, id!, version.name, wider.lines, discount);
          await check('measure', step, `${built} / ${home.inner} m²`);
          await set({ built_area: built, gross: wider.gross, price, measured_on: businessDayOf(when) });
        }
        if (state === 'signing') {
          await check('design', step, '客户已确认');
          await set({ design_rounds: 1 });
        }
        if (state === 'to_start') {
          const from = addDays(businessDayOf(when), 5);
          await check('contract', step, `${from} – ${addDays(from, version.days - 1)}`);
          await set({ signed_at: when, planned_start: from, planned_end: addDays(from, version.days - 1) });
          await issue('signed', step);
        }
        if (state === 'constructing') {
          const from = businessDayOf(when);
          const end = addDays(from, version.days - 1);
          await startNodes(tx, await order(), from, end);
          await set({ started_on: from, planned_end: end });
          await issue('started', step);
          if (!model.owes) await pay(2, step);
          await buildNodes(from, when);
        }
        if (state === 'tail_due' || state === 'warranty') {
          if (state === 'tail_due') {
            await writeCheck(tx, {
              orderId: id!,
              kind: 'final',
              result: 'passed',
              signature: picture.id,
              staffId: seller.staffId,
              at: when,
            });
            await startWarranty(tx, await order(), businessDayOf(when));
            await set({ accepted_at: when, accept_rounds: 1 });
            await issue('accepted', step);
          } else await pay(version.plan.length, step);
        }
        const action = ACTIONS[step - 1]!;
        await set({ state, updated_at: when });
        await tell({
          ...told,
          action,
          label: decorOrder.actions![action]!.label,
          from: STEPS[step - 1]!,
          to: state,
          at: when,
        });
      }

      async function buildNodes(from: string, since: Date): Promise<void> {
        const nodes = await run<{ id: number; seq: number }>(
          tx,
          'SELECT id, seq FROM decor_node WHERE order_id = $1 ORDER BY seq',
          [id],
        );
        const until = last > STEPS.indexOf('constructing') ? at(STEPS.indexOf('accepting')) : now;
        const passed = Math.min(nodes.length, model.nodes ?? 0);
        const span = (until.getTime() - since.getTime()) / (passed + 1);
        for (const node of nodes.slice(0, passed)) {
          const done = new Date(since.getTime() + span * node.seq);
          await writeCheck(tx, {
            orderId: id!,
            kind: 'done',
            nodeId: node.id,
            files: photos.slice(0, 1),
            staffId: seller.staffId,
            at: done,
          });
          await writeCheck(tx, {
            orderId: id!,
            kind: 'node',
            nodeId: node.id,
            result: 'passed',
            files: photos.slice(0, 2),
            staffId: checker.staffId,
            at: done,
          });
          await run(
            tx,
            `UPDATE decor_node SET state = 'passed', done_by = $2, done_at = $4, checked_by = $3, finished_at = $4 WHERE id = $1`,
            [node.id, seller.staffId, checker.staffId, done],
          );
        }
        const next = nodes[passed];
        if (!next) return;
        const recent = new Date(now.getTime() - DAY);
        if (model.node)
          await writeCheck(tx, {
            orderId: id!,
            kind: 'done',
            nodeId: next.id,
            files: photos.slice(0, 1),
            staffId: seller.staffId,
            at: recent,
          });
        if (model.node === 'failed')
          await writeCheck(tx, {
            orderId: id!,
            kind: 'node',
            nodeId: next.id,
            result: 'failed',
            files: photos.slice(0, 2),
            note: '基层不平整，需返工找平',
            staffId: checker.staffId,
            at: recent,
          });
        await run(
          tx,
          `UPDATE decor_node SET state = $2, done_by = $3, done_at = CASE WHEN $3::bigint IS NULL THEN NULL ELSE $4::timestamptz END, checked_by = $5, rework_count = $6 WHERE id = $1`,
          [
            next.id,
            model.node ?? 'doing',
            model.node ? seller.staffId : null,
            recent,
            model.node === 'failed' ? checker.staffId : null,
            model.node === 'failed' ? 1 : 0,
          ],
        );
        if (from > today) throw new Error('works cannot begin after today');
      }
    }
  },
});
