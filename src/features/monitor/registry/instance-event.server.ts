import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { PLATFORM_SCOPE } from '../platform-scope.server.ts';
import { instanceEvent } from './instance-event.contract.ts';

const bound = bindResource(instanceEvent, {
  table: 'instance_event',
  scope: { ...PLATFORM_SCOPE, owner: 't.staff_id' },
  joins: { staff: 'staff' },
  columns: {
    instance: 't.instance_id',
    fromStatus: `nullif(t.from_status, '')`,
    toStatus: `nullif(t.to_status, '')`,
  },
  extra: { version: '1' },
});

export const registration = bound.registration;
