import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { CONFIRM_DAYS, workOrderBinding, workOrderPrefix } from './work-order-binding.server.ts';
import { businessOrder } from './work-order.contract.ts';

const bound: BoundResource = bindResource(businessOrder, {
  ...workOrderBinding,
  where: `t.type = 'goods'`,
  also: {
    prefixes: [workOrderPrefix(businessOrder, 'goods')],
    jobs: [
      dueJob(() => bound, {
        name: 'businessOrder.auto_confirm',
        title: ['商业订单自动确认', 'Confirm finished orders of goods'],
        cron: '7 * * * *',
        action: 'autoConfirm',
        when: `t.finished_at + make_interval(days => ${CONFIRM_DAYS}) <= now()`,
      }),
    ],
  },
});

/** Orders of goods created as work orders. */
export const registration = bound.registration;
