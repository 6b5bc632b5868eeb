import { bindSettings } from '../../../kernel/server/settings/bind.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { mallSandbox } from './mall-payment.contract.ts';

const SHARES = ['sandbox_fail_percent', 'sandbox_duplicate_percent', 'sandbox_lost_percent'] as const;

/** The sandbox of the payment channels. */
export const registration = bindSettings(mallSandbox, {
  check: async (values): Promise<Record<string, Label>> => {
    const sum = SHARES.reduce((all, name) => all + Number(values[name]), 0);
    return sum <= 100 ? {} : { sandbox_lost_percent: ['各项合计不能超过 100%', 'Together at most 100 %'] };
  },
});
