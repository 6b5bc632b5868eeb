import { runOne } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { GateVendorCode } from './road-gate.rules.ts';

/** A device as its maker's side knows it. The key is opened for the call only. */
export interface GateDevice {
  readonly vendor: GateVendorCode;
  readonly deviceNo: string;
  readonly key: string | undefined;
}

/** The other side of a gate: the platform of its maker. */
export interface GateVendor {
  /** Asks the device to open. Ends early when `signal` says that nobody waits any more; may throw, which is no answer. */
  open(device: GateDevice, signal: AbortSignal): Promise<'opened' | 'refused'>;
}

declare module '../../kernel/server/platform.ts' {
  interface PlatformConfig {
    /** Connected makers of gates; one that is not named is the sandbox. */
    readonly gateVendors?: Readonly<Partial<Record<GateVendorCode, GateVendor>>>;
  }
}

/** Longest wait for a device. Source: group 09, ssm_roadGate. */
export const OPEN_SECONDS = 5;

/** Asks a device to open and waits for its answer, at most `milliseconds`; a device that says nothing is `silent`. */
export async function openGate(
  platform: Platform,
  device: GateDevice,
  milliseconds = OPEN_SECONDS * 1000,
): Promise<'opened' | 'refused' | 'silent'> {
  const vendor = platform.config.gateVendors?.[device.vendor] ?? sandboxVendor(platform);
  const waiting = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'silent'>((resolve) => {
    timer = setTimeout(() => resolve('silent'), milliseconds);
  });
  try {
    return await Promise.race([vendor.open(device, waiting.signal).catch(() => 'silent' as const), late]);
  } finally {
    clearTimeout(timer);
    waiting.abort();
  }
}

/** Gates without wires: one that sends heartbeats opens, a broken one refuses, one that is offline says nothing. */
function sandboxVendor(platform: Platform): GateVendor {
  return {
    open: async (device, signal) => {
      const gate = await runOne<{ state: string }>(
        platform.database.db,
        'SELECT state FROM road_gate WHERE vendor = $1 AND lower(device_no) = lower($2)',
        [device.vendor, device.deviceNo],
      );
      if (gate?.state === 'online') return 'opened';
      if (gate?.state === 'fault') return 'refused';
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('nobody waits any more')), { once: true });
      });
    },
  };
}
