import { forbidden } from '../../../kernel/server/http/errors.ts';
import { eventBody, takeMemberEvent } from '../../../domain/member-event/door.server.ts';
import { eventOptions } from './event-options.server.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';

/** Scope of the tokens of programs that tell what members do. */
export const MEMBER_EVENT_SCOPE = 'member_event';

/** The door of the programs behind the owners' app. Source: group 01, Member events. */
export const registration = defineRegistration({
  options: eventOptions,
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/memberEvent',
      title: ['会员事件', 'Member event'],
      access: { program: MEMBER_EVENT_SCOPE },
      body: eventBody,
      handle: ({ platform, caller, body }) => {
        const clientId = caller.program?.clientId;
        if (clientId === undefined) throw forbidden();
        return takeMemberEvent(platform, body, { clientId, caller });
      },
    }),
  ],
});
