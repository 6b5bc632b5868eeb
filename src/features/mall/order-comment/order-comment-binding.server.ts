import { ORDER_COMMENT } from '../../../domain/order-comment/rate-order.server.ts';
import { checkSensitive } from '../../../domain/sensitive-words/sensitive-words.server.ts';
import { SENSITIVE } from '../../../domain/content/content.rules.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import { isRefused, readIds } from '../../../kernel/server/resource/list-query.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';

/** How comments of orders stand in the database: of goods and of services under a menu of their own, with the products of a kind. */
export const commentsOf = (kind: 'goods' | 'service'): Binding => ({
  table: 'order_comment',
  entity: ORDER_COMMENT,
  from: `order_comment t LEFT JOIN sales_order o ON o.id = t.order_id LEFT JOIN tenant m ON m.id = t.tenant_id
    LEFT JOIN member b ON b.id = t.member_id LEFT JOIN service_person sp ON sp.id = t.person_id
    LEFT JOIN LATERAL (SELECT l.product_id, l.product_name FROM order_line l WHERE l.order_id = t.order_id ORDER BY l.line_no LIMIT 1) f ON true`,
  where: `o.kind = '${kind}'`,
  scope: { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' },
  joins: { repliedBy: { table: 'staff', column: 'replied_by' } },
  columns: {
    product: { id: 'f.product_id', title: 'f.product_name' },
    person: { id: 't.person_id', title: 'sp.name' },
    orderCode: 'o.code',
    merchant: { id: 't.tenant_id', title: 'm.name' },
    customer: `coalesce(nullif(b.name, ''), b.nickname)`,
    stars: 't.stars::text',
    images: 't.image_ids::text[]',
    content: `nullif(t.content, '')`,
    reply: `nullif(t.reply, '')`,
    hideReason: `nullif(t.hide_reason, '')`,
  },
  filters: {
    // An order may hold several products; the comment is of each.
    product: (value, parameters) => {
      const ids = readIds(value);
      return isRefused(ids)
        ? ids
        : `EXISTS (SELECT FROM order_line l WHERE l.order_id = t.order_id AND l.product_id = ANY(${parameters.bind(ids)}::bigint[]))`;
    },
  },
  sets: { hide: { hide_reason: fromInput('reason') }, show: { hide_reason: '' } },
  handlers: {
    reply: async ({ platform, input, caller }) => {
      const reply = String(input.reply).trim();
      const verdict = await checkSensitive(platform, reply);
      if (verdict.level === 'block') throw ruleBroken(SENSITIVE);
      return {
        set: {
          reply: verdict.level === 'replace' ? verdict.shown : reply,
          replied_by: caller.staffId,
          replied_at: new Date(),
        },
        remark: reply,
      };
    },
  },
  present: async (rows, db) => {
    const files = await filesById(
      db,
      rows.flatMap((row) => (row.images as string[] | undefined) ?? []),
    );
    for (const row of rows)
      if (row.images) row.images = (row.images as string[]).flatMap((id) => files.get(id) ?? []);
  },
});
