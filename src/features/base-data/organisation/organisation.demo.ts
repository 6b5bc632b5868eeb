import { defineDemo } from '../../../kernel/server/demo.ts';
import { run } from '../../../kernel/server/database.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { licenceCheck } from '../../../domain/places/organisation.rules.ts';
import { spellingOf } from '../../../domain/places/spelling.server.ts';
import { organisation } from './organisation.contract.ts';

const DAY = 86_400_000;

/** code, short name, address, longitude, latitude, contact, phone. */
const PAPERS = [
  ['HL', '和邻集团', '上海市浦东新区张江路88号和邻大厦', '121.597500', '31.203900', '周启明', '02158881200'],
  ['HL-SH', '上海', '上海市浦东新区张江路88号3层', '121.597500', '31.203900', '陆志远', '13916820311'],
  ['HL-SH-PD', '浦东', '上海市浦东新区芳桂路188弄会所', '121.544300', '31.221500', '顾长青', '13761522087'],
  ['HL-SH-MH', '闵行', '上海市闵行区莘竹路520弄1号', '121.381700', '31.112600', '金晓波', '13817740926'],
  ['HL-HZ', '杭州', '杭州市滨江区闻潮路99号服务中心', '120.210400', '30.208700', '方晓岚', '13588102645'],
  ['HL-HZ-BJ', '滨江', '杭州市滨江区听涛街36号', '120.211800', '30.206400', '汪海涛', '13675817390'],
  ['HL-HZ-YH', '余杭', '杭州市余杭区溪畔路158号', '120.042900', '30.371600', '楼佩华', '15067114528'],
] as const;

/** Papers of the tree of the base set, and what became of it: a unit merged, one stopped, one about to open. */
export const demo = defineDemo({
  key: 'organisations',
  run: async ({ tx, base, insert, tell, now, as }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const day = (instant: Date) => instant.toISOString().slice(0, 10);
    const rows = await run<{
      id: number;
      code: string;
      name: string;
      kind: string;
      tenant_id: number | null;
    }>(tx, 'SELECT id, code, name, kind, tenant_id FROM organisation ORDER BY id');
    const byCode = new Map(rows.map((row) => [row.code, row]));
    const leaderOf = (tenant: number | null) =>
      tenant === null ? null : ([...base.staff.values()].find((one) => one.tenantId === tenant)?.id ?? null);
    for (const [code, short, address, longitude, latitude, contact, phone] of PAPERS) {
      const row = byCode.get(code);
      if (!row) continue;
      const first = row.kind === 'company' ? '91310115MA1K4RHL2' : '';
      await run(
        tx,
        `UPDATE organisation SET short_name = $2, address = $3, longitude = $4, latitude = $5, contact = $6, phone = $7, pinyin = $8, leader_id = $9,
                licence_no = $10, legal_person = $11, founded_on = $12, registered_capital = $13, licence_unlimited = $14, licence_until = $15, bank_name = $16
          WHERE id = $1`,
        [
          row.id,
          short,
          address,
          longitude,
          latitude,
          contact,
          phone,
          spellingOf(row.name),
          leaderOf(row.tenant_id),
          first ? first + licenceCheck(first) : null,
          first ? '周启明' : '',
          first ? '2011-03-16' : null,
          first ? '5000.00' : null,
          first !== '',
          code === 'HL-HZ' ? day(new Date(now.getTime() + 21 * DAY)) : null,
          first ? '中国工商银行上海张江支行' : '',
        ],
      );
      await tell({
        entity: organisation.name,
        entityId: row.id,
        caller: author,
        action: 'update',
        label: organisation.actions!.update!.label,
        remark: '补充联系方式与证照',
        at: at(120),
      });
    }
    const [shanghai, hangzhou] = [byCode.get('HL-SH'), byCode.get('HL-HZ')];
    const [minhang, pudong] = [byCode.get('HL-SH-MH'), byCode.get('HL-SH-PD')];
    if (!shanghai || !hangzhou || !minhang || !pudong) return;
    const regions = new Map(
      (
        await run<{ id: number; code: string }>(
          tx,
          `SELECT id, code FROM region WHERE code IN ('310104', '310114', '330109')`,
        )
      ).map((row) => [row.code, row.id]),
    );
    const common = (code: string, name: string, contact: string, phone: string, days: number) => ({
      kind: 'management_unit',
      code,
      name,
      short_name: name.slice(0, 2),
      pinyin: spellingOf(name),
      contact,
      phone,
      created_at: at(days),
      created_by: author.staffId,
      updated_by: author.staffId,
    });
    const [xuhui, jiading, xiaoshan] = await insert('organisation', [
      {
        ...common('HL-SH-XH', '徐汇管理处', '梅立新', '13564820917', 390),
        parent_id: shanghai.id,
        region_id: regions.get('310104') ?? null,
        position: 3,
        state: 'merged',
        merged_into: minhang.id,
        stopped_at: at(75),
        updated_at: at(75),
      },
      {
        ...common('HL-SH-JD', '嘉定管理处', '包亚萍', '13818265043', 380),
        parent_id: shanghai.id,
        region_id: regions.get('310114') ?? null,
        position: 4,
        state: 'stopped',
        merged_into: null,
        stopped_at: at(48),
        updated_at: at(48),
      },
      {
        ...common('HL-HZ-XS', '萧山管理处', '俞思齐', '13989471206', 12),
        parent_id: hangzhou.id,
        region_id: regions.get('330109') ?? null,
        position: 3,
        state: 'enabled',
        merged_into: null,
        stopped_at: null,
        updated_at: at(12),
      },
    ]);
    const tellOf = (id: number, action: 'create' | 'merge' | 'stop', days: number, remark = '') =>
      tell({
        entity: organisation.name,
        entityId: id,
        caller: author,
        action,
        label: organisation.actions![action]!.label as Label,
        remark,
        ...(action === 'merge' ? { from: 'enabled', to: 'merged' } : {}),
        ...(action === 'stop' ? { from: 'enabled', to: 'stopped' } : {}),
        at: at(days),
      });
    await tellOf(xuhui!, 'create', 390);
    await tellOf(jiading!, 'create', 380);
    await tellOf(xiaoshan!, 'create', 12);
    await tellOf(xuhui!, 'merge', 75, '徐汇项目减少，与闵行合署办公');
    await tellOf(jiading!, 'stop', 48, '嘉定项目已全部退场');
    // One project stood under the merged unit: reports of months before the merger show it there.
    const moved = base.projects.find((one) => one.code === 'SH003');
    if (moved) {
      await run(
        tx,
        `UPDATE project_unit_period SET started_at = $2 WHERE project_id = $1 AND ended_at IS NULL`,
        [moved.id, at(75)],
      );
      await insert('project_unit_period', [{ project_id: moved.id, unit_id: xuhui!, ended_at: at(75) }]);
    }
    await insert('organisation_change', [
      {
        organisation_id: xuhui!,
        kind: 'merge',
        to_id: minhang.id,
        consequences: {
          projects: moved
            ? [{ id: String(moved.id), name: moved.name, from: '徐汇管理处', to: minhang.name }]
            : [],
          lose: [],
          gain: [],
          others: [],
        },
        reason: '徐汇项目减少，与闵行合署办公',
        at: at(75),
        by: author.staffId,
      },
      {
        organisation_id: jiading!,
        kind: 'stop',
        to_id: null,
        consequences: {},
        reason: '嘉定项目已全部退场',
        at: at(48),
        by: author.staffId,
      },
    ]);
  },
});
