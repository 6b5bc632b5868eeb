import { defineDemo } from '../../../kernel/server/demo.ts';
import { gatewayRoute } from './gateway-route.contract.ts';

const DAY = 86_400_000;

/** Upstreams and drafts of routes to them; none is published, as nothing answers there. */
export const demo = defineDemo({
  key: 'gatewayRoutes',
  run: async ({ insert, tell, now, as }) => {
    const author = as('service1');
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const stamps = (days: number) => ({
      created_at: at(days),
      created_by: author.staffId,
      updated_at: at(days),
      updated_by: author.staffId,
    });
    const hosts = await insert('upstream_host', [
      {
        scheme: 'https',
        host: 'api.parking.example.com',
        port: 443,
        private_allowed: false,
        note: '停车场供应商',
        ...stamps(40),
        version: 1,
      },
      {
        scheme: 'https',
        host: 'open.gate.example.com',
        port: 443,
        private_allowed: false,
        note: '门禁开放平台',
        ...stamps(36),
        version: 1,
      },
      {
        scheme: 'http',
        host: 'reports.internal.example.com',
        port: 8080,
        private_allowed: true,
        note: '内网报表',
        ...stamps(20),
        version: 1,
      },
    ]);
    const route = (
      code: string,
      name: string,
      prefix: string,
      url: string,
      upstream: number | undefined,
      days: number,
      rest: Readonly<Record<string, unknown>>,
    ) => ({
      code,
      name,
      prefix,
      methods: [],
      target_kind: 'url',
      url,
      upstream_id: upstream,
      strip: 2,
      preserve_host: false,
      timeout_ms: 10_000,
      retries: 1,
      rate_per_minute: 600,
      rate_by: 'caller',
      body_limit_mb: 10,
      auth: 'permission',
      permission_code: 'gatewayManager',
      allow_addresses: [],
      deny_addresses: [],
      forward_identity: false,
      header_names: [],
      position: 100,
      state: 'draft',
      dirty: false,
      version: 1,
      ...stamps(days),
      ...rest,
    });
    const ids = await insert('gateway_route', [
      route('parking', '停车场', '/api/parking', 'https://api.parking.example.com', hosts[0], 38, {}),
      route('gate-open', '门禁开放平台', '/api/gate', 'https://open.gate.example.com/v2', hosts[1], 30, {
        auth: 'service',
        permission_code: '',
        methods: ['GET', 'POST'],
        retries: 0,
      }),
      route('reports', '内网报表', '/api/reports', 'http://reports.internal.example.com:8080', hosts[2], 12, {
        forward_identity: true,
        timeout_ms: 30_000,
      }),
    ]);
    for (const [index, id] of ids.entries())
      await tell({
        entity: 'gatewayRoute',
        entityId: id,
        caller: author,
        action: 'create',
        label: gatewayRoute.actions!.create.label,
        at: at([38, 30, 12][index]!),
      });
  },
});
