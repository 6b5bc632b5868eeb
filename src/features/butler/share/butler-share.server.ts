import { z } from 'zod';
import { makeShare, recordVisit } from '../../../domain/butler/share.server.ts';
import { filteredProjects } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { NOW, fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { butlerShare, type ShareHours } from './butler-share.contract.ts';

const ROOT = '/jinmao/web/butlerShare';
/** What the programs behind the owners' and the butlers' app hold. */
const APP_SCOPE = 'member_event';
const id = z.string().regex(/^\d{1,15}$/);
const RESULTS =
  'FROM butler_performance p WHERE p.share_id = t.id AND p.way = 1 AND p.housekeeper_id IS NOT NULL';
const LIVE = 't.disabled_at IS NULL AND t.expires_at > now() AND k.left_at IS NULL';
const visits = (what: string) =>
  `(SELECT count(${what})::integer FROM butler_share_visit v WHERE v.share_id = t.id AND v.counted)`;

const bound: BoundResource = bindResource(butlerShare, {
  table: 'butler_share',
  from: 'butler_share t LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff s ON s.id = k.staff_id LEFT JOIN project j ON j.id = t.project_id LEFT JOIN product g ON g.id = t.product_id LEFT JOIN butler_reminder r ON r.id = t.reminder_id LEFT JOIN butler_task w ON w.id = t.task_id',
  columns: {
    butler: { id: 't.housekeeper_id', title: 's.name' },
    project: { id: 't.project_id', title: 'j.name' },
    product: { id: 't.product_id', title: 'g.name' },
    kind: 't.target_kind',
    target: 't.target_name',
    reminder: 'coalesce(r.title, w.title)',
    source: `(CASE WHEN t.reminder_id IS NOT NULL THEN 'reminder' WHEN t.task_id IS NOT NULL THEN 'task' ELSE 'own' END)`,
    visits: visits('*'),
    visitors: visits('DISTINCT v.visitor_key'),
    newVisitors: `(SELECT count(DISTINCT v.visitor_key)::integer FROM butler_share_visit v WHERE v.share_id = t.id AND v.counted
       AND NOT EXISTS (SELECT FROM butler_share_visit e WHERE e.visitor = v.visitor AND e.counted AND e.at < v.at AND e.share_id <> t.id))`,
    orders: `(SELECT count(DISTINCT p.order_id)::integer ${RESULTS})`,
    withOrders: `EXISTS (SELECT ${RESULTS})`,
    completed: `(SELECT count(DISTINCT p.order_id)::integer FROM butler_performance p JOIN sales_order o ON o.id = p.order_id
       WHERE p.share_id = t.id AND p.way = 1 AND p.housekeeper_id IS NOT NULL AND o.state = 'completed')`,
    amount: `(SELECT coalesce(sum(p.cash), 0)::bigint ${RESULTS})`,
    refunded: `(SELECT coalesce(sum(p.refunded), 0)::bigint ${RESULTS})`,
    conversion: `(SELECT CASE WHEN x.visitors > 0 THEN round(100.0 * x.buyers / x.visitors, 1)::text END
       FROM (SELECT ${visits('DISTINCT v.visitor_key')} AS visitors, (SELECT count(DISTINCT p.member_id) ${RESULTS}) AS buyers) x)`,
    standing: `(CASE WHEN ${LIVE} THEN 'live' ELSE 'expired' END)`,
  },
  filters: {
    project: (value, parameters, caller) =>
      `t.project_id = ANY(${parameters.bind(filteredProjects(caller, 'project', value))}::bigint[])`,
    withOrders: (value) => `${value === 'true' ? '' : 'NOT '}EXISTS (SELECT ${RESULTS})`,
  },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 'k.staff_id' },
  search: `lower(t.code || ' ' || t.target_name)`,
  ruleReads: ['standing'],
  rowRules: {
    disable: (row): Label | undefined =>
      row.standing === 'live' ? undefined : ['链接已失效', 'The link has ended already'],
  },
  sets: { disable: { disabled_at: NOW, disabled_reason: fromInput('reason') } },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/hours`,
      title: ['分享访问曲线', 'Visits of a link by hour'],
      access: { code: butlerShare.menu },
      handle: async (call): Promise<ShareHours> => {
        const share = idOf(call.params.id);
        await bound.find(call, share);
        const hours = await run<{ hour: string; visits: number }>(
          call.platform.database.db,
          `SELECT to_char(h AT TIME ZONE 'Asia/Shanghai', 'MM-DD HH24:00') AS hour, count(v.id)::int AS visits
             FROM (SELECT date_trunc('hour', min(v.at)) AS first, date_trunc('hour', max(v.at)) AS last FROM butler_share_visit v WHERE v.share_id = $1 AND v.counted) x
             CROSS JOIN LATERAL generate_series(x.first, least(x.last, x.first + interval '72 hours'), interval '1 hour') h
             LEFT JOIN butler_share_visit v ON v.share_id = $1 AND v.counted AND v.at >= h AND v.at < h + interval '1 hour' GROUP BY h ORDER BY h`,
          [share],
        );
        return { hours };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/share`,
      title: ['App 生成分享链接', 'A link for a butler, for the app'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        butlerId: id,
        projectId: id,
        productId: id,
        channel: z.enum(['link', 'poster', 'qr']),
        reminderId: id.optional(),
        taskId: id.optional(),
      }),
      handle: async ({ platform, body }) => {
        const made = await transaction(platform.database.db, (tx) =>
          makeShare(tx, {
            housekeeperId: Number(body.butlerId),
            projectId: Number(body.projectId),
            productId: Number(body.productId),
            channel: body.channel,
            reminderId: body.reminderId ? Number(body.reminderId) : null,
            taskId: body.taskId ? Number(body.taskId) : null,
          }),
        );
        platform.changed(butlerShare.name);
        return { code: made.code };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/visit`,
      title: ['App 上报分享访问', 'A visit to a link, told by the app'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        code: z.string().regex(/^[A-Za-z0-9]{10}$/),
        memberId: id.optional(),
        device: z.string().min(8).max(80).optional(),
        address: z.string().min(2).max(64),
        agent: z.string().max(400).default(''),
        source: z.enum(['link', 'poster', 'qr', 'chat', 'moments']).default('link'),
      }),
      handle: async ({ platform, body }) => {
        const answer = await transaction(platform.database.db, async (tx) => {
          if (body.memberId && !(await runOne(tx, 'SELECT 1 FROM member WHERE id = $1', [body.memberId])))
            throw notFound();
          return recordVisit(tx, {
            code: body.code,
            memberId: body.memberId ? Number(body.memberId) : null,
            ...(body.device && { device: body.device }),
            address: body.address,
            agent: body.agent,
            source: body.source,
          });
        });
        platform.changed(butlerShare.name);
        return { ...answer, productId: answer.productId === null ? null : String(answer.productId) };
      },
    }),
  ],
});

/** Links of butlers. */
export const registration = bound.registration;
