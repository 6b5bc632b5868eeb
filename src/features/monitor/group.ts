import { defineGroup } from '../../kernel/contract/group.ts';

/** Routes of the monitoring group. */
export const group = defineGroup({
  path: '/monitorManager',
  screens: [
    {
      menu: 'serviceEurekaManager',
      load: () => import('./registry/registry.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'serviceMonitorManager',
      load: () => import('./monitor/monitor.screen.tsx').then((module) => module.screen),
    },
    {
      menu: 'serviceZipkinManager',
      load: () => import('./tracing/tracing.screen.tsx').then((module) => module.screen),
    },
  ],
});
