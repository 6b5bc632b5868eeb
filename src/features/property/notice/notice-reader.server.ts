import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { noticeReader } from './notice.contract.ts';

const bound = bindResource(noticeReader, {
  table: 'notice_reader',
  from: `notice_reader t LEFT JOIN notice n ON n.id = t.notice_id LEFT JOIN household hh ON hh.id = t.household_id
    LEFT JOIN member m ON m.id = t.member_id LEFT JOIN house h ON h.id = t.house_id LEFT JOIN building_unit u ON u.id = h.unit_id
    LEFT JOIN building b ON b.id = u.building_id`,
  columns: {
    notice: { id: 't.notice_id', title: 'n.title' },
    house: `b.name || ' ' || u.name || ' ' || h.number`,
    name: 'm.name',
    phone: 'm.phone',
    identity: 'hh.identity',
    read: `CASE WHEN t.read_at IS NULL THEN 'unread' ELSE 'read' END`,
  },
  extra: { version: '1' },
  // A household lies in its project; whoever keeps notices of another one learns nothing of it.
  scope: residentScope('t.project_id', 'n.created_by'),
});

/** Who read a notice. */
export const registration = bound.registration;
