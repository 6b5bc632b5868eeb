import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { mallPoints } from './mall-points.contract.ts';
import { PointsSimulator } from './points-simulator.tsx';
import { ProjectOverrides } from './project-overrides.tsx';

const slots: ScreenSlots = {
  aside: (values) => <PointsSimulator values={values} />,
  inputs: { mall_points_project_overrides: (props) => <ProjectOverrides {...props} /> },
};

/** Points rules of the mall with a simulator beside the form. */
export function MallPointsScreen() {
  return <ScreenOf contract={mallPoints} slots={slots} />;
}

/** Module of mm_integral. */
export const screen = { contract: mallPoints, component: MallPointsScreen };
