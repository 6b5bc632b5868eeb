import { housekeeperEvaluation } from './evaluation.contract.ts';
import { bindEvaluations } from './evaluation-binding.server.ts';

/** Ratings of housekeepers. */
export const registration = bindEvaluations(housekeeperEvaluation, 'housekeeper').registration;
