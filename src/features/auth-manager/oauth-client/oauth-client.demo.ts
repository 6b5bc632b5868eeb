import { createHash } from 'node:crypto';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { oauthClient } from './oauth-client.contract.ts';

const DAY = 86_400_000;

/** Programs of the demonstration set: partners, reporting, an app that was switched off. Their secrets are known to nobody. */
export const demo = defineDemo({
  key: 'oauthClients',
  run: async ({ insert, tell, now, as }) => {
    const author = as('service1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const made = [
      {
        client_id: 'bi-report',
        name: '经营分析平台',
        description: '每日拉取销售与售后数据，展示在大屏',
        grant_types: ['authorization_code', 'refresh_token'],
        scopes: ['openid', 'profile', 'menu:merchantManager'],
        auto_approve: ['openid'],
        redirect_uris: ['https://bi.example.com/login/callback'],
        access_seconds: 7200,
        enabled: true,
        days: 96,
        used: 0.02,
      },
      {
        client_id: 'property-app',
        name: '物业管家手机端',
        description: '管家在手机上处理工单，不保管密钥',
        type: 'public',
        grant_types: ['authorization_code', 'refresh_token'],
        scopes: ['openid', 'profile', 'menu:companymanager'],
        redirect_uris: ['https://m.example.com/oauth/callback', 'http://127.0.0.1:8100/callback'],
        access_seconds: 3600,
        refresh_seconds: 1_209_600,
        enabled: true,
        days: 60,
        used: 0.2,
      },
      {
        client_id: 'parking-vendor',
        name: '停车场系统',
        description: '车牌识别与缴费回传',
        grant_types: ['client_credentials'],
        scopes: ['service', 'member_event'],
        allow_addresses: ['10.20.0.0/16'],
        rate_per_minute: 120,
        enabled: true,
        days: 41,
        used: 1,
      },
      {
        client_id: 'old-portal',
        name: '旧版门户',
        description: '2025年停用，等待供应商确认后删除',
        grant_types: ['authorization_code'],
        scopes: ['openid', 'profile'],
        redirect_uris: ['https://old.example.com/cb'],
        enabled: false,
        days: 300,
        used: 120,
      },
    ];
    const ids = await insert(
      'oauth_client',
      made.map(({ days, used, ...row }) => ({
        type: 'confidential',
        auto_approve: [],
        redirect_uris: [],
        allow_addresses: [],
        access_seconds: 7200,
        refresh_seconds: 604_800,
        rate_per_minute: 600,
        ...row,
        owner_id: author.staffId,
        created_at: at(days),
        created_by: author.staffId,
        updated_at: at(days),
        updated_by: author.staffId,
        last_used_at: at(used),
      })),
    );
    await insert(
      'client_secret',
      made
        .filter((row) => row.type !== 'public')
        .map((row, index) => ({
          client_id: row.client_id,
          slot: 1,
          hash: `\\x${createHash('sha256').update(`${row.client_id} ${now.toISOString()}`).digest('hex')}`,
          hint: ['q7Kd', 'Zp1_', 'mR4c'][index]!,
          created_at: at(row.days),
          created_by: author.staffId,
          expires_at: row.client_id === 'parking-vendor' ? at(-11) : null,
          last_used_at: at(row.used),
        })),
    );
    for (const [index, id] of ids.entries()) {
      const told = { entity: 'oauthClient', entityId: id, caller: author };
      const { days, enabled } = made[index]!;
      await tell({ ...told, action: 'create', label: oauthClient.actions!.create.label, at: at(days) });
      if (made[index]!.type !== 'public')
        await tell({
          ...told,
          action: 'addSecret',
          label: oauthClient.actions!.addSecret.label,
          at: at(days),
        });
      if (!enabled)
        await tell({ ...told, action: 'disable', label: oauthClient.actions!.disable.label, at: at(100) });
    }
  },
});
