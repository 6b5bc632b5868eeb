import { bindSettings } from '../../../kernel/server/settings/bind.ts';
import { resignCardSettings } from './resign-card.contract.ts';

/** Settings of make-up cards. */
export const registration = bindSettings(resignCardSettings);
