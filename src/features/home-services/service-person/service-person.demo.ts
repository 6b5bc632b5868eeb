import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { servicePerson } from './service-person.contract.ts';

const DAY = 86_400_000;
/** Name, sex, skills, certificate and days to its end, visits at a time, on. */
const PEOPLE: readonly (readonly [
  string,
  1 | 2,
  readonly string[],
  string,
  number | null,
  number,
  boolean,
])[] = [
  ['王秀英', 2, ['日常保洁', '深度保洁'], '健康证', 210, 1, true],
  ['李桂兰', 2, ['日常保洁', '收纳整理'], '健康证', 18, 1, true],
  ['张建国', 1, ['空调清洗', '家电维修'], '制冷作业证', 400, 1, true],
  ['刘志强', 1, ['家电维修', '水电维修'], '低压电工证', -6, 1, true],
  ['陈玉梅', 2, ['深度保洁', '玻璃清洗'], '健康证', 95, 2, true],
  ['杨海涛', 1, ['搬家', '家具安装'], '', null, 3, true],
  ['赵丽娟', 2, ['月嫂', '育儿'], '母婴护理证', 320, 1, true],
  ['孙国栋', 1, ['空调清洗', '油烟机清洗'], '高处作业证', 27, 1, true],
  ['周凤霞', 2, ['日常保洁'], '健康证', 150, 1, false],
  ['吴俊杰', 1, ['管道疏通', '水电维修'], '低压电工证', 600, 1, true],
  // A second one for the same work at the same merchant, whom a visit can be given to instead.
  ['何建军', 1, ['空调清洗', '家电维修'], '制冷作业证', 240, 1, true],
  ['钱志明', 1, ['家电维修', '油烟机清洗'], '低压电工证', 330, 1, true],
  ['冯玉兰', 2, ['日常保洁', '深度保洁'], '健康证', 260, 1, true],
];

/** People of the merchants that trade, with certificates of every state, hours and a leave. */
export const demo = defineDemo({
  key: 'servicePeople',
  run: async ({ tx, insert, tell, now, as }) => {
    const author = as('mall1');
    const merchants = await run<{ id: number; projects: number[] }>(
      tx,
      `SELECT t.id, array_agg(p.project_id ORDER BY p.project_id) AS projects FROM tenant t JOIN tenant_project p ON p.tenant_id = t.id
        WHERE t.kind = 2 AND t.merchant_state = 'operating' GROUP BY t.id ORDER BY t.id LIMIT 4`,
    );
    if (merchants.length === 0) return;
    const day = (days: number) => new Date(now.getTime() + days * DAY).toISOString().slice(0, 10);
    const ids = await insert(
      'service_person',
      PEOPLE.map(([name, sex, skills, , , parallel, enabled], index) => ({
        tenant_id: merchants[index % merchants.length]!.id,
        name,
        sex,
        phone: `1371${String(2_003_000 + index * 37).padStart(7, '0')}`,
        email: '',
        skills: [...skills],
        roster: [1, 2, 3, 4, 5, 6].map((weekday) => ({
          weekday,
          from: 8 * 60 + (index % 3) * 30,
          to: 18 * 60,
        })),
        parallel,
        activated: index % 4 !== 3,
        enabled,
        created_at: new Date(now.getTime() - (200 - index * 11) * DAY),
        created_by: author.staffId,
      })),
    );
    for (const [index, id] of ids.entries()) {
      const { projects } = merchants[index % merchants.length]!;
      await insert(
        'service_person_project',
        projects.slice(0, 4).map((project) => ({ person_id: id, project_id: project })),
      );
      const [, , , certificate, ends] = PEOPLE[index]!;
      if (certificate)
        await insert('service_person_certificate', [
          {
            person_id: id,
            name: certificate,
            number: `SH${2_026_000 + index}`,
            expires_on: ends === null ? null : day(ends),
            required: true,
            position: 0,
          },
        ]);
      await tell({
        entity: servicePerson.name,
        entityId: id,
        at: new Date(now.getTime() - (200 - index * 11) * DAY),
        caller: author,
        action: 'create',
        label: ['新增', 'Added'],
      });
    }
    await run(
      tx,
      `INSERT INTO service_stop (person_id, period, reason) VALUES ($1, tstzrange($2, $3), '家中有事'), ($4, tstzrange($5, $6), '年假')`,
      [
        ids[1],
        new Date(now.getTime() + 2 * DAY),
        new Date(now.getTime() + 4 * DAY),
        ids[4],
        new Date(now.getTime() + 9 * DAY),
        new Date(now.getTime() + 16 * DAY),
      ],
    );
  },
});
