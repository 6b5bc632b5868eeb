import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { BOSS_PERMISSIONS } from '../../../domain/boss-account/boss-account.rules.ts';
import { bossAccount } from './boss-account.contract.ts';

const NAMES = [
  '陈海生',
  '林秀芳',
  '赵大勇',
  '孙晓梅',
  '周启明',
  '吴桂兰',
  '郑建军',
  '王小玲',
  '冯志强',
  '蒋丽华',
];
const ALL = Object.keys(BOSS_PERMISSIONS);

/** Owners and people of merchants, one locked and one disabled. */
export const demo = defineDemo({
  key: 'bossAccounts',
  run: async ({ tx, random, now, as, tell }) => {
    const author = as('mall1');
    const merchants = await run<{ id: number }>(
      tx,
      'SELECT id FROM tenant WHERE kind = 2 ORDER BY id LIMIT 8',
    );
    for (const [index, name] of NAMES.entries()) {
      const merchant = merchants[index % merchants.length];
      if (!merchant) return;
      const owner = index < merchants.length;
      const state = index === 8 ? 'locked' : index === 9 ? 'disabled' : 'normal';
      const at = new Date(now.getTime() - random.int(20, 90) * 86_400_000);
      const { id } = (await runOne<{ id: number }>(
        tx,
        `INSERT INTO boss_account (phone, name, state, locked_until, last_login_at, created_at, updated_at, created_by, updated_by)
         VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $7) RETURNING id`,
        [
          `1390001${String(1_000 + index * 37).slice(0, 4)}`,
          name,
          state,
          state === 'locked' ? new Date(now.getTime() + 20 * 60_000) : null,
          new Date(now.getTime() - random.int(1, 200) * 3_600_000),
          at,
          author.staffId,
        ],
      ))!;
      await run(
        tx,
        'INSERT INTO boss_link (boss_account_id, position, merchant_id, role, permissions) VALUES ($1, 1, $2, $3, $4)',
        [
          id,
          merchant.id,
          owner ? 'owner' : index === 8 ? 'finance' : 'clerk',
          owner ? ALL : ['take', 'ship', 'verify'],
        ],
      );
      // One owner looks after two shops.
      if (index === 0 && merchants.length > 3)
        await run(
          tx,
          `INSERT INTO boss_link (boss_account_id, position, merchant_id, role, permissions) VALUES ($1, 2, $2, 'manager', '{take,ship,goods}')`,
          [id, merchants[3]!.id],
        );
      if (state === 'normal')
        await run(
          tx,
          `INSERT INTO boss_session (boss_account_id, token_hash, device, opened_at) VALUES ($1, decode(md5($2) || md5($2 || 'x'), 'hex'), $3, $4)`,
          [id, `demo ${index}`, random.pick(['iPhone 15', 'HUAWEI Mate 60', 'Xiaomi 14']), at],
        );
      await tell({
        entity: bossAccount.name,
        entityId: id,
        caller: author,
        action: 'create',
        label: bossAccount.actions!.create.label,
        to: 'normal',
        at,
      });
    }
  },
});
