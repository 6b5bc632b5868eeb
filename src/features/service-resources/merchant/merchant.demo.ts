import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { merchant } from './merchant.contract.ts';

const DAY = 86_400_000;

type State = 'draft' | 'in_review' | 'rejected' | 'to_activate' | 'suspended' | 'closing' | 'closed';

/** name, kind, licence, legal person, contact, state, reason, days ago it was entered. */
const NEWCOMERS: readonly (readonly [
  string,
  'self' | 'resident',
  string,
  string,
  string,
  State,
  string,
  number,
])[] = [
  ['果然新鲜水果行', 'resident', '91310115MA1H7Q0AX4', '周敏', '周敏', 'draft', '', 2],
  ['洁雅干洗中心', 'resident', '91310104MA1FR2XB8C', '何军', '何丽', 'draft', '', 6],
  [
    '匠心家电维修部',
    'resident',
    '91310110MA1G8L3C5K',
    '郑强',
    '郑强',
    'rejected',
    '营业执照照片不清晰，请重新上传；法人电话有误',
    12,
  ],
  ['暖心月嫂服务部', 'resident', '91310107MA1G0P4D2T', '冯芳', '陈晨', 'to_activate', '', 15],
  [
    '老巷口面馆',
    'resident',
    '91310106MA1FY5E61H',
    '褚亮',
    '褚亮',
    'suspended',
    '食品经营许可到期，暂停营业',
    90,
  ],
  ['云栖花艺坊', 'resident', '91310112MA1GB6F38J', '卫兰', '卫兰', 'closing', '商户申请退出', 160],
  ['半亩书屋', 'resident', '91310101MA1FP7G05D', '蒋文', '蒋文', 'closed', '合同到期不再续约', 300],
  ['自营社区超市（北区）', 'self', '91310000MA1K35PT0X', '沈国强', '韩梅', 'to_activate', '', 20],
];

/** Merchants of every state beside those that trade, with certificates, projects and what was said. */
export const demo = defineDemo({
  key: 'merchants',
  run: async ({ tx, insert, tell, now, as, base }) => {
    const author = as('mall1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const day = (days: number) => at(days).toISOString().slice(0, 10);
    const company = base.tenants.get('C000001')!;
    const [projects, businesses, last] = [
      await run<{ id: number }>(tx, 'SELECT id FROM project ORDER BY id LIMIT 6'),
      await run<{ id: number }>(tx, 'SELECT id FROM business WHERE enabled ORDER BY id LIMIT 3'),
      (
        await run<{ n: number }>(
          tx,
          `SELECT coalesce(max(substr(account, 2)::int), 0) AS n FROM tenant WHERE account ~ '^M\\d{6}$'`,
        )
      )[0]!.n,
    ];
    const ids = await insert(
      'tenant',
      NEWCOMERS.map(([name, kind, licence, legal, contact, state, reason, days], index) => ({
        kind: 2,
        account: `M${String(last + 1 + index).padStart(6, '0')}`,
        name,
        merchant_kind: kind,
        merchant_state: state,
        state_reason: reason,
        licence_no: licence,
        legal_person: legal,
        contact_name: contact,
        contact_phone: `1380000${String(2100 + index)}`,
        address: '上海市浦东新区张杨路 500 号',
        registered_capital: 50 + index * 10,
        founded_on: day(900 + index * 30),
        owning_company_id: kind === 'self' ? company : null,
        cost_centre: kind === 'self' ? '零售事业部' : '',
        enabled: state !== 'closed',
        applied_at: state === 'draft' ? null : at(days - 1),
        applied_by: state === 'draft' || kind === 'self' ? null : author.staffId,
        version: state === 'draft' ? 1 : 3,
        created_at: at(days),
        created_by: author.staffId,
        updated_at: at(Math.max(1, days - 3)),
        updated_by: author.staffId,
      })),
    );
    await insert(
      'tenant_project',
      ids.flatMap((tenant_id, index) =>
        projects.slice(index % 3, (index % 3) + 2).map((one) => ({ tenant_id, project_id: one.id })),
      ),
    );
    await insert(
      'tenant_business',
      ids.map((tenant_id, index) => ({ tenant_id, business_id: businesses[index % businesses.length]!.id })),
    );
    await insert(
      'merchant_certificate',
      ids.map((tenant_id, index) => ({
        tenant_id,
        position: 1,
        type: 'licence',
        number: NEWCOMERS[index]![2],
        valid_from: day(900),
        valid_to: index % 3 === 0 ? null : day(index === 4 ? 5 : -20 - index * 40),
        long_term: index % 3 === 0,
      })),
    );
    for (const [index, id] of ids.entries()) {
      const [, kind, , , , state, reason, days] = NEWCOMERS[index]!;
      const told = { entity: 'merchant', entityId: id, caller: author };
      await tell({ ...told, action: 'create', label: merchant.actions!.create!.label, at: at(days) });
      if (state === 'draft') continue;
      if (kind === 'resident')
        await tell({
          ...told,
          action: 'submit',
          label: merchant.actions!.submit!.label,
          from: 'draft',
          to: 'in_review',
          at: at(days - 1),
        });
      await tell({
        ...told,
        action: state,
        label: [merchant.states![state]!.label[0], merchant.states![state]!.label[1]],
        to: state,
        remark: reason,
        at: at(Math.max(1, days - 3)),
      });
    }
  },
});
