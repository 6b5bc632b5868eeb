import { foldedText } from '../../../domain/sensitive-words/fold.rules.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { sensitiveWord } from './sensitive-word.contract.ts';

const DAY = 86_400_000;

type Entry = readonly [word: string, level: 'block' | 'review' | 'replace', exceptions?: readonly string[]];

const WORDS: Readonly<Record<string, readonly Entry[]>> = {
  contact: [
    ['加微信', 'review'],
    ['加VX', 'review'],
    ['加我QQ', 'review'],
    ['私信联系', 'review'],
    ['扫码进群', 'block'],
    ['手机号换号', 'review'],
  ],
  advert: [
    ['代开发票', 'block'],
    ['低价出售', 'review'],
    ['刷单', 'block'],
    ['兼职日结', 'block'],
    ['办证', 'block', ['办证大厅', '办证须知', '代办证照']],
    ['贷款秒批', 'block'],
    ['全网最低', 'review'],
    ['中介勿扰', 'review'],
    ['免费领取', 'review'],
    ['高价回收', 'review'],
    ['疏通下水道电话', 'review'],
  ],
  abuse: [
    ['傻子', 'replace'],
    ['混蛋', 'replace'],
    ['滚出去', 'replace'],
    ['不要脸', 'replace'],
    ['神经病', 'replace', ['神经病学']],
    ['垃圾物业', 'review'],
    ['骗子公司', 'review'],
  ],
  porn: [
    ['色情视频', 'block'],
    ['裸聊', 'block'],
    ['约炮', 'block'],
  ],
  politics: [
    ['非法集会', 'block'],
    ['煽动闹事', 'block'],
    ['聚众堵门', 'review'],
  ],
  custom: [
    ['集体拒缴', 'review'],
    ['开锁换锁', 'review'],
    ['群租房', 'review', ['整治群租房', '举报群租房']],
    ['高空抛物', 'review', ['禁止高空抛物', '杜绝高空抛物']],
  ],
};

/** The list a platform begins with, and where members ran into it. */
export const demo = defineDemo({
  key: 'sensitiveWords',
  run: async ({ tx, insert, tell, random, now, as }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const rows = Object.entries(WORDS).flatMap(([category, words]) =>
      words.map(([word, level, exceptions = []]) => ({ category, word, level, exceptions })),
    );
    const off = new Set(['中介勿扰', '免费领取']);
    const ids = await insert(
      'sensitive_word',
      rows.map((row, index) => ({
        ...row,
        normalised: foldedText(row.word),
        enabled: !off.has(row.word),
        version: off.has(row.word) ? 2 : 1,
        created_at: at(200 - index * 3),
        created_by: author.staffId,
        updated_at: at(off.has(row.word) ? 20 : 200 - index * 3),
        updated_by: author.staffId,
      })),
    );
    for (const [index, id] of ids.entries()) {
      const told = { entity: 'sensitiveWord', entityId: id, caller: author };
      await tell({
        ...told,
        action: 'create',
        label: sensitiveWord.actions!.create.label,
        at: at(200 - index * 3),
      });
      if (off.has(rows[index]!.word))
        await tell({ ...told, action: 'disable', label: sensitiveWord.actions!.disable.label, at: at(20) });
    }
    // Refused texts leave no row behind; those that wait or are shown come with posts and comments themselves.
    const blocking = rows.flatMap((row, index) => (row.level === 'block' ? [{ row, id: ids[index]! }] : []));
    const members = await tx.selectFrom('member').select('id').orderBy('id').limit(120).execute();
    const hits = Array.from({ length: 120 }, () => {
      const { row, id } = blocking[Math.floor(random.next() ** 2 * blocking.length)]!;
      return {
        word_id: id,
        word: row.word,
        target_type: random.chance(0.6) ? 'post' : 'comment',
        target_id: null,
        member_id: random.pick(members).id,
        action_taken: 'block',
        at: at(random.next() * 88),
      };
    });
    await insert(
      'sensitive_hit',
      hits.sort((a, b) => a.at.getTime() - b.at.getTime()),
    );
  },
});
