import { DEFAULT_CANCEL } from '../../../domain/furnishing/price.rules.ts';
import { WARRANTY, type WarrantyCategory } from '../../../domain/furnishing/decor-version.rules.ts';
import {
  priceSpanOf,
  writeWorking,
  type VersionContent,
} from '../../../domain/furnishing/decor-version.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { decorPackage } from './decor-package.contract.ts';

const DAY = 86_400_000;
type State = 'draft' | 'reviewing' | 'published' | 'rejected' | 'off_shelf';

interface Sample {
  readonly name: string;
  readonly style: string;
  readonly basis: VersionContent['basis'];
  /** Fen, or fen per m². */
  readonly price: number;
  readonly days: number;
  readonly state: State;
  /** Versions that were on sale. */
  readonly versions: number;
  /** A change that waits, at the first or the second review. */
  readonly waits?: 1 | 2;
}

const SAMPLES: readonly Sample[] = [
  {
    name: '安心整装 899',
    style: 'modern',
    basis: 'built_area',
    price: 89_900,
    days: 90,
    state: 'published',
    versions: 2,
  },
  {
    name: '北欧轻居 1099',
    style: 'nordic',
    basis: 'built_area',
    price: 109_900,
    days: 100,
    state: 'published',
    versions: 1,
    waits: 2,
  },
  {
    name: '新中式雅苑',
    style: 'chinese',
    basis: 'inner_area',
    price: 168_000,
    days: 120,
    state: 'published',
    versions: 1,
    waits: 1,
  },
  {
    name: '轻奢拎包入住',
    style: 'light_luxury',
    basis: 'fixed',
    price: 19_800_000,
    days: 110,
    state: 'reviewing',
    versions: 0,
  },
  {
    name: '日式原木精装',
    style: 'japanese',
    basis: 'built_area',
    price: 129_900,
    days: 95,
    state: 'rejected',
    versions: 0,
  },
  {
    name: '美式田园',
    style: 'american',
    basis: 'inner_area',
    price: 152_000,
    days: 130,
    state: 'off_shelf',
    versions: 1,
  },
  {
    name: '小户型焕新',
    style: 'modern',
    basis: 'fixed',
    price: 5_980_000,
    days: 45,
    state: 'draft',
    versions: 0,
  },
];

const ITEMS: VersionContent['items'] = [
  {
    room: 'living',
    category: '地面',
    name: '强化复合地板',
    brand: '圣象',
    spec: '12 mm',
    rule: 'per_m2',
    quantity: '1.00',
    included: true,
  },
  {
    room: 'living',
    category: '墙面',
    name: '净味乳胶漆',
    brand: '立邦',
    spec: '两遍',
    rule: 'per_m2',
    quantity: '1.00',
    included: true,
  },
  {
    room: 'master',
    category: '柜体',
    name: '定制衣柜',
    brand: '索菲亚',
    spec: '颗粒板',
    rule: 'per_piece',
    quantity: '1.00',
    included: true,
  },
  {
    room: 'kitchen',
    category: '橱柜',
    name: '整体橱柜',
    brand: '欧派',
    spec: '3.6 m',
    rule: 'fixed',
    quantity: '1.00',
    included: true,
  },
  {
    room: 'kitchen',
    category: '电器',
    name: '烟灶套装',
    brand: '方太',
    spec: '侧吸',
    rule: 'per_piece',
    quantity: '1.00',
    included: true,
  },
  {
    room: 'bath',
    category: '洁具',
    name: '马桶、花洒、浴室柜',
    brand: '九牧',
    spec: '套',
    rule: 'per_piece',
    quantity: '1.00',
    included: true,
  },
  {
    room: 'bath',
    category: '防水',
    name: '墙地面防水',
    brand: '东方雨虹',
    spec: '1.8 m',
    rule: 'per_m2',
    quantity: '1.00',
    included: true,
  },
];

const option = (
  code: string,
  name: string,
  price: number,
  more: Partial<VersionContent['options'][number]> = {},
) => ({
  code,
  name,
  price,
  room: null,
  group: '',
  single: false,
  mode: 'fixed' as const,
  preset: false,
  requires: [],
  excludes: [],
  ...more,
});

const OPTIONS: VersionContent['options'] = [
  option('LOCK', '智能门锁', 128_000),
  option('FLOOR', '客厅实木地板升级', 4_500, {
    room: 'living',
    mode: 'per_m2',
    group: '客厅地面',
    single: true,
  }),
  option('TILE', '客厅大理石瓷砖', 3_800, {
    room: 'living',
    mode: 'per_m2',
    group: '客厅地面',
    single: true,
  }),
  option('AC', '中央空调', 2_680_000),
  option('FRESH', '新风系统', 980_000, { requires: ['AC'] }),
  option('BARE', '不含橱柜电器', -420_000, { excludes: ['AC'] }),
];

/** Packages of the merchants that furnish, in every state, with versions, changes under review and notes of a refused one. */
export const demo = defineDemo({
  key: 'decorPackages',
  after: ['houseTypes', 'homeServices'],
  run: async ({ tx, insert, tell, now, as, base }) => {
    const author = as('mall1');
    const centre = as('centre1');
    // Somebody else of the platform, who has the last word.
    const second = as('finance1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const merchants = await run<{ id: number; projects: number[]; business: number }>(
      tx,
      `SELECT t.id, array_agg(DISTINCT p.project_id) AS projects, min(b.business_id) AS business FROM tenant t
         JOIN tenant_project p ON p.tenant_id = t.id JOIN tenant_business b ON b.tenant_id = t.id JOIN business x ON x.id = b.business_id AND x.enabled
        WHERE t.kind = 2 AND t.merchant_state = 'operating' GROUP BY t.id ORDER BY t.id DESC LIMIT 2`,
    );
    const layouts = (
      await run<{ id: string }>(
        tx,
        `SELECT id FROM stored_file WHERE id::text LIKE '0a992000-0000-4000-8000-0000000009%' ORDER BY id`,
      )
    ).map((one) => one.id);
    if (merchants.length === 0 || layouts.length === 0) return;
    const styles = new Map(
      (
        await run<{ id: number; val: string }>(
          tx,
          `SELECT b.id, b.val FROM biz_dict b JOIN biz_dict r ON r.id = b.root_id AND r.code = 'decor_style' WHERE b.id <> b.root_id`,
        )
      ).map((one) => [one.val, one.id]),
    );
    for (const [index, sample] of SAMPLES.entries()) {
      const merchant = merchants[index % merchants.length]!;
      const projects = merchant.projects
        .filter((id) => base.projects.some((one) => one.id === Number(id)))
        .slice(0, 3)
        .map(Number);
      const types = await run<{ id: number }>(
        tx,
        'SELECT id FROM house_type WHERE project_id = ANY($1::bigint[]) AND enabled ORDER BY id',
        [projects],
      );
      const made = 150 - index * 18;
      const [id] = await insert('product', [
        {
          code: `MJ20260101${String(index + 1).padStart(6, '0')}`,
          kind: 'home_decor',
          tenant_id: merchant.id,
          business_id: merchant.business,
          name: sample.name,
          points_allowed: false,
          status: sample.state,
          off_reason: sample.state === 'off_shelf' ? '主材停产，方案调整中' : '',
          applied_at: sample.state === 'draft' ? null : at(made - 4),
          applied_by: sample.state === 'draft' ? null : author.staffId,
          published_at: sample.versions > 0 ? at(made - 6) : null,
          created_at: at(made),
          created_by: author.staffId,
          updated_at: at(Math.max(1, made - 8)),
          updated_by: author.staffId,
        },
      ]);
      const content = (price: number): VersionContent => ({
        name: sample.name,
        styleId: styles.get(sample.style) ?? null,
        images: [layouts[index % layouts.length]!, layouts[(index + 1) % layouts.length]!],
        projectIds: projects,
        detailHtml: `<h2>${sample.name}</h2><p>一价全包，含设计、主材、辅料、人工与管理费；十二道工序逐项验收，不合格不进入下一道。</p><ul><li>环保等级 ENF</li><li>工期 ${sample.days} 天，延期按日赔付</li><li>水电、防水质保 5 年</li></ul>`,
        days: sample.days,
        basis: sample.basis,
        minCharge: sample.basis === 'fixed' ? 0 : 4_980_000,
        terms: '签约后不可转让；增项须经客户确认。',
        prices: types.map((type, place) => {
          const amount = sample.basis === 'fixed' ? price + place * 680_000 : price;
          return {
            houseTypeId: type.id,
            amount,
            cost: Math.round((amount * (sample.state === 'rejected' ? 97 : 82)) / 100),
          };
        }),
        items: ITEMS,
        options: OPTIONS,
        plan: [
          { name: '定金', share: 3_000, due: 'order', dueDays: 0 },
          { name: '进度款', share: 6_000, due: 'started', dueDays: 0 },
          { name: '尾款', share: 1_000, due: 'accepted', dueDays: 7 },
        ],
        nodes: (
          [
            ['开工交底', 500],
            ['拆改', 1_000],
            ['水电', 2_500],
            ['泥瓦', 2_500],
            ['木作', 1_500],
            ['油漆', 1_000],
            ['安装', 1_000],
          ] as const
        ).map(([name, weight]) => ({ name, weight })),
        cancel: DEFAULT_CANCEL,
        warranty: (Object.keys(WARRANTY) as WarrantyCategory[]).map((category) => ({
          category,
          months: sample.state === 'rejected' && category === 'waterproof' ? 24 : WARRANTY[category].usual,
        })),
      });
      const told = { entity: decorPackage.name, entityId: id!, caller: author };
      await tell({ ...told, action: 'create', label: ['新增', 'Added'], to: 'draft', at: at(made) });
      const review = async (
        kind: 'publish' | 'change',
        more: Record<string, unknown> & { readonly applied_at: Date },
      ) => {
        const [reviewId] = await insert('product_review', [
          {
            product_id: id!,
            kind,
            payload: { applicants: [author.staffId] },
            applied_by: author.staffId,
            ...more,
          },
        ]);
        const step = { entity: 'decorReview', entityId: reviewId! };
        await tell({
          ...step,
          caller: author,
          action: 'apply',
          label: ['提交审核', 'Sent for review'],
          to: 'waiting',
          at: more.applied_at,
        });
        if (more.first_at instanceof Date)
          await tell({
            ...step,
            caller: centre,
            action: 'pass',
            label: ['初审通过', 'First review passed'],
            from: 'waiting',
            to: 'waiting',
            at: more.first_at,
          });
        if (more.reviewed_at instanceof Date)
          await tell({
            ...step,
            caller: more.state === 'passed' ? second : centre,
            action: more.state === 'passed' ? 'pass' : 'reject',
            label: more.state === 'passed' ? ['复审通过', 'Second review passed'] : ['驳回', 'Reject'],
            from: 'waiting',
            to: String(more.state),
            remark: String(more.reason ?? ''),
            at: more.reviewed_at,
          });
      };
      let live: number | null = null;
      for (let no = 1; no <= sample.versions; no++) {
        // Older versions were cheaper.
        const version = await writeWorking(
          tx,
          id!,
          content(sample.price - (sample.versions - no) * 5_000),
          author.staffId,
        );
        const [handed, passed] = no === 1 ? [made - 4, made - 6] : [made - 40, made - 42];
        await review(no === 1 ? 'publish' : 'change', {
          state: 'passed',
          level: 2,
          first_by: centre.staffId,
          first_at: at(handed - 1),
          reviewed_by: second.staffId,
          reviewed_at: at(passed),
          applied_at: at(handed),
          decor_version_id: version,
          decor_base_id: live,
        });
        await run(
          tx,
          `UPDATE decor_version SET standing = 'past' WHERE product_id = $1 AND standing = 'live'`,
          [id],
        );
        await run(
          tx,
          `UPDATE decor_version SET standing = 'live', no = $2, effective_at = $3 WHERE id = $1`,
          [version, no, at(passed)],
        );
        live = version;
        if (no === 1)
          await tell({
            ...told,
            action: 'apply',
            label: ['提交审核', 'Sent for review'],
            from: 'draft',
            to: 'reviewing',
            at: at(handed),
          });
        else
          await tell({
            ...told,
            action: 'update',
            label: ['修改待审', 'Change waiting for review'],
            from: 'published',
            to: 'published',
            at: at(handed),
          });
        await tell({
          ...told,
          caller: second,
          action: 'passReview',
          label: ['复审通过并发布', 'Passed and published'],
          from: no === 1 ? 'reviewing' : 'published',
          to: 'published',
          remark: `V${no}`,
          at: at(passed),
        });
      }
      let shown = live;
      if (sample.versions === 0 || sample.waits) {
        const version = await writeWorking(
          tx,
          id!,
          content(Math.round(sample.price * (sample.waits ? 1.06 : 1))),
          author.staffId,
        );
        shown ??= version;
        if (sample.waits) {
          await review('change', {
            state: 'waiting',
            level: sample.waits,
            first_by: sample.waits === 2 ? centre.staffId : null,
            first_at: sample.waits === 2 ? at(0.4) : null,
            applied_at: at(sample.waits === 2 ? 1.6 : 0.3),
            decor_version_id: version,
            decor_base_id: live,
          });
          await tell({
            ...told,
            action: 'update',
            label: ['修改待审', 'Change waiting for review'],
            from: 'published',
            to: 'published',
            at: at(sample.waits === 2 ? 1.6 : 0.3),
          });
        }
        if (sample.state === 'reviewing' || sample.state === 'rejected') {
          const refused = sample.state === 'rejected';
          await review('publish', {
            state: refused ? 'rejected' : 'waiting',
            applied_at: at(refused ? made - 4 : 0.8),
            reviewed_at: refused ? at(made - 5) : null,
            reviewed_by: refused ? centre.staffId : null,
            reason: refused ? '防水质保低于法定 60 个月，请修改后再提交' : '',
            field_notes: refused
              ? [
                  { field: 'warranty', note: '防水质保不得低于 60 个月' },
                  { field: 'prices', note: '毛利率偏低，请核对成本价' },
                ]
              : [],
            decor_version_id: version,
          });
          await tell({
            ...told,
            action: 'apply',
            label: ['提交审核', 'Sent for review'],
            from: 'draft',
            to: 'reviewing',
            at: at(refused ? made - 4 : 0.8),
          });
          if (refused)
            await tell({
              ...told,
              caller: centre,
              action: 'rejectReview',
              label: ['审核驳回', 'Review rejected'],
              from: 'reviewing',
              to: 'rejected',
              remark: '防水质保低于法定 60 个月，请修改后再提交',
              at: at(made - 5),
            });
        }
      }
      if (sample.state === 'off_shelf')
        await tell({
          ...told,
          action: 'takeDown',
          label: ['下架', 'Taken down'],
          from: 'published',
          to: 'off_shelf',
          remark: '主材停产，方案调整中',
          at: at(9),
        });
      const span = await priceSpanOf(tx, shown!);
      const version = (await runOne<{ image_ids: string[] }>(
        tx,
        'SELECT image_ids FROM decor_version WHERE id = $1',
        [shown],
      ))!;
      await run(tx, 'UPDATE product SET price_min = $2, price_max = $3, logo_ids = $4 WHERE id = $1', [
        id,
        span.low,
        span.high,
        version.image_ids,
      ]);
      await insert(
        'product_project',
        projects.map((project) => ({ product_id: id!, project_id: project })),
      );
    }
  },
});
