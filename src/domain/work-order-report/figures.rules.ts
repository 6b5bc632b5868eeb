/** Menus of the reports over work orders; their filters name people, departments and categories. */
export const REPORT_MENUS = [
  'or_ProOperIndex',
  'or_ProOperDetail',
  'or_operIndex',
  'or_operDetail',
  'or_agingCount',
] as const;

/** Figures that count work orders, by key; the lists behind the reports are filtered by them. */
export const METRICS = {
  total: { label: ['工单总数', 'Orders'] },
  repair: { label: ['报修', 'Repair'] },
  complaint: { label: ['投诉', 'Complaint'] },
  plan: { label: ['计划', 'Plan'] },
  goods: { label: ['商品', 'Goods'] },
  service: { label: ['服务', 'Service'] },
  waiting: { label: ['待接', 'Not accepted'] },
  doing: { label: ['处理中', 'In progress'] },
  finished: { label: ['已完成', 'Finished'] },
  cancelled: { label: ['已取消', 'Cancelled'] },
  absent: { label: ['缺勤', 'Missed'] },
  due: { label: ['应完成', 'Not cancelled'] },
  responseMet: { label: ['响应及时', 'Response in time'] },
  responseJudged: { label: ['响应已判定', 'Response judged'] },
  solveMet: { label: ['完成及时', 'Resolved in time'] },
  solveJudged: { label: ['完成已判定', 'Resolution judged'] },
  overdue: { label: ['超时', 'Overdue'] },
  accepted: { label: ['已接单', 'Accepted'] },
  solved: { label: ['完成过', 'Ever finished'] },
  returned: { label: ['退单', 'Returned'] },
  transferred: { label: ['转单', 'Transferred'] },
  reopened: { label: ['重开', 'Reopened'] },
  rated: { label: ['已评价', 'Rated'] },
} as const;
export type Metric = keyof typeof METRICS;

/** Sums of a slice of orders: each count, and the three sums that are averaged. */
export type FigureSums = Readonly<Record<Metric | 'responseMinutes' | 'solveMinutes' | 'scores', number>>;

/** The formulas of rates and averages with the numbers of a slice. */
export function workingOf(sums: FigureSums): Record<keyof ReturnType<typeof ratesOf>, string> {
  const minutes = (sum: number) => String(Math.round(sum));
  return {
    completionRate: `${sums.finished} ÷ (${sums.total} − ${sums.total - sums.due})`,
    responseRate: `${sums.responseMet} ÷ (${sums.responseMet} + ${sums.responseJudged - sums.responseMet})`,
    solveRate: `${sums.solveMet} ÷ (${sums.solveMet} + ${sums.solveJudged - sums.solveMet})`,
    averageResponse: `${minutes(sums.responseMinutes)} ÷ ${sums.accepted}`,
    averageSolve: `${minutes(sums.solveMinutes)} ÷ ${sums.solved}`,
    reopenRate: `${sums.reopened} ÷ ${sums.solved}`,
    ratedRate: `${sums.rated} ÷ ${sums.finished}`,
    score: `${sums.scores} ÷ ${sums.rated}`,
  };
}

/** Rates and averages of a slice, always from its own counts and never from those of its parts; null without a base. */
export function ratesOf(sums: FigureSums) {
  const rate = (part: number, whole: number) => (whole === 0 ? null : (100 * part) / whole);
  const mean = (sum: number, count: number) => (count === 0 ? null : sum / count);
  const minutes = (sum: number, count: number) => (count === 0 ? null : Math.round(sum / count));
  return {
    completionRate: rate(sums.finished, sums.due),
    responseRate: rate(sums.responseMet, sums.responseJudged),
    solveRate: rate(sums.solveMet, sums.solveJudged),
    averageResponse: minutes(sums.responseMinutes, sums.accepted),
    averageSolve: minutes(sums.solveMinutes, sums.solved),
    reopenRate: rate(sums.reopened, sums.solved),
    ratedRate: rate(sums.rated, sums.finished),
    score: mean(sums.scores, sums.rated),
  };
}
