import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Matchable } from './route-match.rules.ts';

/** Name of the rows, and of what tells every server that a route changed. */
export const ROUTE_ENTITY = 'gatewayRoute';

/** What is published of a route. */
export interface Snapshot extends Matchable {
  readonly code: string;
  readonly targetKind: 'service' | 'url';
  readonly serviceId: number | null;
  readonly upstreamId: number | null;
  readonly url: string;
  readonly strip: number;
  readonly preserveHost: boolean;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly ratePerMinute: number;
  readonly rateBy: 'caller' | 'address';
  readonly bodyLimitMb: number;
  readonly auth: 'permission' | 'service' | 'public';
  readonly permissionCode: string;
  readonly allowAddresses: readonly string[];
  readonly denyAddresses: readonly string[];
  readonly forwardIdentity: boolean;
  /** Extra headers, sealed, in base64; empty: none. */
  readonly sealedHeaders: string;
}

/** A route that runs. */
export interface LiveRoute extends Snapshot {
  readonly id: number;
  readonly version: number;
  readonly apiId: number | null;
  readonly isOff: boolean;
  readonly privateAllowed: boolean;
  readonly resets: number;
}

/** A service as the gateway chooses among its instances. */
export interface LiveService {
  readonly id: number;
  readonly code: string;
  readonly clientId: string | null;
  readonly enabled: boolean;
  readonly maintenance: boolean;
  readonly maintenanceText: string;
  readonly maintenanceUntil: Date | null;
  readonly instances: readonly { readonly host: string; readonly port: number; readonly weight: number }[];
  readonly allowed: ReadonlySet<number>;
}

/** Everything a server must know to forward calls. */
export interface GatewayState {
  readonly routes: readonly LiveRoute[];
  readonly services: ReadonlyMap<number, LiveService>;
}

/** Reads what is published now, and who may call which service. */
export async function readGatewayState(platform: Platform): Promise<GatewayState> {
  const { db } = platform.database;
  const routes = await run<{
    id: number;
    version: number;
    snapshot: Snapshot;
    apiId: number | null;
    isOff: boolean;
    privateAllowed: boolean;
    resets: number;
  }>(
    db,
    `SELECT r.id, v.no AS version, v.snapshot, r.api_id AS "apiId", coalesce(a.state = 'off', false) AS "isOff",
            coalesce(u.private_allowed, false) AS "privateAllowed", coalesce(c.resets, 0) AS resets
       FROM gateway_route r JOIN gateway_route_version v ON v.route_id = r.id AND v.no = r.published_version
       LEFT JOIN api_call a ON a.id = r.api_id LEFT JOIN gateway_circuit c ON c.route_id = r.id
       LEFT JOIN upstream_host u ON u.id = (v.snapshot->>'upstreamId')::bigint
      WHERE r.state = 'published' ORDER BY r.id`,
  );
  return {
    routes: routes.map(({ snapshot, ...live }) => ({ ...snapshot, ...live })),
    services: routes.length === 0 ? new Map() : await readServices(platform),
  };
}

/** Every service with its instances that take work and whom it may call. */
export async function readServices(
  platform: Platform,
  db: Executor = platform.database.db,
): Promise<ReadonlyMap<number, LiveService>> {
  const services = await run<Omit<LiveService, 'instances' | 'allowed'> & { allowed: number[] }>(
    db,
    `SELECT s.id, s.code, s.client_id AS "clientId", s.enabled, s.maintenance AND coalesce(s.maintenance_until > now(), true) AS maintenance,
            s.maintenance_text AS "maintenanceText", s.maintenance_until AS "maintenanceUntil",
            ARRAY(SELECT a.target_id FROM service_client_allowed a WHERE a.service_id = s.id) AS allowed
       FROM service_client s`,
  );
  const instances = await run<{ service: string; host: string; port: number; weight: number }>(
    db,
    `SELECT service, host, port, weight FROM service_instance WHERE status = 'UP' AND status_override IS NULL AND port IS NOT NULL AND weight > 0 ORDER BY id`,
  );
  return new Map(
    services.map((one) => [
      one.id,
      {
        ...one,
        allowed: new Set(one.allowed.map(Number)),
        instances: instances.filter((instance) => instance.service === one.code),
      },
    ]),
  );
}
