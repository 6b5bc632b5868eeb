import { run } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { changeCopies } from '../../../domain/group-buy/activity.server.ts';
import { activityScope } from './group-making.server.ts';
import { groupProduct } from './group-making.contract.ts';

const ORDERS = `FROM group_buy_member x JOIN sales_order o ON o.id = x.order_id WHERE x.item_id = t.id AND o.paid_at IS NOT NULL`;

/** Specs of an activity with their copies. */
export const registration = bindResource(groupProduct, {
  table: 'group_buy_item',
  from: `group_buy_item t JOIN group_buy g ON g.id = t.group_buy_id LEFT JOIN product p ON p.id = t.product_id
    LEFT JOIN product_spec s ON s.id = t.spec_id`,
  scope: activityScope('g'),
  search: 'lower(p.name)',
  columns: {
    activity: { id: 't.group_buy_id', title: `g.code || ' ' || g.name` },
    picture: 'coalesce(s.image_id, p.logo_ids[1])',
    product: 'p.name',
    spec: 's.name',
    teams: '(SELECT count(*)::integer FROM group_buy_team x WHERE x.item_id = t.id)',
    refundRate: `(SELECT to_char(n.back * 100.0 / nullif(n.paid, 0), 'FM990.00') FROM (
      SELECT (SELECT count(*) ${ORDERS}) AS paid,
             (SELECT count(*) ${ORDERS} AND EXISTS (SELECT FROM refund r WHERE r.order_id = o.id AND r.state <> 'cancelled')) AS back) n)`,
  },
  extra: { activityState: 'g.state' },
  ruleReads: ['activityState'],
  rowRules: {
    addStock: (row) =>
      ['draft', 'rejected', 'published'].includes(String(row.activityState))
        ? undefined
        : ['活动已结束或审核中', 'The activity has ended or is in review'],
    remove: (row) =>
      ['draft', 'rejected'].includes(String(row.activityState))
        ? undefined
        : ['未发布的活动才能移除商品', 'Products are taken out of drafts only'],
  },
  handlers: {
    addStock: async ({ tx, id, row, input, caller }) => {
      const by = Number(input.by);
      if (by === 0) throw invalid({ by: ['不能为0', 'Not 0'] });
      const state = (
        await run<{ state: string }>(tx, 'SELECT state FROM group_buy WHERE id = $1 FOR NO KEY UPDATE', [
          row.group_buy_id,
        ])
      )[0]!.state;
      if (state === 'published')
        await changeCopies(tx, id, by, {
          changeKey: `${id}:${Number(row.version) + 1}`,
          reason: String(input.reason),
          staffId: caller.staffId,
        });
      else {
        if (Number(row.reserved) + by < 1) throw ruleBroken(['至少保留 1 份', 'At least one copy remains']);
        await run(
          tx,
          'UPDATE group_buy_item SET reserved = reserved + $2, remaining = remaining + $2 WHERE id = $1',
          [id, by],
        );
      }
      return { remark: `${by > 0 ? '+' : ''}${by} ${String(input.reason)}` };
    },
    remove: async ({ tx, id, row }) => {
      const others = await run(
        tx,
        'SELECT FROM group_buy_item WHERE group_buy_id = $1 AND id <> $2 LIMIT 1',
        [row.group_buy_id, id],
      );
      if (others.length === 0)
        throw ruleBroken(['活动至少保留一个规格', 'An activity has at least one spec']);
      await run(tx, 'DELETE FROM group_buy_item WHERE id = $1', [id]);
    },
  },
  present: (rows, db) => showFiles(rows, db, 'picture'),
}).registration;
