import { eventBody, takeMemberEvent } from '../../../domain/member-event/door.server.ts';
import { forbidden } from '../../../kernel/server/http/errors.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';

/** Scope of the tokens of programs that tell what members do. */
export const MEMBER_EVENT_SCOPE = 'member_event';

/** The door of the programs behind the owners' app. Source: group 01, Member events. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/memberEvent',
      title: ['会员事件', 'Member event'],
      access: { program: MEMBER_EVENT_SCOPE },
      body: eventBody,
      handle: (call) => {
        const clientId = call.caller.program?.clientId;
        if (clientId === undefined) throw forbidden();
        return takeMemberEvent(call.platform, call.body, { clientId });
      },
    }),
  ],
});
