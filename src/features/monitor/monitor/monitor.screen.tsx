import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { ScreenOf, ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useText } from '../../../kernel/client/language.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { Duration, Parts, useLiveRows, usePart } from '../monitor-page.tsx';
import { OutsidePanel, useOutsideOffered } from '../outside/outside-panel.tsx';
import { alertRule } from './alert-rule.contract.ts';
import { alertSilence } from './alert-silence.contract.ts';
import { alert } from './alert.contract.ts';
import { monitorPage } from './monitor.contract.ts';

const Wallboard = lazyPart(
  () => import('./wallboard.tsx').then((module) => module.Wallboard),
  <ScreenWaits />,
);
const Metrics = lazyPart(
  () => import('./metrics-part.tsx').then((module) => module.Metrics),
  <ScreenWaits />,
);
const MonitorReports = lazyPart(
  () => import('./monitor-reports.tsx').then((module) => module.MonitorReports),
  <ScreenWaits />,
);
const SilencePlace = lazyPart(() => import('./silence-inputs.tsx').then((module) => module.SilencePlace));
const AlertHistory = lazyPart(() => import('./alert-history.tsx').then((module) => module.AlertHistory));

/** What runs and how well: wallboard, charts, alerts with their rules and silences. */
function Monitor() {
  const part = usePart('wall');
  useLiveRows([alert.name], 10);
  switch (part) {
    case 'alerts':
      return (
        <ScreenOf
          contract={alert}
          slots={{
            above: <MonitorParts />,
            cells: { seconds: (row) => <Duration seconds={Number(row.seconds ?? 0)} /> },
            detailParts: [
              {
                key: 'history',
                label: ['通知与链接', 'Messages and links'],
                render: (row) => <AlertHistory row={row} />,
              },
            ],
          }}
        />
      );
    case 'rules':
      return (
        <ScreenOf
          contract={alertRule}
          slots={{
            above: <MonitorParts />,
            cells: { name: (row) => <RuleName row={row} /> },
            createWith: { channels: ['notification'] },
          }}
        />
      );
    case 'silences':
      return <ScreenOf contract={alertSilence} slots={silenceSlots} />;
    default:
      return (
        <div className="k-screen">
          <PageTitle title={monitorPage.title} purpose={monitorPage.purpose} />
          <MonitorParts />
          {part === 'metrics' ? (
            <Metrics />
          ) : part === 'reports' ? (
            <MonitorReports />
          ) : part === 'outside' ? (
            <OutsidePanel kind="admin" />
          ) : (
            <Wallboard />
          )}
        </div>
      );
  }
}

const silenceSlots: ScreenSlots = {
  above: <MonitorParts />,
  inputs: {
    rule: (props) => <SilencePlace {...props} place="rule" />,
    service: (props) => <SilencePlace {...props} place="service" />,
    instance: (props) => <SilencePlace {...props} place="instance" />,
  },
};

/** 服务状态监控. */
export const screen = { contract: monitorPage, component: Monitor };

function MonitorParts() {
  const offered = useOutsideOffered('admin');
  return (
    <Parts
      title={monitorPage.title}
      parts={[
        { key: 'wall', label: ['总览', 'Wallboard'] },
        { key: 'metrics', label: ['指标', 'Metrics'] },
        { key: 'alerts', label: ['告警', 'Alerts'] },
        { key: 'rules', label: ['规则', 'Rules'] },
        { key: 'silences', label: ['静默', 'Silences'] },
        { key: 'reports', label: ['报表', 'Reports'] },
        ...(offered ? [{ key: 'outside', label: ['外部控制台', 'Outside console'] as const }] : []),
      ]}
    />
  );
}

/** The name of a rule in the language of the page. */
function RuleName({ row }: { readonly row: RowData }) {
  const text = useText();
  return <>{text([String(row.name), String(row.nameEn || row.name)])}</>;
}
