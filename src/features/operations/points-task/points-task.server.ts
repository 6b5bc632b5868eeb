import { saidTwice, partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { pointsTask } from './points-task.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const done = (what: string, days: number) =>
  `(SELECT ${what} FROM points_task_done d WHERE d.task_id = t.id AND d.gives > 0 AND d.day > ${TODAY} - ${days})`;
const said = (value: unknown, { language }: { language: 'zh' | 'en' }) =>
  partsOfSaid(value)[language === 'en' ? 1 : 0];

/** Tasks of the whole product; what they gave is told over all projects. */
export const registration = bindResource(pointsTask, {
  table: 'points_task',
  columns: {
    doneToday: done('count(*)::int', 1),
    doneMonth: done('count(*)::int', 30),
    pointsMonth: done('coalesce(sum(d.points), 0)::int', 30),
  },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
  extra: { nameEn: 't.name_en', proofEn: 't.proof_en' },
  keyword: (value, parameters) =>
    `position(lower(${parameters.bind(value)}) IN lower(t.code || ' ' || t.name || ' ' || t.name_en)) > 0`,
  words: { name: said, proof: said },
  before: [
    ({ action, row, input }) => {
      if (action !== 'update') return Promise.resolve();
      const day = Number(input.dayTimes ?? row.day_times);
      const total = Number(input.totalTimes ?? row.total_times);
      if (day === 0 || total === 0)
        throw invalid({
          [day === 0 ? 'dayTimes' : 'totalTimes']: ['填 -1 或 1 以上', 'Give -1, or 1 and more'],
        });
      if (total !== -1 && day > total)
        throw invalid({ dayTimes: ['每日次数不能大于总次数', 'Not more a day than in all'] });
      return Promise.resolve();
    },
  ],
  present: (rows) => {
    for (const row of rows) {
      row.name = saidTwice([String(row.name), String(row.nameEn)]);
      row.proof = saidTwice([String(row.proof), String(row.proofEn)]);
    }
    return Promise.resolve();
  },
}).registration;
