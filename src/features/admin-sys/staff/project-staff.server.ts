import { bindResource } from '../../../kernel/server/bind-resource.ts';
import { projectStaff } from './staff.contract.ts';
import { staffBinding } from './staff-binding.server.ts';

const bound = bindResource(
  projectStaff,
  staffBinding({ tenant: 't.tenant_id', project: 'none', owner: 't.id', ownTenant: true }),
);

/** Staff by project: the same rows under a menu of their own. */
export const service = bound.service;
