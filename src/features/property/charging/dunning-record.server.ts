import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { dunningRecord } from './dunning.contract.ts';

/** Reminders of houses. */
export const registration = bindResource(dunningRecord, {
  table: 'dunning_record',
  from: `dunning_record t LEFT JOIN house h ON h.id = t.house_id LEFT JOIN building_unit u ON u.id = h.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN staff s ON s.id = t.created_by`,
  columns: {
    house: { id: 't.house_id', title: '(b.name || u.name || h.number)' },
    staff: { id: 't.created_by', title: 's.name' },
    sending: `CASE WHEN t.channel <> 'sms' THEN 'none' ELSE coalesce((SELECT CASE WHEN bool_or(m.state = 'sent') THEN 'done' WHEN bool_or(m.state = 'queued') THEN 'waiting' ELSE 'failed' END
      FROM sms_message m WHERE m.id = ANY(t.sms_ids)), 'done') END`,
  },
  extra: { version: '1' },
  scope: residentScope('t.project_id', 't.created_by'),
}).registration;
