import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { run, transaction } from '../../../kernel/server/database.ts';
import { forbidden, notFound } from '../../../kernel/server/http/errors.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import { INSTANCE_STATUSES } from '../../../domain/services/registry.rules.ts';
import {
  deregister,
  heartbeat,
  INSTANCE,
  registerInstance,
} from '../../../domain/services/registry.server.ts';
import { SERVICE_SCOPE, serviceOfToken } from '../../../domain/services/service-token.server.ts';

const short = z.string().min(1).max(200);
const GONE = notFound(['实例未注册，请重新注册', 'The instance is not registered, register again']);

/** What outside programs call with the token of their service. */
export const registryEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/admin/registry/instance',
    title: ['注册实例', 'Register an instance'],
    access: { program: SERVICE_SCOPE },
    body: z.strictObject({
      service: z.string().min(3).max(20),
      host: short,
      port: z.number().int().min(1).max(65_535),
      release: z.string().max(100).optional(),
      zone: z.string().max(60).optional(),
      metadata: z
        .record(z.string().max(60), z.union([z.string().max(200), z.number(), z.boolean()]))
        .refine((value) => Object.keys(value).length <= 20)
        .optional(),
    }),
    handle: async (call) => {
      const own = await serviceOfToken(call);
      if (call.body.service !== own)
        throw forbidden(['只能注册令牌所属的服务', 'The token belongs to another service']);
      const instanceId = randomUUID();
      const leaseSeconds = await call.platform.settings.number('registry.lease_seconds');
      const { service, host, port, release, zone, metadata } = call.body;
      await transaction(call.platform.database.db, (tx) =>
        registerInstance(tx, {
          instanceId,
          service,
          role: 'external',
          host,
          port,
          release: release ?? '',
          zone: zone ?? '',
          metadata: metadata ?? {},
          leaseSeconds,
        }),
      );
      call.platform.changed(INSTANCE);
      return { instanceId, leaseSeconds };
    },
  }),
  endpoint({
    method: 'PUT',
    path: '/admin/registry/instance/:instanceId/heartbeat',
    title: ['实例心跳', 'Heartbeat of an instance'],
    access: { program: SERVICE_SCOPE },
    body: z.strictObject({
      status: z.enum(INSTANCE_STATUSES),
      checks: z
        .array(
          z.strictObject({
            name: z.string().min(1).max(60),
            ok: z.boolean(),
            note: z.string().max(200).optional(),
          }),
        )
        .max(20)
        .default([]),
    }),
    handle: async (call) => {
      const own = await serviceOfToken(call);
      const checks = call.body.checks.map(({ name, ok, note }) => ({ name, ok, ...(note ? { note } : {}) }));
      const status = await transaction(call.platform.database.db, (tx) =>
        heartbeat(tx, call.params.instanceId!, { status: call.body.status, checks }, own),
      );
      if (status === undefined) throw GONE;
      return { status };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/admin/registry/instance/:instanceId',
    title: ['注销实例', 'Deregister an instance'],
    access: { program: SERVICE_SCOPE },
    handle: async (call) => {
      const own = await serviceOfToken(call);
      const gone = await transaction(call.platform.database.db, (tx) =>
        deregister(tx, call.params.instanceId!, '', null, own),
      );
      if (!gone) throw GONE;
      call.platform.changed(INSTANCE);
      return true;
    },
  }),
  endpoint({
    method: 'GET',
    path: '/admin/registry/service/:code',
    title: ['服务的可用实例', 'Instances of a service that are up'],
    access: { program: SERVICE_SCOPE },
    handle: async (call) => {
      await serviceOfToken(call);
      return run<{ instanceId: string; host: string; port: number | null; zone: string; weight: number }>(
        call.platform.database.db,
        `SELECT instance_id AS "instanceId", host, port, zone, release, weight, metadata
           FROM service_instance WHERE service = $1 AND status = 'UP' ORDER BY id`,
        [call.params.code],
      );
    },
  }),
];
