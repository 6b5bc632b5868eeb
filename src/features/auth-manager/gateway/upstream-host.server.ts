import { isIP } from 'node:net';
import { fill } from '../../../kernel/contract/label.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { ROUTE_ENTITY } from './gateway-state.server.ts';
import { addressClass } from './upstream-address.rules.ts';
import { upstreamHost } from './upstream-host.contract.ts';

const ROUTES = `(SELECT count(*)::int FROM gateway_route r WHERE r.upstream_id = t.id
  OR EXISTS (SELECT FROM gateway_route_version v WHERE v.route_id = r.id AND v.no = r.published_version AND r.state = 'published' AND (v.snapshot->>'upstreamId')::bigint = t.id))`;

const usedText = (n: number) => fill(['正被 {n} 条路由使用', 'Used by {n} routes'], { n });

const bound = bindResource(upstreamHost, {
  table: 'upstream_host',
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  search: `t.host`,
  columns: { routes: ROUTES },
  unique: { upstream_host_once: ['该上游主机已存在', 'The upstream host is listed already'] },
  ruleReads: ['routes'],
  rowRules: {
    remove: (row) => (Number(row.routes) > 0 ? usedText(Number(row.routes)) : undefined),
  },
  before: [
    async ({ action, input, row, tx, id }) => {
      if (action !== 'create' && action !== 'update') return;
      const moves = (['scheme', 'host', 'port'] as const).some(
        (name) => input[name] !== undefined && input[name] !== row[name],
      );
      if (action === 'update' && moves) {
        // Its routes would go on to an address that nobody lists any more.
        const used = await runOne<{ n: number }>(
          tx,
          `SELECT ${ROUTES} AS n FROM upstream_host t WHERE t.id = $1`,
          [id],
        );
        if (used!.n > 0) throw ruleBroken(usedText(used!.n));
      }
      const host = String(input.host ?? row.host);
      const isPrivate = (input.privateAllowed ?? row.private_allowed) === true;
      if (isIP(host) === 0) return;
      const kind = addressClass(host);
      if (kind === 'forbidden')
        throw invalid({ host: ['该地址不允许作为上游', 'This address is never an upstream'] });
      if (kind === 'private' && !isPrivate)
        throw invalid({ host: ['内网地址需要勾选“允许内网”', 'A private address needs "Private allowed"'] });
    },
  ],
  after: [
    async ({ platform }) => {
      platform.changed(ROUTE_ENTITY);
      return [];
    },
  ],
});

/** Addresses routes may lead to, platform only. */
export const registration = bound.registration;
