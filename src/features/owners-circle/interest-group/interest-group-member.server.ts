import type { Label } from '../../../kernel/contract/label.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { admitMember, giveRole } from '../../../domain/interest-group/interest-group.server.ts';
import { groupInReach, groupProjects, groupScope } from './interest-group.server.ts';
import { interestGroupMember } from './interest-group.contract.ts';

const HAS_ROLE: Label = ['已是该角色', 'It has this role already'];

const role =
  (wish: 'leader' | 'vice' | 'member') =>
  async ({ tx, platform, row, id, caller }: ActionContext) => {
    await giveRole(tx, { groupId: Number(row.group_id), membershipId: id, role: wish, caller });
    platform.changed('interestGroup');
    return { set: { role: wish } };
  };

const bound: BoundResource = bindResource(interestGroupMember, {
  table: 'interest_group_member',
  from: 'interest_group_member t LEFT JOIN interest_group g ON g.id = t.group_id LEFT JOIN member m ON m.id = t.member_id',
  columns: {
    group: { id: 't.group_id', title: 'g.name' },
    name: 'm.name',
    phone: 'm.phone',
    appliedAt: 't.created_at',
    // Who applies first, then leader, deputies and members, those who went last.
    place: `CASE WHEN t.state = 'applying' THEN 0 WHEN t.state <> 'in' THEN 4 WHEN t.role = 'leader' THEN 1 WHEN t.role = 'vice' THEN 2 ELSE 3 END`,
    posts: `(SELECT count(*)::integer FROM post p WHERE p.group_id = t.group_id AND p.member_id = t.member_id AND p.deleted_at IS NULL)`,
  },
  scope: groupScope('t.group_id'),
  keyword: (value, parameters) => {
    const exact = parameters.bind(value);
    return `t.member_id IN (SELECT k.id FROM member k WHERE k.name = ${exact} OR k.phone = ${exact})`;
  },
  extra: { projectIds: groupProjects('t.group_id') },
  ruleReads: ['projectIds', 'role'],
  rowRules: {
    approve: groupInReach,
    refuse: groupInReach,
    makeLeader: (row, caller) => groupInReach(row, caller) ?? (row.role === 'leader' ? HAS_ROLE : undefined),
    makeVice: (row, caller) =>
      groupInReach(row, caller) ??
      (row.role === 'vice'
        ? HAS_ROLE
        : row.role === 'leader'
          ? ['请先设置其他组长', 'Name another leader first']
          : undefined),
    makeMember: (row, caller) => groupInReach(row, caller) ?? (row.role === 'member' ? HAS_ROLE : undefined),
    remove: (row, caller) =>
      groupInReach(row, caller) ??
      (row.role === 'leader' ? ['请先设置其他组长', 'Name another leader first'] : undefined),
  },
  sets: { refuse: { reason: fromInput('reason') }, remove: { role: 'member', reason: fromInput('reason') } },
  handlers: {
    approve: async ({ tx, row }) => {
      await admitMember(tx, { groupId: Number(row.group_id) });
      return { set: { joined_at: new Date(), reason: '' } };
    },
    makeLeader: role('leader'),
    makeVice: role('vice'),
    makeMember: role('member'),
  },
});

/** Members of interest groups. */
export const registration = bound.registration;
