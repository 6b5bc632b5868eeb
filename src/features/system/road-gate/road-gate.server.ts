import { openGate, type GateDevice } from '../../../domain/road-gate/gate-vendor.server.ts';
import {
  STATE_EVENTS,
  stateSpans,
  type GateEventKind,
  type GateState,
  type GateVendorCode,
} from '../../../domain/road-gate/road-gate.rules.ts';
import { openText, sealText } from '../../../domain/payee/sealed-text.server.ts';
import { tailOf } from '../../../domain/payee/payee-secret.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import {
  addDays,
  businessDayOf,
  isoInstant,
  startOfBusinessDay,
} from '../../../kernel/contract/time.rules.ts';
import type { FieldChange } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { ruleBroken, tooMany } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import {
  endpoint,
  type Call,
  type Endpoint,
  type Registration,
} from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { gateReports, addGateEvent } from './gate-report.server.ts';
import { GATE_SCOPE_COLUMNS, gateJobs, gateSight } from './gate-watch.server.ts';
import { roadGate, type StateSpanWire } from './road-gate.contract.ts';

const ROOT = '/jinmao/web/roadGate';
/** Between two remote openings of a gate. Source: group 09, ssm_roadGate. */
const PAUSE_SECONDS = 10;
const LINE_DAYS = 7;
const SILENT: Label = ['设备未响应', 'Device did not answer'];
const REFUSED: Label = ['设备拒绝抬杆，请检查设备', 'The device refused to open, please check it'];
const DISABLED: Label = ['道闸已停用', 'The gate is disabled'];

const bound: BoundResource = bindResource(roadGate, {
  table: 'road_gate',
  joins: { project: 'project' },
  columns: {
    keyMark: `CASE WHEN t.key_set_at IS NULL THEN '' ELSE '****' || t.key_tail || ' · ' || to_char(t.key_set_at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD') END`,
    lastEvent: 't.last_event_kind',
  },
  unique: {
    road_gate_device_no: ['该厂商的设备号已登记', 'This device no. of the vendor is registered already'],
  },
  usedBy: { road_gate_event: false },
  scope: GATE_SCOPE_COLUMNS,
  search: 't.search',
  ruleReads: ['enabled'],
  rowRules: { open: (row) => (row.enabled === false ? DISABLED : undefined) },
  handlers: {
    open: ask,
    rotate: async ({ tx, platform, id, input }) => {
      await keepKey(tx, platform, id, String(input.key));
      return { changes: [keyChange(String(input.key))] };
    },
    lose: async ({ tx, id }) => void (await addGateEvent(tx, id, { kind: 'lost' })),
    recover: async ({ tx, id }) => void (await addGateEvent(tx, id, { kind: 'back' })),
    recoverFaulty: async ({ tx, id }) => void (await addGateEvent(tx, id, { kind: 'backFaulty' })),
    fail: async ({ tx, id }) => void (await addGateEvent(tx, id, { kind: 'fault' })),
  },
  after: [
    async ({ tx, platform, action, input }, id) => {
      if ((action !== 'create' && action !== 'update') || !input.key) return [];
      await keepKey(tx, platform, id, String(input.key));
      return [keyChange(String(input.key))];
    },
  ],
  endpoints: [
    gateReports(() => bound),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/stateLine`,
      title: ['近七天状态', 'States of seven days'],
      access: { code: roadGate.menu },
      handle: (call) => stateLine(call, idOf(call.params.id)),
    }),
  ],
  also: { jobs: gateJobs(() => bound), sights: [gateSight] },
});

/** Road gates. */
export const registration: Registration = {
  ...bound.registration,
  endpoints: bound.registration.endpoints.map((one) =>
    one.method === 'POST' && one.path === `${ROOT}/:id/open` ? thenOpened(one) : one,
  ),
};

/** Writes down who opens which gate and why, before the device is asked: whatever becomes of it, that stays. */
async function ask({ tx, id, row, input, caller }: ActionContext) {
  const since = await runOne<{ seconds: number | null }>(
    tx,
    'SELECT extract(epoch FROM clock_timestamp() - opened_at)::float8 AS seconds FROM road_gate WHERE id = $1',
    [id],
  );
  if (since!.seconds !== null && since!.seconds < PAUSE_SECONDS)
    throw tooMany(
      [
        `同一道闸 ${PAUSE_SECONDS} 秒内只能抬杆一次`,
        `A gate opens remotely once in ${PAUSE_SECONDS} seconds`,
      ],
      PAUSE_SECONDS - since!.seconds,
    );
  const reason = String(input.reason);
  await run(tx, 'UPDATE road_gate SET opened_at = clock_timestamp() WHERE id = $1', [id]);
  const event = await addGateEvent(tx, id, {
    kind: 'open',
    operatorId: caller.staffId,
    reason,
    outcome: 'sent',
  });
  return { remark: reason, result: { name: String(row.name), event } };
}

/** Behind the commit the device is asked: nobody holds the row while it makes up its mind. */
function thenOpened(inner: Endpoint): Endpoint {
  return {
    ...inner,
    handle: async (call: Call) => {
      const answer = (await inner.handle(call)) as { readonly result: { readonly event: number } };
      const { platform } = call;
      const { db } = platform.database;
      const outcome = await openGate(platform, await deviceOf(platform, idOf(call.params.id)));
      await run(db, 'UPDATE road_gate_event SET outcome = $2 WHERE id = $1', [answer.result.event, outcome]);
      platform.changed('roadGateEvent');
      if (outcome === 'opened') return answer;
      throw ruleBroken(outcome === 'silent' ? SILENT : REFUSED);
    },
  };
}

async function deviceOf(platform: Platform, id: number): Promise<GateDevice> {
  const row = (await runOne<{ vendor: GateVendorCode; device_no: string; key_sealed: Uint8Array | null }>(
    platform.database.db,
    'SELECT vendor, device_no, key_sealed FROM road_gate WHERE id = $1',
    [id],
  ))!;
  return {
    vendor: row.vendor,
    deviceNo: row.device_no,
    key: row.key_sealed ? openText(platform.config, 'gate', String(id), row.key_sealed) : undefined,
  };
}

async function keepKey(tx: Tx, platform: Platform, id: number, key: string): Promise<void> {
  await run(tx, 'UPDATE road_gate SET key_sealed = $2, key_tail = $3, key_set_at = now() WHERE id = $1', [
    id,
    sealText(platform.config, 'gate', String(id), key),
    tailOf(key),
  ]);
}

/** What may be told of a new key: that there is one. */
const keyChange = (key: string): FieldChange => ({
  field: 'keyMark',
  before: null,
  after: `****${tailOf(key)}`,
});

async function stateLine(call: Call, id: number): Promise<{ spans: StateSpanWire[] }> {
  await bound.find(call, id);
  const { db } = call.platform.database;
  const to = new Date();
  const from = startOfBusinessDay(addDays(businessDayOf(to), 1 - LINE_DAYS));
  const gate = (await runOne<{ state: GateState; created_at: Date }>(
    db,
    'SELECT state, created_at FROM road_gate WHERE id = $1',
    [id],
  ))!;
  const events = await run<{ kind: GateEventKind; at: Date }>(
    db,
    `SELECT kind, at FROM road_gate_event WHERE gate_id = $1 AND kind = ANY($3)
        AND at >= coalesce((SELECT max(at) FROM road_gate_event WHERE gate_id = $1 AND kind = ANY($3) AND at <= $2), $2)
      ORDER BY at, id`,
    [id, from, STATE_EVENTS],
  );
  return {
    spans: stateSpans(gate, events, from, to).map((span) => ({
      state: span.state,
      from: isoInstant(span.from),
      to: isoInstant(span.to),
    })),
  };
}
