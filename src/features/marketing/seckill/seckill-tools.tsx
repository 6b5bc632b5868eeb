import { useState } from 'react';
import { Button, Form, Input } from 'antd';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { DayRange } from '../../../kernel/client/parts/day-range.tsx';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { rootOf } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { priceOff, sessionsBetween } from './seckill-tools.rules.ts';
import { seckillActivity } from './seckill.contract.ts';
import './seckill.css';

type Line = Readonly<Record<string, unknown>>;

/** Adds a session for each day of a range and each time of day to those that stand below. */
export function SessionTools() {
  const text = useText();
  const form = Form.useFormInstance();
  const [days, setDays] = useState<readonly [string, string]>(['', '']);
  const [times, setTimes] = useState('');
  const made = sessionsBetween(days[0], days[1], times);
  const add = () => {
    const now = (form.getFieldValue('sessions') ?? []) as readonly Line[];
    // The empty row a new form begins with is not kept.
    form.setFieldValue('sessions', [...now.filter((one) => one.startsAt || one.endsAt), ...made]);
  };
  return (
    <div className="sk-tools">
      <DayRange
        value={days}
        label={text(['日期', 'Days'])}
        onChange={(next) => setDays([next[0], next[1]])}
      />
      <Input
        value={times}
        aria-label={text(['每日时段', 'Times of the day'])}
        placeholder={text([
          '每日时段，如 10:00-11:00 20:00-22:00',
          'Times of the day, such as 10:00-11:00 20:00-22:00',
        ])}
        onChange={(event) => setTimes(event.target.value)}
      />
      <Button disabled={made.length === 0} onClick={add}>
        {text(
          made.length === 0 ? ['加入场次', 'Add sessions'] : [`加入 ${made.length} 场`, `Add ${made.length}`],
        )}
      </Button>
    </div>
  );
}

/** Sets the price of every row below by per cent off its ordinary price. */
export function PriceTools() {
  const text = useText();
  const form = Form.useFormInstance();
  const [off, setOff] = useState('');
  const set = useMutation({
    onError: tellFault,
    mutationFn: async () => {
      const rows = (form.getFieldValue('entries') ?? []) as readonly Line[];
      const ids = rows.flatMap((row) => (row.spec as RefValue | null | undefined)?.id ?? []);
      const prices = await call<Readonly<Record<string, string>>>(
        'GET',
        `${rootOf(seckillActivity)}/prices`,
        {
          query: { specs: ids.join(',') },
        },
      );
      form.setFieldValue(
        'entries',
        rows.map((row) => {
          const base = fenFromYuan(prices[(row.spec as RefValue | null | undefined)?.id ?? ''] ?? '');
          return base === undefined ? row : { ...row, price: yuanFromFen(priceOff(base, Number(off))) };
        }),
      );
    },
  });
  const percent = Number(off);
  return (
    <div className="sk-tools">
      <NumberText
        value={off}
        scale={0}
        min={1}
        max={99}
        unit="%"
        label={text(['优惠比例', 'Per cent off'])}
        onChange={setOff}
      />
      <Button
        disabled={!(percent >= 1 && percent <= 99)}
        loading={set.isPending}
        onClick={() => set.mutate()}
      >
        {text(['按原价优惠填入全部', 'Set all prices by it'])}
      </Button>
    </div>
  );
}
