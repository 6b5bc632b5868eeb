import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { notice } from './notice.contract.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

interface Sample {
  readonly title: string;
  readonly type: string;
  readonly important?: true;
  readonly state: 'draft' | 'reviewing' | 'rejected' | 'scheduled' | 'published' | 'recalled' | 'expired';
  /** Days from now it was or will be published. */
  readonly days: number;
  /** Days from now it ends. */
  readonly until?: number;
  readonly pinned?: number;
  readonly projects: readonly number[];
  /** Only the first building of the first project. */
  readonly building?: true;
  readonly identities?: readonly number[];
  readonly confirm?: true;
  readonly text: string;
  readonly reason?: string;
}

const SAMPLES: readonly Sample[] = [
  {
    title: '11月25日 9:00–17:00 停水通知',
    type: '001',
    important: true,
    state: 'published',
    days: -0.6,
    until: 3,
    pinned: 2,
    projects: [0],
    confirm: true,
    text: '<p>因市政管网检修，<strong>11 月 25 日 9:00 至 17:00</strong> 停水，请提前储水，关闭水龙头与热水器。</p><p>恢复供水初期可能有少量浑浊，放水片刻即可。给您带来不便，敬请谅解。</p>',
  },
  {
    title: '1号楼低压配电检修停电通知',
    type: '002',
    important: true,
    state: 'published',
    days: -2.2,
    until: 1,
    projects: [0],
    building: true,
    text: '<p>供电公司将对 1 号楼低压配电柜检修，预计停电 3 小时。电梯同时停运，请合理安排出行，关闭电脑等电器。</p>',
  },
  {
    title: '冬季电梯年检安排',
    type: '003',
    state: 'published',
    days: -5,
    until: 20,
    projects: [0, 1, 2],
    text: '<p>按特种设备管理要求，各单元电梯分批年检，每台约 2 小时，期间请走楼梯或使用相邻电梯。</p><ul><li>周一：1–3 号楼</li><li>周二：4–6 号楼</li></ul>',
  },
  {
    title: '“邻里包饺子”冬至活动报名',
    type: '004',
    state: 'published',
    days: -3.4,
    until: 28,
    pinned: 10,
    projects: [1, 3],
    text: '<p>冬至将至，社区邀您一起包饺子、话家常。名额 60 组家庭，先到先得，现场备有小朋友手工角。</p>',
  },
  {
    title: '秋冬绿化修剪与病虫害防治',
    type: '005',
    state: 'published',
    days: -9,
    until: 12,
    projects: [2, 4],
    text: '<p>园区将进行乔木修剪与涂白，喷药期间请看管好孩子与宠物，关好低层窗户。</p>',
  },
  {
    title: '消防演习通知（全体住户）',
    type: '006',
    important: true,
    state: 'scheduled',
    days: 1.5,
    until: 6,
    projects: [0, 3, 5],
    confirm: true,
    text: '<p>本周六 10:00 举行消防演习，届时将拉响警报，请勿惊慌，听从工作人员引导从安全通道疏散。</p>',
  },
  {
    title: '租住人员信息核对',
    type: '003',
    state: 'reviewing',
    days: -0.1,
    projects: [1],
    identities: [2],
    text: '<p>为做好冬季安全管理，请租住人员在 App「我的房屋」核对联系方式与居住人数。</p>',
  },
  {
    title: '地下车库地坪翻新施工',
    type: '003',
    state: 'draft',
    days: 0,
    projects: [0],
    text: '<p>拟于下月对 B1 车库地坪翻新，分三个区域施工，车辆请按引导停放。</p>',
  },
  {
    title: '水景池清洗暂停开放',
    type: '003',
    state: 'rejected',
    days: -1.2,
    projects: [3],
    text: '<p>中心水景池清洗消毒，暂停开放两天。</p>',
    reason: '请补充具体日期和时间',
  },
  {
    title: '关于二次供水水箱清洗的通知',
    type: '001',
    important: true,
    state: 'recalled',
    days: -12,
    projects: [2],
    text: '<p>二次供水水箱清洗消毒，停水 4 小时。</p>',
    reason: '施工单位改期，另行通知',
  },
  {
    title: '国庆假期客服值班安排',
    type: '004',
    state: 'expired',
    days: -54,
    until: -46,
    projects: [0, 1, 2, 3, 4, 5],
    text: '<p>假期服务中心 8:30–18:00 照常值班，报修热线 24 小时畅通。祝各位业主节日愉快。</p>',
  },
  {
    title: '高温橙色预警与用电提醒',
    type: '007',
    important: true,
    state: 'expired',
    days: -110,
    until: -104,
    projects: [0, 1, 2, 3, 4, 5],
    text: '<p>近期连续高温，请注意用电安全，电动车请勿进楼入户充电。</p>',
  },
  {
    title: '外墙清洗期间请关好门窗',
    type: '003',
    state: 'expired',
    days: -33,
    until: -25,
    projects: [4],
    text: '<p>外墙清洗 8:00–17:00 进行，请收好阳台物品，关好门窗。</p>',
  },
];

/** Notices of the year in every state, with who read them. */
export const demo = defineDemo({
  key: 'propertyNotices',
  run: async ({ tx, base, insert, tell, now, as, random }) => {
    const author = as('centre1.service');
    const reviewer = as('centre1');
    const at = (days: number) => new Date(now.getTime() + days * DAY);
    const dayText = (days: number) => new Date(at(days).getTime() + 8 * HOUR).toISOString().slice(0, 10);
    for (const sample of SAMPLES) {
      const projects = sample.projects.flatMap((place) => base.projects[place] ?? []);
      if (projects.length === 0) continue;
      const out = ['published', 'recalled', 'expired'].includes(sample.state);
      const made = at(Math.min(sample.days, 0) - 1.3);
      const sent = at(Math.min(sample.days, 0) - 0.4);
      const ended =
        sample.state === 'recalled'
          ? at(sample.days + 1.1)
          : sample.state === 'expired'
            ? at((sample.until ?? 0) + 1)
            : undefined;
      const last = ended ?? (out ? at(sample.days) : sample.state === 'draft' ? made : sent);
      const versions = {
        draft: 1,
        reviewing: 2,
        rejected: 3,
        scheduled: 2,
        published: 2,
        recalled: 3,
        expired: 3,
      };
      const [id] = await insert('notice', [
        {
          title: sample.title,
          type: sample.type,
          importance: sample.important ? '1' : '2',
          body_html: sample.text,
          signature: `${projects.length === 1 ? projects[0]!.name : ''}物业服务中心`,
          identity_codes: sample.identities ?? [],
          publish_at: sample.state === 'scheduled' || out ? at(sample.days) : null,
          expires_on: sample.until === undefined ? null : dayText(sample.until),
          pinned_until: sample.pinned === undefined ? null : at(sample.pinned),
          needs_confirmation: sample.confirm ?? false,
          state: sample.state,
          submitted_by: ['reviewing', 'rejected'].includes(sample.state) ? author.staffId : null,
          reviewer_id: sample.state === 'rejected' ? reviewer.staffId : null,
          reviewed_at: sample.state === 'rejected' ? at(sample.days + 0.2) : null,
          reject_reason: sample.state === 'rejected' ? sample.reason : '',
          published_at: out ? at(sample.days) : null,
          recall_reason: sample.state === 'recalled' ? sample.reason : '',
          recalled_at: sample.state === 'recalled' ? ended : null,
          version: versions[sample.state],
          created_at: made,
          created_by: author.staffId,
          updated_at: last,
          updated_by: sample.state === 'expired' ? null : author.staffId,
        },
      ]);
      await run(tx, 'INSERT INTO notice_project SELECT $1, unnest($2::bigint[])', [
        id,
        projects.map((project) => project.id),
      ]);
      if (sample.building)
        await run(
          tx,
          'INSERT INTO notice_building SELECT $1, b.id FROM building b WHERE b.project_id = $2 ORDER BY b.id LIMIT 1',
          [id, projects[0]!.id],
        );
      if (out) {
        const share = Math.round(35 + random.next() * 45);
        await run(
          tx,
          `INSERT INTO notice_reader (notice_id, household_id, member_id, house_id, project_id, read_at, confirmed_at)
           SELECT a.notice_id, a.household_id, a.member_id, a.house_id, a.project_id, r.at, CASE WHEN $4 AND a.member_id % 5 <> 0 THEN r.at + interval '40 seconds' END
             FROM notice_audience a
             LEFT JOIN LATERAL (SELECT least($2::timestamptz + make_interval(mins => ((a.member_id * 37 + a.household_id * 11) % $6::int)::int), $5::timestamptz) AS at
                                 WHERE (a.member_id * 53 + a.household_id * 7) % 100 < $3) r ON true
            WHERE a.notice_id = $1`,
          [
            id,
            at(sample.days),
            share,
            sample.confirm ?? false,
            now,
            // Most read it within two days, nobody later than now.
            Math.max(10, Math.min(2_600, Math.floor(-sample.days * 1_440) - 5)),
          ],
        );
      }
      const { create, publish, reject, recall, expire } = notice.actions!;
      const told = { entity: notice.name, entityId: id!, caller: author };
      await tell({ ...told, action: 'create', label: create.label, to: 'draft', at: made });
      if (sample.state === 'draft') continue;
      if (sample.state === 'reviewing' || sample.state === 'rejected') {
        await tell({
          ...told,
          action: 'publish',
          label: ['提交审核', 'Handed in for review'],
          from: 'draft',
          to: 'reviewing',
          at: sent,
        });
        if (sample.state === 'rejected')
          await tell({
            ...told,
            caller: reviewer,
            action: 'reject',
            label: reject.label,
            from: 'reviewing',
            to: 'rejected',
            remark: sample.reason!,
            at: at(sample.days + 0.2),
          });
        continue;
      }
      if (sample.state === 'scheduled') {
        await tell({
          ...told,
          action: 'publish',
          label: ['定时发布', 'Scheduled'],
          from: 'draft',
          to: 'scheduled',
          at: sent,
        });
        continue;
      }
      await tell({
        ...told,
        action: 'publish',
        label: publish.label,
        from: 'draft',
        to: 'published',
        at: at(sample.days),
      });
      if (sample.state === 'recalled')
        await tell({
          ...told,
          action: 'recall',
          label: recall.label,
          from: 'published',
          to: 'recalled',
          remark: sample.reason!,
          at: ended!,
        });
      if (sample.state === 'expired')
        await tell({
          entity: notice.name,
          entityId: id!,
          action: 'expire',
          label: expire.label,
          from: 'published',
          to: 'expired',
          at: ended!,
        });
    }
  },
});
