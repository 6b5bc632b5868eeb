import { residentScope } from '../../../domain/residents/residents.server.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { registration as contract } from './registration.contract.ts';

/** Two days, and the app: 2026-11-01~2026-11-30@ios. */
const ACTIVITY = /^(\d{4}-\d\d-\d\d)~(\d{4}-\d\d-\d\d)(@(ios|android|h5|mini_program))?$/;

const bound = bindResource(contract, {
  table: 'member',
  entity: 'member',
  from: `member t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN household h ON h.id = t.household_id
    LEFT JOIN house x ON x.id = h.house_id LEFT JOIN building_unit u ON u.id = x.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN member i ON i.id = t.inviter_id`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    building: { id: 'u.building_id', title: 'b.name' },
    unit: { id: 'x.unit_id', title: 'u.name' },
    house: 'x.number',
    identity: 'h.identity',
    status: 'h.status',
    bound: `coalesce(h.status = 'normal', false)`,
    boundAt: 'h.bound_at',
    // Who invited may live elsewhere: the name is told, masked, nothing else.
    inviter: 'i.name',
    activity: 'NULL::text',
  },
  filters: {
    activity: (value, parameters) => {
      const [, from, to, , source] = ACTIVITY.exec(value) ?? [];
      if (!isBusinessDay(from ?? '') || !isBusinessDay(to ?? ''))
        return ['日期范围不正确', 'The date range is not valid'];
      return `EXISTS (SELECT FROM member_active_day a WHERE a.member_id = t.id AND a.project_id IS NOT NULL
        AND a.day BETWEEN ${parameters.bind(from)}::date AND ${parameters.bind(to)}::date${source ? ` AND a.app_source = ${parameters.bind(source)}` : ''})`;
    },
  },
  scope: residentScope('t.project_id', 't.created_by'),
});

export const registration = bound.registration;
