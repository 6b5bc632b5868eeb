import { describe, expect, it } from 'vitest';
import { integer, lines, money, ref, text } from '../../contract/fields.ts';
import { changedNames, initialValues, toWrite } from './form-values.rules.ts';
import { cellError, errorsByCell, lineProblems, newLine } from './lines.rules.ts';
import { dropIndex, moved } from '../parts/moved.rules.ts';

const steps = lines(
  ['步骤', 'Steps'],
  {
    name: text(['名称', 'Name'], { required: true, max: 5 }),
    count: integer(['次数', 'Times'], { initial: 1, min: 1 }),
    price: money(['价格', 'Price']),
    who: ref('staff', ['人员', 'Staff']),
    total: money(['合计', 'Total'], { readOnly: true }),
  },
  { required: true, max: 3 },
);
const stored = [
  { id: '9', name: '收货', count: 2, price: '1.00', who: { id: '7', title: '王' }, total: '2.00' },
];

describe('rows inside of a form', () => {
  it('round-trip through the inputs, without what is only shown', () => {
    const values = initialValues({ steps }, ['steps'], { steps: stored });
    expect(values.steps).toEqual([{ ...stored[0], count: '2' }]);
    expect(toWrite(steps, values.steps)).toEqual([
      { id: '9', name: '收货', count: 2, price: '1.00', who: '7' },
    ]);
    expect(toWrite(steps, undefined)).toEqual([]);
    const added = [...(values.steps as []), newLine(steps)];
    expect(changedNames({ steps }, ['steps'], values, { steps: added })).toEqual(['steps']);
    expect(changedNames({ steps }, ['steps'], values, { steps: [...(values.steps as [])] })).toEqual([]);
  });

  it('say what is wrong cell by cell, and as a whole', () => {
    expect([...lineProblems(steps, []).keys()]).toEqual(['']);
    const rows = [newLine(steps), { name: '很长很长的名字', count: '0' }];
    expect([...lineProblems(steps, rows).keys()]).toEqual(['0.name', '1.name', '1.count']);
    expect([
      ...lineProblems(
        steps,
        Array.from({ length: 4 }, () => ({ name: '甲' })),
      ).keys(),
    ]).toEqual(['']);
  });

  it('carry their errors in those of the field', () => {
    expect(errorsByCell([cellError('0.name', '必填'), '至少1行'])).toEqual({
      '0.name': '必填',
      '': '至少1行',
    });
  });

  it('change their order', () => {
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
    expect(dropIndex(0, 2, 'before')).toBe(1);
    expect(dropIndex(0, 2, 'after')).toBe(2);
    expect(dropIndex(2, 0, 'before')).toBe(0);
  });
});
