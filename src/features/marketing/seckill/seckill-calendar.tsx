import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { SECKILL_STATES } from '../../../domain/seckill/seckill.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { seckillActivity, type SeckillBlock } from './seckill.contract.ts';
import './seckill.css';

const WEEK = [
  ['周一', 'Mon'],
  ['周二', 'Tue'],
  ['周三', 'Wed'],
  ['周四', 'Thu'],
  ['周五', 'Fri'],
  ['周六', 'Sat'],
  ['周日', 'Sun'],
] as const;

/** Monday of the week a day lies in. */
const mondayOf = (day: string): string => addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));

const timeOf = (at: string): string => instantFull(at).slice(11, 16);

/** A week: rows are goods, blocks their sessions in the colour of their activity's state; conflicts are hatched and say so. */
export function SeckillCalendar() {
  const text = useText();
  const view = useView();
  const [from, setFrom] = useState(() => mondayOf(businessDayOf(new Date())));
  const week = useQuery({
    queryKey: [...keysOf.all(seckillActivity.name), 'calendar', from],
    queryFn: ({ signal }) =>
      call<{ blocks: SeckillBlock[]; cut: boolean }>('GET', `${rootOf(seckillActivity)}/calendar`, {
        query: { from },
        signal,
      }),
  });
  const days = WEEK.map((label, index) => ({ label, day: addDays(from, index) }));
  const goods = new Map<string, { readonly name: string; readonly blocks: SeckillBlock[] }>();
  for (const block of week.data?.blocks ?? []) {
    const row = goods.get(block.spec) ?? { name: block.goods, blocks: [] };
    row.blocks.push(block);
    goods.set(block.spec, row);
  }
  const detail = view.pathOf('mk_seckillActivityManagement_detail');
  return (
    <div>
      <p className="sk-head">
        <Button onClick={() => setFrom(addDays(from, -7))}>{text(['上一周', 'Week before'])}</Button>
        <Button onClick={() => setFrom(mondayOf(businessDayOf(new Date())))}>
          {text(['本周', 'This week'])}
        </Button>
        <Button onClick={() => setFrom(addDays(from, 7))}>{text(['下一周', 'Week after'])}</Button>
        <b className="k-number">{`${from} – ${addDays(from, 6)}`}</b>
        <span className="sk-legend-text k-quiet">
          {text([
            '斜纹：与其他活动冲突，发布时会被拒绝',
            'Hatched: another activity has the goods at that time, publishing is refused',
          ])}
        </span>
      </p>
      {week.isError && <ErrorPanel error={week.error} onRetry={() => void week.refetch()} />}
      {week.data?.cut && (
        <p className="k-problem">
          {text(['场次过多，仅显示前 2000 个', 'Too many sessions, the first 2,000 are shown'])}
        </p>
      )}
      <div className="sk-week-host">
        <table className="sk-week">
          <thead>
            <tr>
              <th scope="col">{text(['商品', 'Goods'])}</th>
              {days.map(({ label, day }) => (
                <th
                  key={day}
                  scope="col"
                  aria-current={day === businessDayOf(new Date()) ? 'date' : undefined}
                >
                  {text(label)} {day.slice(5)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...goods].map(([spec, { name, blocks }]) => (
              <tr key={spec}>
                <th scope="row">{name}</th>
                {days.map(({ day }) => (
                  <td key={day}>
                    {blocks
                      .filter(
                        ({ startsAt, endsAt }) =>
                          // A session past midnight stands on both days.
                          businessDayOf(new Date(startsAt)) <= day &&
                          day <= businessDayOf(new Date(new Date(endsAt).getTime() - 1)),
                      )
                      .map((block) => (
                        <button
                          key={`${block.activity} ${block.startsAt}`}
                          type="button"
                          className={`sk-block-of-day${block.conflict ? ' sk-conflict' : ''}`}
                          disabled={detail === undefined}
                          onClick={() => view.open(`${detail}?id=${block.activity}`)}
                        >
                          <span className="k-number">{`${timeOf(block.startsAt)}–${timeOf(block.endsAt)}`}</span>
                          <span>{block.name}</span>
                          <StatusTag choice={SECKILL_STATES[block.state]} />
                          {block.conflict && <span className="k-problem">{text(['冲突', 'Conflict'])}</span>}
                        </button>
                      ))}
                  </td>
                ))}
              </tr>
            ))}
            {week.data && goods.size === 0 && (
              <tr>
                <td colSpan={8} className="k-quiet">
                  {text(['本周没有场次', 'No sessions in this week'])}
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </div>
  );
}
