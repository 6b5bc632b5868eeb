import { evaluation } from './evaluation.contract.ts';
import { EvaluationScreen } from './evaluation-screen.tsx';

function PropertyEvaluations() {
  return <EvaluationScreen contract={evaluation} />;
}

/** 物业评价. */
export const screen = { contract: evaluation, component: PropertyEvaluations };
