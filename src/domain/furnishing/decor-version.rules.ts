import type { Label } from '../../kernel/contract/label.ts';
import { CANCEL_STAGES, DUE_EVENTS, type CancelRule } from './price.rules.ts';

export type DueEvent = keyof typeof DUE_EVENTS;

/** What is guaranteed, each with the least months the law asks for. */
export const WARRANTY = {
  utilities: { label: ['水电', 'Utilities'], least: 60, usual: 60 },
  waterproof: { label: ['防水', 'Waterproofing'], least: 60, usual: 60 },
  masonry: { label: ['泥瓦', 'Masonry'], least: 24, usual: 24 },
  carpentry: { label: ['木作', 'Carpentry'], least: 24, usual: 24 },
  paint: { label: ['油漆', 'Painting'], least: 24, usual: 24 },
  furniture: { label: ['家具软装', 'Furniture'], least: 24, usual: 24 },
  other: { label: ['其他', 'Other'], least: 24, usual: 24 },
} as const satisfies Readonly<Record<string, { label: Label; least: number; usual: number }>>;

export type WarrantyCategory = keyof typeof WARRANTY;

/** Shares and weights not 100. Source: group 14, mj_mercureCommodity. */
export const NOT_100: Label = ['合计须为 100%', 'Must add up to 100 %'];

/** Percent as typed, in hundredths of a percent. */
export function hundredths(percent: string | number): number {
  return Math.round(Number(percent) * 100);
}

/** Hundredths of a percent as typed. */
export function percentOf(share: number): string {
  return (share / 100).toFixed(2).replace(/\.?0+$/, '');
}

/** Why terms cannot be sold, by field of the form. Shares and weights are hundredths of a percent. */
export function termProblems(terms: {
  readonly plan: readonly { readonly share: number; readonly due: DueEvent }[];
  readonly nodes: readonly { readonly weight: number }[];
  readonly cancel: readonly CancelRule[];
  readonly warranty: readonly { readonly category: WarrantyCategory }[];
}): Record<string, Label> {
  const problems: Record<string, Label> = {};
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  const order = Object.keys(DUE_EVENTS);
  if (sum(terms.plan.map((row) => row.share)) !== 10_000) problems.plan = NOT_100;
  else if (terms.plan.some((row) => row.share <= 0))
    problems.plan = ['每期比例须大于 0', 'Each share is above 0'];
  else if (terms.plan[0]?.due !== 'order')
    problems.plan = ['首期须在下单时支付', 'The first instalment is due with the order'];
  else if (
    terms.plan.some(
      (row, index) => index > 0 && order.indexOf(row.due) < order.indexOf(terms.plan[index - 1]!.due),
    )
  )
    problems.plan = ['付款节点须按先后顺序', 'The events stand in their order'];
  else if (
    terms.plan.some((row) => row.due.startsWith('node:') && Number(row.due.slice(5)) > terms.nodes.length)
  )
    problems.plan = ['付款节点超出施工节点数', 'There is no such works node'];
  if (sum(terms.nodes.map((row) => row.weight)) !== 10_000) problems.nodes = NOT_100;
  else if (terms.nodes.some((row) => row.weight <= 0))
    problems.nodes = ['每个节点权重须大于 0', 'Each weight is above 0'];
  const stages = terms.cancel.map((row) => row.stage);
  if (Object.keys(CANCEL_STAGES).some((stage) => stages.filter((one) => one === stage).length !== 1))
    problems.cancelPolicy = ['每个阶段须有且仅有一行', 'Each stage has one row'];
  const categories = terms.warranty.map((row) => row.category);
  if (new Set(categories).size < categories.length)
    problems.warranty = ['质保类别重复', 'A category stands twice'];
  else if (Object.keys(WARRANTY).some((one) => !categories.includes(one as WarrantyCategory)))
    problems.warranty = ['每个质保类别都须填写', 'Every category is needed'];
  return problems;
}
