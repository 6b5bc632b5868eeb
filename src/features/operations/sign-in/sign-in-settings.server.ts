import { bindSettings } from '../../../kernel/server/settings/bind.ts';
import { signInSettings } from './sign-in-rule.contract.ts';

/** The cycle of sign-ins. */
export const registration = bindSettings(signInSettings);
