import { createHash } from 'node:crypto';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { serviceClient } from './service-client.contract.ts';

const DAY = 86_400_000;

/** code, name, description, days ago, maintenance. */
const SERVICES = [
  ['gate-adapter', '门禁适配服务', '对接各厂商门禁，上报通行记录', 80, ''],
  ['parking-adapter', '停车适配服务', '车牌识别、月卡与缴费', 64, '升级车牌识别组件'],
  ['report-builder', '报表生成服务', '夜间汇总经营数据', 45, ''],
] as const;

/** Services beside the product's own, with whom they may call. */
export const demo = defineDemo({
  key: 'serviceClients',
  run: async ({ insert, tell, now, as }) => {
    const author = as('service1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    await insert(
      'oauth_client',
      SERVICES.map(([code, name, description, days]) => ({
        client_id: code,
        name,
        description,
        grant_types: ['client_credentials'],
        scopes: ['service'],
        owner_id: author.staffId,
        created_at: at(days),
        created_by: author.staffId,
        last_used_at: at(0.05),
      })),
    );
    await insert(
      'client_secret',
      SERVICES.map(([code, , , days], index) => ({
        client_id: code,
        slot: 1,
        hash: `\\x${createHash('sha256').update(`${code} ${now.toISOString()}`).digest('hex')}`,
        hint: ['u3Fh', 'Xw9-', 'b2Qe'][index]!,
        created_at: at(days),
        created_by: author.staffId,
        last_used_at: at(0.05),
      })),
    );
    const ids = await insert(
      'service_client',
      SERVICES.map(([code, name, description, days, maintenance]) => ({
        code,
        name,
        description,
        owner_id: author.staffId,
        client_id: code,
        maintenance: maintenance !== '',
        maintenance_text: maintenance,
        maintenance_until: maintenance === '' ? null : at(-0.25),
        created_at: at(days),
        created_by: author.staffId,
        created_address: '10.0.0.21',
        updated_at: at(maintenance === '' ? days : 0.1),
        updated_by: author.staffId,
        updated_address: '10.0.0.21',
        version: maintenance === '' ? 1 : 2,
      })),
    );
    await insert('service_client_allowed', [
      { service_id: ids[2], target_id: ids[0] },
      { service_id: ids[2], target_id: ids[1] },
      { service_id: ids[1], target_id: ids[0] },
    ]);
    for (const [index, id] of ids.entries()) {
      const told = { entity: 'serviceClient', entityId: id, caller: author };
      const [, , , days, maintenance] = SERVICES[index]!;
      await tell({ ...told, action: 'create', label: serviceClient.actions!.create.label, at: at(days) });
      if (maintenance !== '')
        await tell({
          ...told,
          action: 'maintain',
          label: serviceClient.actions!.maintain.label,
          remark: maintenance,
          at: at(0.1),
        });
    }
  },
});
