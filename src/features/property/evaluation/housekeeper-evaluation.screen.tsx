import { housekeeperEvaluation } from './evaluation.contract.ts';
import { EvaluationScreen } from './evaluation-screen.tsx';

function HousekeeperEvaluations() {
  return <EvaluationScreen contract={housekeeperEvaluation} byHousekeeper />;
}

/** 管家评价. */
export const screen = { contract: housekeeperEvaluation, component: HousekeeperEvaluations };
