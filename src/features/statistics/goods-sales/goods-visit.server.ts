import { createHash } from 'node:crypto';
import { z } from 'zod';
import { visitedIn } from '../../../domain/sales-stat/goods-sales.server.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { goodsVisit, VISIT_KINDS } from './goods-sales.contract.ts';
import { SALE_COLUMNS, SALE_JOINS, saleFilters } from './sold-line.server.ts';

/** What the program behind the members' app holds. */
const APP_SCOPE = 'member_event';
const id = z.string().regex(/^\d{1,15}$/);
/** How far the app's clock may be ahead, and how old what it kept while offline may be. */
const AHEAD = 60_000;
const OLDEST = 7 * 86_400_000;

const { spec: _spec, type: _type, source: _source, promotion: _promotion, ...FILTERS } = saleFilters('s.id');
const { project, merchant, merchantKind, business, product, productName, ownClass } = SALE_COLUMNS;

const bound: BoundResource = bindResource(goodsVisit, {
  table: 'goods_visit',
  from: `goods_visit t JOIN goods_visit s ON s.id = t.id ${SALE_JOINS}`,
  scope: { tenant: 's.tenant_id', project: 's.project_id', owner: 'NULL::bigint' },
  extra: { version: '1' },
  columns: {
    project,
    merchant,
    merchantKind,
    business,
    product,
    productName,
    ownClass,
    class: SALE_COLUMNS.class,
    at: 's.at',
    kind: 's.kind',
    visitor: 'left(md5(s.visitor), 8)',
  },
  filters: { ...FILTERS, at: visitedIn },
  keyword: (value, parameters) => `p.search LIKE ${parameters.bind(containing(value.trim().toLowerCase()))}`,
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/goodsVisit/app/tell',
      title: ['App 上报商品访问', 'Looks at goods, told by the app'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        /** The app's own number: told again, it counts once. */
        eventId: z.string().min(1).max(64),
        kind: z.enum(Object.keys(VISIT_KINDS) as [keyof typeof VISIT_KINDS]),
        productId: id,
        projectId: id,
        memberId: id.optional(),
        /** What tells visitors without account apart. */
        device: z.string().min(8).max(200).optional(),
        at: z.iso.datetime({ offset: true }).optional(),
      }),
      handle: async ({ platform, body }) => {
        if (!body.memberId && !body.device)
          throw invalid({ device: ['会员与设备至少填写一项', 'Either a member or a device'] });
        const at = body.at ? new Date(body.at) : new Date();
        if (at.getTime() > Date.now() + AHEAD)
          throw invalid({ at: ['时间不能晚于现在', 'The time lies ahead'] });
        if (at.getTime() < Date.now() - OLDEST)
          throw invalid({ at: ['时间不能早于 7 天前', 'More than 7 days ago'] });
        const visitor = body.memberId
          ? `m:${body.memberId}`
          : `d:${createHash('sha256').update(body.device!).digest('hex').slice(0, 32)}`;
        const { db } = platform.database;
        const known = await runOne(
          db,
          `SELECT FROM product p, project j WHERE p.id = $1 AND p.kind = 'goods' AND p.purged_at IS NULL AND j.id = $2
              AND ($3::bigint IS NULL OR EXISTS (SELECT FROM member m WHERE m.id = $3))`,
          [body.productId, body.projectId, body.memberId ?? null],
        );
        if (!known) throw notFound();
        const fresh = await runOne(
          db,
          `INSERT INTO goods_visit (event_id, kind, product_id, tenant_id, project_id, member_id, visitor, at)
           SELECT $1, $2, p.id, p.tenant_id, $4, $5, $6, $7 FROM product p WHERE p.id = $3 ON CONFLICT (event_id) DO NOTHING RETURNING id`,
          [body.eventId, body.kind, body.productId, body.projectId, body.memberId ?? null, visitor, at],
        );
        return { accepted: fresh !== undefined };
      },
    }),
  ],
});

/** Looks behind the figures of goods sales. */
export const registration = bound.registration;
