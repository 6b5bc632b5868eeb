import { useState } from 'react';
import { Button } from 'antd';
import { CalculatorOutlined } from '@ant-design/icons';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { pointsRule } from './points-rule.contract.ts';

const RuleTrial = lazyPart(() => import('./rule-trial.tsx').then((module) => module.RuleTrial));

/** Opens the trial, for who holds it. */
function TrialButton() {
  const text = useText();
  const held = useHeld(pointsRule);
  const [open, setOpen] = useState(false);
  if (!held('btn_test')) return null;
  return (
    <>
      <Button icon={<CalculatorOutlined />} onClick={() => setOpen(true)}>
        {text(['试算', 'Try'])}
      </Button>
      {open && <RuleTrial close={() => setOpen(false)} />}
    </>
  );
}

/** A limit; −1 is none. */
function Limit({ value }: { readonly value: unknown }) {
  const text = useText();
  return (
    <span className="k-number">
      {Number(value) === -1 ? text(['不限', 'None']) : thousands(String(value))}
    </span>
  );
}

const slots: ScreenSlots = {
  toolbar: <TrialButton />,
  cells: {
    dayLimit: (row) => <Limit value={row.dayLimit} />,
    monthLimit: (row) => <Limit value={row.monthLimit} />,
    totalLimit: (row) => <Limit value={row.totalLimit} />,
  },
};

/** Rules of points with their trial. */
function PointsRuleScreen() {
  return <ScreenOf contract={pointsRule} slots={slots} />;
}

/** Module of ssm_personIntegralRule. */
export const screen = { contract: pointsRule, component: PointsRuleScreen };
