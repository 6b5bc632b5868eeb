import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { groupScope } from './interest-group.server.ts';
import { interestGroupPoints } from './interest-group.contract.ts';

/** The points log of interest groups. */
export const registration = bindResource(interestGroupPoints, {
  table: 'interest_group_points',
  from: `interest_group_points t LEFT JOIN interest_group g ON g.id = t.group_id LEFT JOIN member m ON m.id = t.member_id
    LEFT JOIN points_rule r ON r.id = t.rule_id`,
  columns: {
    group: { id: 't.group_id', title: 'g.name' },
    kind: `'task'`,
    rule: `(r.code || ' ' || r.name)`,
    member: 'm.name',
  },
  // Lines of a log never change.
  extra: { version: '1' },
  scope: groupScope('t.group_id'),
}).registration;
