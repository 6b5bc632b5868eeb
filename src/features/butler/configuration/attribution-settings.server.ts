import { bindSettings } from '../../../kernel/server/settings/bind.ts';
import { butlerAttribution } from './configuration.contract.ts';

/** How results are attributed. */
export const registration = bindSettings(butlerAttribution);
