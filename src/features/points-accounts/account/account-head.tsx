import { useState } from 'react';
import type { Label } from '../../../kernel/contract/label.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { pointsAccount } from './account.contract.ts';
import { useAccountFigures } from './account-calls.ts';
import '../../../kernel/client/report/report.css';
import './account.css';

const ReconcileDialog = lazyPart(() =>
  import('./account-parts.tsx').then((module) => module.ReconcileDialog),
);

interface Card {
  readonly label: Label;
  readonly formula: Label;
  readonly value: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}

/** Cards over the list; each opens exactly its rows, the differences their check. */
export function AccountHead() {
  const text = useText();
  const view = useView();
  const held = useHeld(pointsAccount);
  const [checking, setChecking] = useState(false);
  const { data } = useAccountFigures();
  const cards: readonly Card[] = [
    {
      label: ['未使用积分', 'Outstanding'],
      formula: ['可用 + 占用', 'Available + held'],
      value: data && thousands(data.outstanding),
      query: { available: '1~', sort: '-available' },
    },
    {
      label: ['负债', 'Liability'],
      formula: ['未使用积分 × 每积分价值', 'Outstanding × worth of a point'],
      value: data && `¥${data.liability}`,
      query: { available: '1~', sort: '-available' },
    },
    {
      label: ['待入账', 'Pending'],
      formula: ['已产生、尚未入账', 'Announced, not released'],
      value: data && thousands(data.pending),
      query: { hasPending: 'true' },
    },
    {
      label: ['30天内过期', 'Expiring in 30 days'],
      formula: ['30 天内到期的可用积分', 'Available points that expire within 30 days'],
      value: data && thousands(data.expiring30),
      query: { expiringDays: '30' },
    },
    {
      label: ['欠分', 'Owed'],
      formula: ['追回时不足、待偿还', 'Missing when taken back, repaid by what comes'],
      value: data && thousands(data.owed),
      query: { hasDebt: 'true' },
    },
  ];
  return (
    <section className="pa-head k-figures" aria-label={text(['积分概览', 'Figures of points'])}>
      {cards.map((card) => (
        <button
          key={card.label[1]}
          type="button"
          className="k-figure"
          title={`${text(card.label)} · ${text(card.formula)}`}
          onClick={() => view.setQuery(new URLSearchParams(card.query))}
        >
          <span className="k-figure-label">{text(card.label)}</span>
          <span className="k-figure-value">{card.value ?? <i className="k-figure-wait" />}</span>
        </button>
      ))}
      <button
        type="button"
        className={data && data.differences > 0 ? 'k-figure pa-bad' : 'k-figure'}
        title={text(['账本核对发现的差异，必须为 0', 'What the checks of the ledger find: must be 0'])}
        disabled={!held('btn_reconcile')}
        onClick={() => setChecking(true)}
      >
        <span className="k-figure-label">{text(['差异', 'Differences'])}</span>
        <span className="k-figure-value">
          {data ? thousands(data.differences) : <i className="k-figure-wait" />}
        </span>
      </button>
      {checking && <ReconcileDialog rows={[]} close={() => setChecking(false)} />}
    </section>
  );
}
