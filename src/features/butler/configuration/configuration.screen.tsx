import { useState } from 'react';
import { Button } from 'antd';
import { SettingOutlined } from '@ant-design/icons';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { butlerAppraisal, butlerAttribution, incentivePlan } from './configuration.contract.ts';

const PlanTrial = lazyPart(() => import('./plan-trial.tsx').then((module) => module.PlanTrial));
const PlanQuote = lazyPart(() => import('./plan-quote.tsx').then((module) => module.PlanQuote));

/** Opens how results are attributed, for who may change it. */
function SettingsButton() {
  const text = useText();
  const held = useHeld(incentivePlan);
  const [open, setOpen] = useState(false);
  if (!held('btn_save')) return null;
  return (
    <>
      <Button icon={<SettingOutlined />} onClick={() => setOpen(true)}>
        {text(butlerAttribution.title)}
      </Button>
      <AppDrawer open={open} onClose={() => setOpen(false)} title={text(butlerAttribution.title)} size={560}>
        <ScreenOf contract={butlerAttribution} />
      </AppDrawer>
    </>
  );
}

const slots: ScreenSlots = {
  toolbar: <SettingsButton />,
  detailParts: [
    { key: 'trial', label: ['上月试算', 'Trial'], render: (row) => <PlanTrial id={row.id} /> },
    {
      key: 'quote',
      label: ['激励计算器', 'Calculator'],
      render: (row) => <PlanQuote key={row.id} id={row.id} />,
    },
  ],
  dialogAbove: { activate: (row) => <PlanTrial id={row.id} /> },
};

/** Versions of the plan, and the month's scores. */
function ConfigurationScreen() {
  const text = useText();
  const view = useView();
  const scores = view.query.get('as') === 'scores';
  const strip = (
    <TabList
      label={text(incentivePlan.title)}
      tabs={[
        { key: 'plans', label: text(['激励方案', 'Plans']) },
        { key: 'scores', label: text(butlerAppraisal.title) },
      ]}
      active={scores ? 'scores' : 'plans'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'scores' ? { as: 'scores' } : {}))}
    />
  );
  return scores ? (
    <ScreenOf key="scores" contract={butlerAppraisal} slots={{ above: strip }} />
  ) : (
    <ScreenOf key="plans" contract={incentivePlan} slots={{ ...slots, above: strip }} />
  );
}

/** Module of butler_configuration. */
export const screen = { contract: incentivePlan, component: ConfigurationScreen };
