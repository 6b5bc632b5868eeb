import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { visitPassage } from './visitor.contract.ts';

const bound = bindResource(visitPassage, {
  table: 'pass_log',
  from: 'pass_log t LEFT JOIN visitor_registration v ON v.id = t.visit_id',
  where: 't.visit_id IS NOT NULL',
  columns: { visit: { id: 't.visit_id', title: 'v.address' } },
  extra: { version: '1' },
  scope: residentScope('t.project_id', 'v.created_by'),
});

/** Passages of visitors: read here, written by the devices. */
export const registration = bound.registration;
