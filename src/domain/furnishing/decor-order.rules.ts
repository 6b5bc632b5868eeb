import type { Label } from '../../kernel/contract/label.ts';
import { addDays, daysBetween } from '../../kernel/contract/time.rules.ts';
import { rescheduled, type CancelStage } from './price.rules.ts';

/** Period number of the receivable that settles a cancelled order; instalments number from 1. */
export const SETTLEMENT_PERIOD = 100;

/** Days the settlement of a cancelled order may take. Source: group 14, cancel policy. */
export const SETTLEMENT_DAYS = 15;

/** States of an instalment as people read them. */
export const INSTALMENT_STATES = {
  later: { label: ['未到期', 'Later'], tone: 'default' },
  none: { label: ['无需支付', 'Nothing to pay'], tone: 'default' },
  open: { label: ['待收', 'Open'], tone: 'processing' },
  part: { label: ['部分收款', 'Part paid'], tone: 'warning' },
  paid: { label: ['已收清', 'Paid'], tone: 'success' },
  written_off: { label: ['坏账', 'Written off'], tone: 'error' },
  void: { label: ['作废', 'Void'], tone: 'default' },
} as const;

/** States of a construction node. */
export const NODE_STATES = {
  not_started: { label: ['未开始', 'Not started'], tone: 'default' },
  doing: { label: ['施工中', 'Under way'], tone: 'processing' },
  to_check: { label: ['待验', 'To check'], tone: 'warning' },
  passed: { label: ['已通过', 'Passed'], tone: 'success' },
  failed: { label: ['整改中', 'Rework'], tone: 'error' },
} as const;

/** What an order keeps on the way, by kind. */
export const CHECK_KINDS = {
  measure: { label: ['量房', 'Measured'] },
  design: { label: ['方案', 'Design'] },
  contract: { label: ['合同', 'Contract'] },
  done: { label: ['节点完工', 'Node done'] },
  node: { label: ['节点验收', 'Node check'] },
  final: { label: ['竣工验收', 'Acceptance'] },
  refix: { label: ['整改完成', 'Defects fixed'] },
  delay: { label: ['延期', 'Delay'] },
} as const;

/** How far an order has come by its state, for the cancel policy; none once the works are finished. */
export const CANCEL_STAGE: Readonly<Partial<Record<string, CancelStage>>> = {
  deposit_due: 'ordered',
  to_accept: 'ordered',
  measuring: 'ordered',
  designing: 'measured',
  signing: 'designed',
  to_start: 'designed',
  constructing: 'started',
};

/** An overdue instalment stands in the way. */
export const blockedText = (seq: number): Label => [
  `第 ${seq} 期款未付清，不能进入下一步`,
  `Instalment ${seq} is not paid`,
];

/** An instalment with what became of its receivable; amounts are fen. */
export interface PlanPart {
  readonly share: number;
  readonly amount: number;
  readonly received: number;
  /** Paid, or overdue: it stays as it is. */
  readonly kept: boolean;
}

/**
 * The plan under a new price. `overpaid` went back already: it counts as never paid. A part that is paid in part is never asked
 * less than came in for it.
 */
export function replanned(
  parts: readonly PlanPart[],
  price: number,
  overpaid: number,
): { readonly amounts: readonly number[]; readonly refund: number } {
  const standing = parts.map((part) => ({ ...part }));
  const shares = parts.map((part) => part.share);
  const lastKept = () => standing.findLastIndex((part) => part.kept);
  for (;;) {
    const at = lastKept();
    const { amounts, refund } = rescheduled(
      shares,
      standing.map((part, index) => ({
        amount: index === at ? part.amount - overpaid : part.amount,
        kept: part.kept,
      })),
      price,
    );
    const short = standing.findIndex((part, index) => !part.kept && amounts[index]! < part.received);
    if (short < 0)
      return {
        amounts: amounts.map((amount, index) => (index === at ? standing[index]!.amount : amount)),
        refund,
      };
    standing[short] = { ...standing[short]!, amount: standing[short]!.received, kept: true };
  }
}

/** Days of the works spread over the nodes by weight; each has a day at least, the last one ends with the works. */
export function nodeDates(
  weights: readonly number[],
  startOn: string,
  endOn: string,
): readonly { readonly from: string; readonly to: string }[] {
  const days = Math.max(1, daysBetween(startOn, endOn));
  const all = weights.reduce((sum, one) => sum + one, 0);
  let weight = 0;
  let from = startOn;
  return weights.map((one) => {
    weight += one;
    const upTo = addDays(startOn, Math.max(0, Math.round((days * weight) / all) - 1));
    const to = upTo < from ? from : upTo;
    const dates = { from, to };
    from = addDays(to, 1) > endOn ? endOn : addDays(to, 1);
    return dates;
  });
}
