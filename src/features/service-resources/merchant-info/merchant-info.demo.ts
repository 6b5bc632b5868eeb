import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { CHANGE_KINDS } from './merchant-change.contract.ts';
import { CHANGE } from './merchant-change.server.ts';

const DAY = 86_400_000;

/** Kind, before, after, what is written, reason, state, opinion, days ago. */
const CHANGES: readonly (readonly [
  keyof typeof CHANGE_KINDS,
  string,
  string,
  object,
  string,
  string,
  string,
  number,
])[] = [
  [
    'certificate',
    saidTwice(['食品经营许可 · 长期', 'Food licence · Long term']),
    saidTwice([
      '食品经营许可 · JY13101150012345 · 2028-12-31',
      'Food licence · JY13101150012345 · 2028-12-31',
    ]),
    { type: 'food', number: 'JY13101150012345', validTo: '2028-12-31', longTerm: false, files: [] },
    '食品经营许可已换证',
    'in_review',
    '',
    1,
  ],
  [
    'licence',
    '世纪大道 1 号',
    '张杨路 828 号 2 层',
    { address: '张杨路 828 号 2 层' },
    '门店搬迁，执照地址已变更',
    'in_review',
    '',
    2,
  ],
  ['contact', '王* · 138****0021', '陈** · 139****7788', {}, '店长更换', 'approved', '已电话核实', 20],
  ['legal', '李*', '周*', {}, '股权转让', 'rejected', '请补充工商变更通知书', 35],
  ['licence', '老街小馆', '老街小馆（浦东店）', {}, '品牌名称调整', 'withdrawn', '', 50],
];

/** Changes merchants asked for, in every state. */
export const demo = defineDemo({
  key: 'merchantChanges',
  after: ['merchants'],
  run: async ({ tx, insert, tell, now, as, platform }) => {
    const author = as('mall1');
    const merchants = await run<{ id: number; name: string }>(
      tx,
      `SELECT id, name FROM tenant WHERE kind = 2 AND merchant_state = 'operating' ORDER BY id LIMIT 3`,
    );
    if (merchants.length === 0) return;
    for (const [index, [kind, before, after, proposed, reason, state, opinion, days]] of CHANGES.entries()) {
      const shop = merchants[index % merchants.length]!;
      const at = new Date(now.getTime() - days * DAY);
      const decided = new Date(at.getTime() + 5 * 3_600_000);
      const by = state === 'approved' || state === 'rejected' ? author.staffId : null;
      const [id] = await insert('merchant_change', [
        {
          code: await nextCode(tx, 'MC', at),
          tenant_id: shop.id,
          kind,
          before_text: before,
          after_text: after,
          proposed,
          reason,
          state,
          opinion,
          decided_by: by,
          decided_at: by === null ? null : decided,
          created_at: at,
          created_by: author.staffId,
          updated_at: state === 'in_review' ? at : decided,
          updated_by: author.staffId,
        },
      ]);
      const told = { entity: 'merchantChange', entityId: id! };
      await tell({
        ...told,
        caller: author,
        action: 'create',
        label: ['申请变更', 'Asked for'],
        to: 'in_review',
        at,
      });
      if (state === 'in_review')
        await submitApproval(tx, platform, {
          kind: CHANGE,
          bizId: id!,
          tenantId: author.tenantId,
          title: [
            `${CHANGE_KINDS[kind].label[0]}变更 ${shop.name}`,
            `${CHANGE_KINDS[kind].label[1]} of ${shop.name}`,
          ],
          summary: [{ label: ['变更后', 'After'], value: partsOfSaid(after) }],
          starterId: author.staffId,
          at,
        });
      else
        await tell({
          ...told,
          ...(by === null ? { caller: author } : {}),
          action: state,
          label: {
            approved: ['通过', 'Approved'],
            rejected: ['驳回', 'Rejected'],
            withdrawn: ['撤回', 'Withdrawn'],
          }[state] as [string, string],
          from: 'in_review',
          to: state,
          remark: opinion,
          at: decided,
        });
    }
  },
});
