import { z } from 'zod';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { checkAttachable, fileValue } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import {
  endpoint,
  type Call,
  type RecordPrefix,
  type TodoKind,
} from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { CASE_SCOPE, NOT_DECOR, caseSight } from '../../../domain/after-sale/move-case.server.ts';
import type { StoredFile } from '../../../kernel/server/files/files.ts';
import { afterSale } from './case.contract.ts';
import { handlers, rowRules } from './case-actions.server.ts';
import { sayInCase } from './case-commands.server.ts';
import { caseDetail } from './case-detail.server.ts';
import { figuresEndpoint } from './case-figures.server.ts';
import { caseInvariants } from './case-invariants.server.ts';
import { lookUpEndpoints } from './case-look-up.server.ts';
import { noticeEffect, remindJob } from './case-notice.server.ts';

const ROOT = '/jinmao/web/afterSale';
const MENU = afterSale.menu;
const LIVE = 'after_sale_is_live(t.state)';
const ROUTE = '/afterSalesManage/am_orderdetails';

const bound: BoundResource = bindResource(afterSale, {
  table: 'after_sale',
  from: `after_sale t LEFT JOIN sales_order o ON o.id = t.order_id LEFT JOIN tenant mt ON mt.id = t.tenant_id
    LEFT JOIN project pj ON pj.id = t.project_id LEFT JOIN member m ON m.id = t.member_id LEFT JOIN refund r ON r.id = t.refund_id`,
  where: NOT_DECOR,
  columns: {
    orderCode: 'o.code',
    customer: `coalesce(nullif(m.name, ''), m.nickname)`,
    phone: 'm.phone',
    merchant: { id: 't.tenant_id', title: 'mt.name' },
    project: { id: 't.project_id', title: 'pj.name' },
    // Sorted keys are never null; `present` makes nothing of those nobody waits for.
    deadline: 't.due_key',
    applicant: `CASE WHEN t.applicant_type = 2 THEN t.applicant_name END`,
    refundState: 'r.state',
    refundedAt: 'r.succeeded_at',
    returnPhone: `t.return_address->>'phone'`,
  },
  scope: CASE_SCOPE,
  search: 't.search',
  searchExact: ['o.code', 'm.name', 'm.nickname', 'm.phone', 't.back_tracking'],
  tabs: {
    applied: () => `(t.state = 'applied' AND NOT t.escalated)`,
    refunding: () => `(t.state IN ('received', 'refunding') AND r.state IS DISTINCT FROM 'failed')`,
    failed: () => `(t.state = 'refunding' AND r.state = 'failed')`,
    platform: () => `(t.escalated AND ${LIVE})`,
    closed: () => `t.state IN ('refused', 'withdrawn')`,
  },
  extra: { final: 't.final', sentAt: 't.send_at', refundId: 't.refund_id', orderId: 't.order_id' },
  ruleReads: ['type', 'escalated', 'final', 'refundState', 'sentAt'],
  rowRules,
  handlers,
  present: async (rows) => {
    for (const row of rows)
      if (row.deadline instanceof Date && row.deadline.getUTCFullYear() > 2100) row.deadline = null;
  },
  detail: caseDetail,
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/ofOrder`,
      title: ['订单的最近售后单', 'Latest case of an order'],
      access: { code: MENU },
      query: z.strictObject({ orderId: z.string().regex(/^\d{1,15}$/) }),
      handle: async ({ caller, platform, query }) => {
        const parameters = new Parameters();
        const order = parameters.bind(Number(query.orderId));
        const row = await runOne<{ id: number }>(
          platform.database.db,
          `SELECT t.id FROM after_sale t WHERE t.order_id = ${order} AND ${NOT_DECOR} AND ${scopeCondition(caller, MENU, CASE_SCOPE, parameters)}
            ORDER BY t.id DESC LIMIT 1`,
          parameters.values,
        );
        if (!row) throw notFound(['该订单没有售后单', 'The order has no case']);
        return { id: String(row.id) };
      },
    }),
    figuresEndpoint,
    ...lookUpEndpoints(() => bound),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/files`,
      title: ['售后凭证', 'Evidence of a case'],
      access: { code: MENU },
      handle: async (call) => filesOf(call),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:id/message`,
      title: ['售后留言', 'Write in the conversation'],
      access: { anyOf: ['btn_agree', 'btn_refuse', 'btn_decide', 'btn_add'].map((one) => `${MENU}:${one}`) },
      body: z.strictObject({
        body: z.string().max(500),
        images: z.array(z.uuid()).max(9).default([]),
      }),
      handle: async (call) => {
        const { caller, platform, facts, body } = call;
        const id = idOf(call.params.id);
        await bound.find(call, id);
        await transaction(platform.database.db, async (tx) => {
          await checkAttachable(tx, caller, 'images', body.images);
          await sayInCase(tx, platform, {
            caseId: id,
            side: caller.tenantKind === 2 ? 'merchant' : 'platform',
            staffId: caller.staffId,
            who: caller.name,
            ...body,
          });
          await writeAudit(tx, {
            caller,
            facts,
            menu: MENU,
            action: 'message',
            entity: afterSale.name,
            entityId: id,
            after: body,
          });
        });
        return { sent: true };
      },
    }),
  ],
  also: {
    effects: [noticeEffect],
    sights: [caseSight],
    invariants: caseInvariants,
    todos: [toHandle()],
    prefixes: [casePrefix()],
    jobs: [
      dueJob(() => bound, {
        name: 'after_sale.audit_due',
        title: ['售后超时未审核', 'Cases nobody answered in time'],
        cron: '* * * * *',
        action: 'auditDue',
        when: `t.deadline <= now() AND NOT t.escalated
          AND (t.type <> 'refund_only' OR NOT EXISTS (SELECT FROM refund x WHERE x.order_id = t.order_id AND x.state IN ('reviewing', 'refunding', 'failed')))`,
      }),
      dueJob(() => bound, {
        name: 'after_sale.return_due',
        title: ['售后超时未寄回', 'Cases nothing was sent back for'],
        cron: '* * * * *',
        action: 'returnDue',
        when: 't.deadline <= now()',
      }),
      dueJob(() => bound, {
        name: 'after_sale.receive_due',
        title: ['售后超时未收货', 'Returned parcels nobody received'],
        cron: '* * * * *',
        action: 'receiveDue',
        when: 't.deadline <= now()',
      }),
      dueJob(() => bound, {
        name: 'after_sale.refund_due',
        title: ['售后待发起退款', 'Cases that wait for another refund'],
        cron: '* * * * *',
        action: 'refundDue',
        when: `t.type = 'return_refund' AND NOT EXISTS (SELECT FROM refund x WHERE x.order_id = t.order_id AND x.state IN ('reviewing', 'refunding', 'failed'))`,
      }),
      dueJob(() => bound, {
        name: 'after_sale.sign_due',
        title: ['换货自动签收', 'Exchanges received by themselves'],
        cron: '*/10 * * * *',
        action: 'signDue',
        when: `t.type = 'exchange' AND t.send_at IS NOT NULL AND t.deadline <= now()`,
      }),
      remindJob,
    ],
  },
});

/** After-sales cases. */
export const registration = bound.registration;

/** Cases that wait for an answer or a receipt; overdue behind their deadline. */
function toHandle(): TodoKind {
  return {
    kind: 'after_sale',
    label: ['售后待处理', 'After-sales to handle'],
    menu: MENU,
    route: '/afterSalesManage/am_orderlist?state=applied,returned',
    order: 22,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.applied_at) AS oldest, count(*) FILTER (WHERE t.deadline < now()) AS overdue
           FROM after_sale t WHERE t.state IN ('applied', 'returned') AND ${NOT_DECOR} AND ${scopeCondition(caller, MENU, CASE_SCOPE, parameters)}`,
        parameters.values,
      );
      return row!;
    },
  };
}

/** AS numbers of the palette: whole, or the last six digits and more. */
function casePrefix(): RecordPrefix {
  return {
    prefix: 'AS',
    menu: MENU,
    label: ['售后单', 'After-sales case'],
    find: async ({ caller, platform }, number) => {
      const digits = number.replace(/\D/g, '');
      if (digits.length < 6) return [];
      const parameters = new Parameters();
      const match = /^\d{14,}$/.test(digits)
        ? `t.code = ${parameters.bind(`AS${digits}`)}`
        : `t.code LIKE ${parameters.bind(`%${digits}`)}`;
      const rows = await run<{ id: number; code: string; title: string }>(
        platform.database.db,
        `SELECT t.id, t.code, t.product_name AS title FROM after_sale t WHERE ${match} AND ${NOT_DECOR}
            AND ${scopeCondition(caller, MENU, CASE_SCOPE, parameters)} ORDER BY t.id DESC LIMIT 8`,
        parameters.values,
      );
      return rows.map((row) => ({ code: row.code, title: row.title, route: `${ROUTE}?id=${row.id}` }));
    },
  };
}

/** Pictures and videos of a case with addresses that live for ten minutes; who sees the case sees them. */
async function filesOf(call: Call) {
  const id = idOf(call.params.id);
  await bound.find(call, id);
  const { db } = call.platform.database;
  const row = (await runOne<Record<string, string[]>>(
    db,
    `SELECT evidence, refuse_evidence AS refused, inspection_photos AS inspected, CASE WHEN video_id IS NULL THEN '{}'::uuid[] ELSE ARRAY[video_id] END AS video,
            ARRAY(SELECT i FROM after_sale_message x, unnest(x.images) i WHERE x.after_sale_id = $1) AS said
       FROM after_sale WHERE id = $1`,
    [id],
  ))!;
  const files = await run<StoredFile>(
    db,
    'SELECT id, name, type, size, access FROM stored_file WHERE id = ANY($1::uuid[])',
    [Object.values(row).flat()],
  );
  const shown = new Map(files.map((file) => [file.id, fileValue(call.platform, call.caller, file)]));
  return Object.fromEntries(
    Object.entries(row).map(([name, ids]) => [name, ids.flatMap((one) => shown.get(one) ?? [])]),
  );
}
