import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { butlerShareVisit } from './butler-share.contract.ts';

/** Visits to links, for those who see the link. */
export const registration = bindResource(butlerShareVisit, {
  table: 'butler_share_visit',
  from: 'butler_share_visit t LEFT JOIN butler_share h ON h.id = t.share_id LEFT JOIN member m ON m.id = t.member_id',
  extra: { version: '1' },
  columns: {
    share: { id: 't.share_id', title: 'h.code' },
    visitor: 'left(t.visitor_key, 8)',
    member: 'm.name',
    reason: `nullif(t.reason, '')`,
  },
  scope: {
    tenant: 'NULL::bigint',
    project: '(SELECT x.project_id FROM butler_share x WHERE x.id = t.share_id)',
    owner:
      '(SELECT k.staff_id FROM butler_share x JOIN housekeeper k ON k.id = x.housekeeper_id WHERE x.id = t.share_id)',
  },
}).registration;
