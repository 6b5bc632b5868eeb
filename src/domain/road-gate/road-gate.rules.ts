import type { Choice } from '../../kernel/contract/fields.ts';

/** Makers of gates. One without a connection of its own is played by the sandbox. */
export const GATE_VENDORS = {
  sandbox: { label: ['沙箱', 'Sandbox'] },
  hikvision: { label: ['海康威视', 'Hikvision'] },
  jieshun: { label: ['捷顺', 'Jieshun'] },
} as const satisfies Readonly<Record<string, Choice>>;

export type GateVendorCode = keyof typeof GATE_VENDORS;

/** Which way cars pass. */
export const GATE_DIRECTIONS = {
  in: { label: ['入', 'In'] },
  out: { label: ['出', 'Out'] },
  both: { label: ['双向', 'Both ways'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** What happens at a gate. */
export const GATE_EVENTS = {
  enter: { label: ['车辆驶入', 'Car in'], tone: 'default' },
  exit: { label: ['车辆驶出', 'Car out'], tone: 'default' },
  open: { label: ['抬杆', 'Opened'], tone: 'processing' },
  close: { label: ['落杆', 'Closed'], tone: 'default' },
  lost: { label: ['离线', 'Offline'], tone: 'error' },
  back: { label: ['恢复', 'Back'], tone: 'success' },
  backFaulty: { label: ['恢复连接（仍故障）', 'Back, still at fault'], tone: 'warning' },
  fault: { label: ['故障', 'Fault'], tone: 'warning' },
} as const satisfies Readonly<Record<string, Choice>>;

export type GateEventKind = keyof typeof GATE_EVENTS;

/** What became of a remote opening. */
export const OPEN_OUTCOMES = {
  sent: { label: ['已下发', 'Sent'], tone: 'processing' },
  opened: { label: ['已抬杆', 'Opened'], tone: 'success' },
  refused: { label: ['设备拒绝', 'Refused by the device'], tone: 'error' },
  silent: { label: ['设备未响应', 'Device did not answer'], tone: 'error' },
} as const satisfies Readonly<Record<string, Choice>>;

export type GateState = 'online' | 'offline' | 'fault';

/** What state a gate is in behind an event, where the event is about that. */
export const STATE_AFTER: Readonly<Partial<Record<GateEventKind, GateState>>> = {
  lost: 'offline',
  back: 'online',
  backFaulty: 'fault',
  fault: 'fault',
};

/** Events that change the state of a gate. */
export const STATE_EVENTS = Object.keys(STATE_AFTER) as readonly GateEventKind[];

/** A stretch of time a gate was in one state; `none`: before it was there. */
export interface StateSpan {
  readonly state: GateState | 'none';
  readonly from: Date;
  readonly to: Date;
}

/**
 * The states of a gate between two instants. `events` are in order, the first may lie before the time and says how it began;
 * where none does, an older one has been cleared away. A new gate is offline until its device is heard of.
 */
export function stateSpans(
  gate: { readonly state: GateState; readonly created_at: Date },
  events: readonly { readonly kind: GateEventKind; readonly at: Date }[],
  from: Date,
  to: Date,
): StateSpan[] {
  const spans: StateSpan[] = [];
  const told = events.filter((event) => STATE_AFTER[event.kind] && event.at <= to);
  let since = from;
  let state: StateSpan['state'];
  if (told[0] && told[0].at <= from) state = STATE_AFTER[told[0].kind]!;
  else if (gate.created_at > from) state = 'none';
  else state = told[0] ? (told[0].kind.startsWith('back') ? 'offline' : 'online') : gate.state;
  const turn = (next: StateSpan['state'], at: Date) => {
    if (next === state || at <= from) return;
    if (at > since) spans.push({ state, from: since, to: at });
    [state, since] = [next, at];
  };
  if (state === 'none') turn('offline', gate.created_at < to ? gate.created_at : to);
  for (const event of told) turn(STATE_AFTER[event.kind]!, event.at);
  if (since < to) spans.push({ state, from: since, to });
  return spans;
}
