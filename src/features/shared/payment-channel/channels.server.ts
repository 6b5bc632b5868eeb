import type { Platform } from '../../../kernel/server/platform.ts';
import type { RefundChannel } from './payment-channel.ts';
import { sandboxChannel } from './sandbox-channel.server.ts';

/**
 * The channel a payment was made through: 1 Alipay, 2 WeChat. Both are the sandbox until the real ones are configured
 * (ssm_mallPayment, pm_account). Throws RangeError for channel 0, where there is nothing to refund.
 */
export function refundChannel(platform: Platform, channel: number): RefundChannel {
  if (channel !== 1 && channel !== 2) throw new RangeError(`payment channel ${channel} moves no money`);
  return sandboxChannel(platform);
}
