import { expect, it } from 'vitest';
import { openPath } from './open-path.rules.ts';

it.each([
  ['/', '/'],
  ['/dashboard', '/dashboard'],
  ['/adminSys/userManager', '/adminSys/userManager'],
  ['/adminSys/userManager/', '/adminSys/userManager/'],
  ['/adminSys/userManager/detail/7', '/adminSys/userManager/detail/7'],
  ['/merchantManager/mm_businessOrder_wx/42', '/merchantManager/mm_businessOrder_wx/42'],
  ['/adminSys/leaveTimeDetail/N-7/%E5%AD%99%E5%AE%89', '/'],
  ['/adminSys/leaveTimeDetail/N-7/Ann', '/'],
  ['/adminSys/workOvertime/7/Ann', '/'],
  ['/adminSys/workOvertime/Ann/7', '/'],
  ['/adminSys/userManager/Ann', '/'],
  ['/adminSys/userManager/detail/7/1', '/'],
])('what others may read of %s is %s', (path, open) => expect(openPath(path)).toBe(open));
