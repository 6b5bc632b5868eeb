import { evaluation } from './evaluation.contract.ts';
import { bindEvaluations } from './evaluation-binding.server.ts';

/** Ratings of the property company. */
export const registration = bindEvaluations(evaluation, 'property').registration;
