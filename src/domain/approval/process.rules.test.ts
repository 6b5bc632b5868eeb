import { expect, test } from 'vitest';
import {
  BUILT_IN,
  conditionHolds,
  needOf,
  processProblems,
  ratioResult,
  type AskNode,
  type ProcessNode,
} from './process.rules.ts';

const check = {
  fields: [
    { name: 'amount', label: ['金额', 'Amount'], kind: 'money' },
    {
      name: 'kind',
      label: ['类型', 'Kind'],
      kind: 'choice',
      options: [{ value: 'rent', label: ['租', 'Rent'] }],
    },
    { name: 'day', label: ['日期', 'Day'], kind: 'date' },
  ],
  moves: true,
  resting: new Map([[9, '王停']]),
} as const;
const ask = (more: Partial<AskNode> = {}): AskNode => ({
  ...(BUILT_IN[0] as AskNode),
  key: 'one',
  name: '一审',
  ...more,
});
const told = (nodes: readonly ProcessNode[]) =>
  processProblems(nodes, check).map((one) => `${one.node} ${one.text[0]}`);

test.each([
  [5, 60, 3],
  [3, 50, 2],
  [1, 1, 1],
  [7, 100, 7],
  [10, 33, 4],
])('%i seats at %i percent need %i', (seats, percent, need) => expect(needOf(seats, percent)).toBe(need));

test('a ratio is decided only when nothing can change it any more', () => {
  for (let seats = 1; seats <= 7; seats += 1)
    for (let need = 1; need <= seats; need += 1)
      for (let agreed = 0; agreed <= seats; agreed += 1)
        for (let refused = 0; agreed + refused <= seats; refused += 1) {
          const open = seats - agreed - refused;
          const best = agreed + open >= need;
          const expected = agreed >= need ? 'passed' : best ? undefined : 'refused';
          expect(ratioResult(seats, need, agreed, refused)).toBe(expected);
        }
});

test('conditions: groups by OR, comparisons by AND, a missing value fulfils only “is not”', () => {
  const facts = { amount: 500, kind: 'rent', day: '2026-03-01' };
  expect(
    conditionHolds(
      [
        [
          { field: 'amount', operator: 'ge', value: 500 },
          { field: 'kind', operator: 'ne', value: 'rent' },
        ],
      ],
      facts,
    ),
  ).toBe(false);
  expect(
    conditionHolds(
      [
        [{ field: 'amount', operator: 'gt', value: 500 }],
        [{ field: 'day', operator: 'lt', value: '2026-03-02' }],
      ],
      facts,
    ),
  ).toBe(true);
  expect(conditionHolds([[{ field: 'kind', operator: 'in', value: ['buy', 'rent'] }]], facts)).toBe(true);
  expect(conditionHolds([[{ field: 'gone', operator: 'ne', value: 'x' }]], facts)).toBe(true);
  expect(conditionHolds([[{ field: 'gone', operator: 'lt', value: 5 }]], facts)).toBe(false);
  expect(conditionHolds([], facts)).toBe(false);
});

test('what keeps a process from being published', () => {
  expect(told([])).toEqual([' 至少需要一个审批或办理节点']);
  expect(told([ask()])).toEqual([]);
  expect(told([ask({ mode: 'ratio', ratio: 0 })])).toEqual(['one 会签比例须在 1–100 之间']);
  expect(told([ask({ starterRule: 'self' })])).toEqual(['one 该业务不允许发起人审批自己']);
  expect(told([ask({ candidates: [{ kind: 'staff', ids: [9] }] })])).toEqual(['one 王停 已停用']);
  expect(told([ask({ candidates: [] })])).toEqual(['one 请设置处理人']);
  expect(told([ask({ onRefuse: 'two' }), ask({ key: 'two' })])).toEqual([
    'one 驳回后只能退回到之前的审批节点',
  ]);
  expect(told([ask(), { key: 'd', type: 'delay', name: '等', hours: 0 }])).toEqual(['d 延时须大于 0']);
  expect(told([ask(), { key: 'd', type: 'delay', name: '等', until: 'amount' }])).toEqual([
    'd 没有该日期字段',
  ]);
  expect(
    told([
      ask(),
      {
        key: 'x',
        type: 'exclusive',
        name: '分支',
        branches: [
          { key: 'a', name: '甲', condition: [[{ field: 'gone', operator: 'eq', value: 1 }]], nodes: [] },
          {
            key: 'b',
            name: '乙',
            condition: [[{ field: 'amount', operator: 'contains', value: 'x' }]],
            nodes: [],
          },
          { key: 'c', name: '丙', nodes: [] },
        ],
      },
    ]),
  ).toEqual([
    'x 必须有一个默认分支',
    'x 分支「甲」使用了未知字段',
    'x 分支「乙」的「金额」条件类型不符',
    'x 分支「丙」缺少条件',
  ]);
  expect(
    told([
      ask(),
      {
        key: 'p',
        type: 'parallel',
        name: '并行',
        branches: [
          { key: 'a', name: '甲', nodes: [] },
          { key: 'b', name: '乙', nodes: [ask({ key: 'one' })] },
        ],
      },
    ]),
  ).toEqual(['p 并行分支「甲」为空', 'one 节点标识重复']);
});
