import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { seckillResume } from './seckill.contract.ts';
import { checksAbove } from './seckill.screen.tsx';

const slots: ScreenSlots = { detailAbove: checksAbove };

/** 秒杀活动恢复. */
export const screen = {
  contract: seckillResume,
  component: () => <ScreenOf contract={seckillResume} slots={slots} />,
};
