import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { resignCardUse } from './resign-card.contract.ts';

/** Days members made up for. */
export const registration = bindResource(resignCardUse, {
  table: 'resign_card_use',
  from: 'resign_card_use t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN resign_card c ON c.id = t.card_id',
  joins: { project: 'project' },
  columns: { member: 'm.name', phone: 'm.phone', card: 'c.code' },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 'c.created_by' },
  keyword: (value, parameters) => {
    const exact = parameters.bind(value);
    return `(lower(c.code) = lower(${exact}) OR m.name = ${exact} OR m.phone = ${exact})`;
  },
}).registration;
