import type { Platform } from '../../kernel/server/platform.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { RefundChannel } from './payment-channel.ts';
import { recorded } from './channel-calls.server.ts';
import { sandboxChannel } from './sandbox-channel.server.ts';

declare module '../../kernel/server/platform.ts' {
  interface PlatformConfig {
    /** Real payment channels by number (1 Alipay, 2 WeChat); one that is not named is the sandbox. */
    readonly paymentChannels?: Readonly<Partial<Record<1 | 2, RefundChannel>>>;
  }
}

const NO_SANDBOX: Label = [
  '该支付方式已接入正式渠道，不能模拟支付，请由买家付款',
  'This pay way is a real channel: payments cannot be simulated, the buyer has to pay',
];

/**
 * The channel a payment was made through: 1 Alipay, 2 WeChat. Both are the sandbox until the real ones are configured
 * (ssm_mallPayment, pm_account). Throws RangeError for channel 0, where there is nothing to refund.
 */
export function refundChannel(platform: Platform, channel: number): RefundChannel {
  if (channel !== 1 && channel !== 2) throw new RangeError(`payment channel ${channel} moves no money`);
  return recorded(platform, channel, platform.config.paymentChannels?.[channel] ?? sandboxChannel(platform));
}

/** True while payments of a channel go to the sandbox. */
export function isSandbox(platform: Pick<Platform, 'config'>, channel: number): boolean {
  return platform.config.paymentChannels?.[channel as 1 | 2] === undefined;
}

/** Refuses (30101) what only the sandbox may do: a simulated payment would mark orders as paid without money. */
export function requireSandbox(platform: Pick<Platform, 'config'>, channel: number): void {
  if (!isSandbox(platform, channel)) throw ruleBroken(NO_SANDBOX);
}
