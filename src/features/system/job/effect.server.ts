import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { effect } from './effect.contract.ts';
import { outboxBinding } from './outbox-actions.server.ts';

/** Effects of the outbox, on the screen of the jobs. */
export const registration = bindResource(effect, outboxBinding).registration;
