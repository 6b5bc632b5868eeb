import { defineRegistration } from '../../kernel/server/registration.ts';
import { butlerOptions, butlerProductOptions } from './options.server.ts';
import { butlerEffect, butlerInvariants, unfreezeJob } from './attribution.server.ts';

/** Effect, job and invariants of butlers' results. */
export const registration = defineRegistration({
  endpoints: [],
  effects: [butlerEffect],
  jobs: [unfreezeJob],
  invariants: butlerInvariants,
  options: [butlerOptions, butlerProductOptions],
});
