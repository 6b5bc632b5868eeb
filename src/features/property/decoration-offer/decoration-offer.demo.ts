import { defineDemo } from '../../../kernel/server/demo.ts';
import { decorationOffer } from './decoration-offer.contract.ts';

const DAY = 86_400_000;
/** Pictures of the launch pages, as what the company shows of its work. */
const PICTURES = [1, 2, 3, 4].map((number) => `0a992000-0000-4000-8000-${String(number).padStart(12, '0')}`);

const SAMPLES: readonly (readonly [
  project: number,
  price: number,
  cost: number,
  state: 'draft' | 'published',
  days: number,
  once: boolean,
])[] = [
  [0, 168_000, 96_000, 'draft', 300, true],
  [0, 188_000, 105_000, 'published', 96, false],
  [1, 188_000, 102_000, 'published', 88, false],
  [2, 158_000, 90_000, 'published', 71, false],
  [3, 228_000, 126_000, 'published', 40, false],
  [4, 158_000, 92_000, 'draft', 12, false],
];

/** Offers of the projects, one withdrawn in favour of another price. */
export const demo = defineDemo({
  key: 'decorationOffers',
  after: ['launchAdverts'],
  run: async ({ base, insert, tell, now, as }) => {
    const author = as('centre1');
    for (const [index, [place, price, cost, state, days, once]] of SAMPLES.entries()) {
      const project = base.projects[place];
      if (!project) continue;
      const at = (more: number) => new Date(now.getTime() - (days - more) * DAY);
      const last = once ? at(200) : state === 'published' ? at(1) : at(0);
      const [id] = await insert('decoration_offer', [
        {
          project_id: project.id,
          price,
          cost,
          image_ids: PICTURES.slice(index % 2, (index % 2) + 2),
          introduction_html: `<h2>${project.name}装修监理</h2><p>从拆改到竣工全程驻场，六个阶段逐项验收，不合格不进入下一道工序。</p><ul><li>每周两次巡检，照片与结果实时同步到 App</li><li>隐蔽工程 100% 旁站，留存影像</li><li>竣工出具验收报告，质保期内免费复检一次</li></ul>`,
          state,
          published_at: once || state === 'published' ? at(1) : null,
          version: once ? 3 : state === 'published' ? 2 : 1,
          created_at: at(0),
          created_by: author.staffId,
          updated_at: last,
          updated_by: author.staffId,
        },
      ]);
      const { create, publish, withdraw } = decorationOffer.actions!;
      const told = { entity: decorationOffer.name, entityId: id!, caller: author };
      await tell({ ...told, action: 'create', label: create.label, to: 'draft', at: at(0) });
      if (!once && state === 'draft') continue;
      await tell({
        ...told,
        action: 'publish',
        label: publish.label,
        from: 'draft',
        to: 'published',
        at: at(1),
      });
      if (once)
        await tell({
          ...told,
          action: 'withdraw',
          label: withdraw.label,
          from: 'published',
          to: 'draft',
          at: last,
        });
    }
  },
});
