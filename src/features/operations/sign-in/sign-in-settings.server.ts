import { signReminderJob } from '../../../domain/sign-in/sign-reminder.server.ts';
import { bindSettings } from '../../../kernel/server/settings/bind.ts';
import { signInSettings } from './sign-in-rule.contract.ts';

/** The cycle of sign-ins and the hour of the reminder. */
const bound = bindSettings(signInSettings);
export const registration = { ...bound, jobs: [...(bound.jobs ?? []), signReminderJob] };
