import { useSession } from '../../../kernel/client/session.ts';

const defaults = {
  'frame.tabs.live_max': 12,
  'frame.lock.idle_minutes': 10,
  'frame.watermark': 'sensitive',
} as const;

/** A setting of the frame as `front/info` sends it (`settings`), else its default. */
export function frameSetting(key: keyof typeof defaults): string | number {
  return useSession.getState().info?.settings?.[key] ?? defaults[key];
}
