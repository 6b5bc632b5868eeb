import { verdictOf } from '../../../domain/decision/decision.rules.ts';
import { fixRoll, tallyOf } from '../../../domain/decision/decision.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { decision } from './decision.contract.ts';

const DAY = 86_400_000;

interface Sample {
  readonly title: string;
  readonly kind: 'ordinary' | 'special';
  /** Days from now it begins and ends. */
  readonly from: number;
  readonly to: number;
  readonly secret?: true;
  readonly quorum?: string;
  /** Houses of ten that vote, and of those that agree. */
  readonly vote: number;
  readonly agree: number;
  readonly text: string;
}

const SAMPLES: readonly Sample[] = [
  {
    title: '续聘物业服务企业的表决',
    kind: 'ordinary',
    from: -6,
    to: 9,
    vote: 7,
    agree: 8,
    text: '<p>现物业服务合同将于年底到期，拟续聘三年，收费标准不变。请业主审阅附件后投票。</p>',
  },
  {
    title: '使用维修资金更换 2 台电梯',
    kind: 'special',
    from: -3,
    to: 12,
    vote: 4,
    agree: 9,
    text: '<p>电梯已使用 16 年，故障频发。预算 <strong>68 万元</strong>，从维修资金列支。</p>',
  },
  {
    title: '业主委员会换届选举办法',
    kind: 'ordinary',
    from: -40,
    to: -20,
    secret: true,
    quorum: '1/5 count and 1/5 area',
    vote: 9,
    agree: 8,
    text: '<p>按议事规则制定的换届选举办法，采用不记名投票。</p>',
  },
  {
    title: '南门改造为人行入口',
    kind: 'ordinary',
    from: -32,
    to: -12,
    vote: 3,
    agree: 6,
    text: '<p>为人车分流，拟将南门改为仅供行人通行。</p>',
  },
  {
    title: '公共区域广告收益分配方案',
    kind: 'ordinary',
    from: 3,
    to: 18,
    vote: 0,
    agree: 0,
    text: '<p>收益的 70% 补充维修资金，30% 用于社区活动。</p>',
  },
];

/** Decisions to come, running and ended, with owners of some houses having voted. */
export const demo = defineDemo({
  key: 'decision',
  after: ['advice'],
  run: async ({ tx, insert, tell, now, system }) => {
    const projects = await run<{ id: number; houses: number; area: number }>(
      tx,
      `SELECT h.project_id AS id, count(*)::integer AS houses, sum((h.built_area * 100)::bigint)::float8 AS area FROM house h
        GROUP BY h.project_id ORDER BY h.project_id LIMIT 3`,
    );
    if (projects.length === 0) return;
    for (const [index, sample] of SAMPLES.entries()) {
      const project = projects[index % projects.length]!;
      const at = (days: number) => new Date(now.getTime() + days * DAY);
      const made = at(Math.min(sample.from, -0.1) - 2);
      const rules = {
        quorum: sample.quorum ?? '2/3 count and 2/3 area',
        pass: sample.kind === 'special' ? '>=3/4 count and area' : '>1/2 count and area',
        base: 'participating' as const,
      };
      const [id] = await insert('decision', [
        {
          code: await nextCode(tx, 'DE', made),
          title: sample.title,
          project_id: project.id,
          kind: sample.kind,
          content_html: sample.text,
          starts_at: at(sample.from),
          ends_at: at(sample.to),
          secret: sample.secret === true,
          ...rules,
          houses: project.houses,
          area: project.area,
          state: sample.from > 0 ? 'pending' : 'running',
          created_at: made,
          updated_at: made,
        },
      ]);
      await fixRoll(tx, id!, project.id);
      const told = (days: Date, action: string, label: readonly [string, string], from: string, to: string) =>
        tell({
          entity: decision.name,
          entityId: id!,
          at: days,
          caller: system,
          action,
          label: [...label],
          ...(from && { from }),
          to,
        });
      await told(made, 'create', ['新增', 'Added'], '', 'pending');
      if (sample.from > 0) continue;
      await told(at(sample.from), 'begin', ['开始投票', 'Voting begins'], 'pending', 'running');
      await run(
        tx,
        `INSERT INTO ballot (decision_id, house_id, member_id, choice, way, state, cast_at, created_at, updated_at)
         SELECT $1, x.house_id, x.member_id, CASE WHEN (x.house_id * 7) % 10 < $3 THEN 'agree' WHEN x.house_id % 5 = 0 THEN 'abstain' ELSE 'disagree' END,
                'app', 'live', x.at, x.at, x.at
           FROM (SELECT r.house_id, min(hh.member_id) AS member_id, $4::timestamptz + (r.house_id % 50) * interval '1 hour' AS at
                   FROM decision_house r JOIN household hh ON hh.house_id = r.house_id AND hh.identity = 'owner' AND hh.status = 'normal'
                  WHERE r.decision_id = $1 AND (r.house_id * 3) % 10 < $2 GROUP BY r.house_id) x`,
        [id, sample.vote, sample.agree, at(sample.from)],
      );
      if (sample.to > 0) continue;
      const tally = await tallyOf(tx, id!);
      const { passed, why } = verdictOf(tally, rules);
      await run(
        tx,
        `UPDATE decision SET state = 'ended', result = $2, why = $3, decided = $4, half_reminded = true, last_reminded = true, updated_at = $5 WHERE id = $1`,
        [id, passed ? 'passed' : 'failed', why, JSON.stringify(tally), at(sample.to)],
      );
      await told(at(sample.to), 'finish', ['投票结束', 'Voting ends'], 'running', 'ended');
    }
  },
});
