import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { pointsRule } from './points-rule.contract.ts';

const RuleTrial = lazyPart(() => import('./rule-trial.tsx').then((module) => module.RuleTrial));

/** Rules of points with their trial. */
function PointsRuleScreen() {
  return (
    <ScreenOf
      contract={pointsRule}
      slots={{ actionScreens: { test: (props) => <RuleTrial {...props} /> } }}
    />
  );
}

/** Module of ssm_personIntegralRule. */
export const screen = { contract: pointsRule, component: PointsRuleScreen };
