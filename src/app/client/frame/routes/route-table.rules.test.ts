import { describe, expect, it } from 'vitest';
import { buildRouteTable } from './route-table.rules.ts';

const load = () => Promise.resolve({ component: () => null });
const table = buildRouteTable(
  [
    { path: '/service', screens: [{ menu: 'mm_orderRefund', load }] },
    {
      path: '/adminSys',
      screens: [
        { menu: 'workOvertimeManager', load },
        { menu: 'workOvertimeManager', path: 'workOvertime/:nameCode/:name', load },
      ],
    },
  ],
  [{ pattern: '/dashboard', menu: undefined, screen: { menu: 'dashboard', load } }],
);

describe('route table', () => {
  it('finds fixed paths', () => {
    expect(table.find('/service/mm_orderRefund')?.route.menu).toBe('mm_orderRefund');
    expect(table.find('/dashboard')?.route.menu).toBeUndefined();
    expect(table.find('/nope')).toBeUndefined();
    expect(table.find('/service')).toBeUndefined();
  });
  it('fills parameters in', () => {
    expect(table.find('/adminSys/workOvertime/A1/%E7%8E%8B')?.params).toEqual({ nameCode: 'A1', name: '王' });
    expect(table.find('/adminSys/workOvertime/A1')).toBeUndefined();
  });
  it('knows the modes of a screen below its path', () => {
    expect(table.find('/service/mm_orderRefund/edit/7')?.params).toEqual({ mode: 'edit', id: '7' });
    expect(table.find('/service/mm_orderRefund/other/7')).toBeUndefined();
  });
  it('names the path of a menu', () => {
    expect(table.ofMenu('workOvertimeManager').map((route) => route.pattern)).toEqual([
      '/adminSys/workOvertimeManager',
    ]);
  });
});
