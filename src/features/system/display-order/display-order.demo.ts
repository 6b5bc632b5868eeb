import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import { displayOrderOf } from '../../../domain/display-order/display-order.server.ts';
import type { DisplayListCode } from '../../../domain/display-order/display-lists.rules.ts';
import { displayOrder } from './display-order.contract.ts';

const DAY = 86_400_000;

/** The default of two lists, and a project that shows what its residents ask for first. */
export const demo = defineDemo({
  key: 'displayOrder',
  after: ['business', 'productClass'],
  run: async (context) => {
    const [first] = context.base.projects;
    await arrange(context, 'notice_types', null, 75, (titles) =>
      [...titles].sort((a, b) => rank(a) - rank(b)),
    );
    await arrange(context, 'mall_class', null, 70, (titles) => titles);
    if (first)
      await arrange(context, 'notice_types', first.id, 12, (titles) => [...titles].reverse(), ['消防演习']);
  },
});

/** Notices people must act on come first. */
const rank = (title: string): number => ['停水通知', '停电通知', '高温预警'].indexOf(title) + 1 || 9;

async function arrange(
  { tx, platform, insert, tell, now, as }: DemoContext,
  list: DisplayListCode,
  projectId: number | null,
  days: number,
  order: (titles: readonly string[]) => readonly string[],
  hidden: readonly string[] = [],
): Promise<void> {
  const author = as('mall1');
  const at = new Date(now.getTime() - days * DAY);
  const items = await displayOrderOf(tx, platform, list, null);
  if (items.length === 0) return;
  const [id] = await insert('display_order', [
    {
      list_code: list,
      project_id: projectId,
      created_at: at,
      created_by: author.staffId,
      updated_at: at,
      updated_by: author.staffId,
    },
  ]);
  const placed = order(items.map((item) => item.title[0]));
  await insert(
    'display_order_item',
    items.map((item) => ({
      order_id: id,
      position: placed.indexOf(item.title[0]) + 1,
      item_type: item.type,
      item_id: item.id,
      title: item.title[0],
      shown: !hidden.includes(item.title[0]),
    })),
  );
  await tell({
    entity: 'displayOrder',
    entityId: id!,
    caller: author,
    action: 'create',
    label: displayOrder.actions!.create!.label,
    at,
  });
}
