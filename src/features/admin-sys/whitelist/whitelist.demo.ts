import { defineDemo } from '../../../kernel/server/demo.ts';
import { whitelist } from './whitelist.contract.ts';

const DAY = 86_400_000;

/** Rules that change nobody's sign-in: one switched off, one that has ended. */
export const demo = defineDemo({
  key: 'whitelist',
  run: async ({ base, insert, tell, now, as }) => {
    const author = as('mall1');
    const made = new Date(now.getTime() - 40 * DAY);
    const over = new Date(now.getTime() - 10 * DAY);
    const ids = await insert(
      'login_whitelist',
      [
        {
          staff_id: null,
          range: '10.20.0.0/16',
          purpose: 'allow',
          reason: '总部办公网，演练后停用',
          enabled: false,
          starts_at: null,
          expires_at: null,
          created_at: made,
          created_by: author.staffId,
          updated_at: over,
          updated_by: author.staffId,
        },
        {
          staff_id: base.staff.get('service1')!.id,
          range: '10.20.8.0/24',
          purpose: 'skip_code',
          reason: '客服值班室固定终端',
          enabled: true,
          starts_at: made,
          expires_at: over,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ].map((row) => ({ version: 1, ...row })),
    );
    for (const id of ids)
      await tell({
        entity: 'whitelist',
        entityId: id,
        caller: author,
        action: 'create',
        label: whitelist.actions!.create!.label,
        at: made,
      });
  },
});
