import type { Label } from '../../../kernel/contract/label.ts';
import { definePage } from '../../../kernel/contract/page.ts';

/** The wallboard, the charts and the alerts of everything that runs. */
export const monitorPage = definePage({
  name: 'monitor',
  menu: 'serviceMonitorManager',
  title: ['服务状态监控', 'Service monitoring'],
  purpose: [
    '实例与系统的指标每10秒采样一次；规则触发时告警',
    'Instances and the product are measured every 10 seconds; rules raise alerts',
  ],
  elements: {
    btn_level: ['设置日志级别', 'Set log levels'],
    btn_profile: ['CPU分析', 'CPU profile'],
    btn_heap: ['堆快照', 'Heap snapshot'],
    btn_env: ['查看环境', 'Environment'],
    btn_wall: ['大屏常亮', 'Wall display'],
    btn_external: ['外部地址', 'Outside addresses'],
  },
});

/** A tile of the wallboard. */
export interface WallTile {
  readonly id: string;
  readonly instanceId: string;
  readonly service: string;
  readonly host: string;
  readonly release: string;
  readonly status: 'STARTING' | 'UP' | 'DOWN' | 'OUT_OF_SERVICE';
  readonly uptime: number;
  readonly alerts: number;
  /** Last values by metric; missing ones were not measured in the last half minute. */
  readonly values: Readonly<Record<string, number>>;
}

/** Everything the wallboard shows. */
export interface Wall {
  readonly at: string;
  readonly tiles: readonly WallTile[];
  /** Values of the product by metric. */
  readonly product: Readonly<Record<string, number>>;
  readonly channels: readonly {
    readonly channel: string;
    readonly success: number;
    readonly sandbox: boolean;
  }[];
  readonly firing: number;
}

/** One line of a chart. */
export interface MetricLine {
  readonly metric: string;
  readonly instance: string;
  readonly labels: string;
  readonly compared: boolean;
  /** Time in milliseconds, average, maximum. */
  readonly points: readonly (readonly [at: number, avg: number, max: number])[];
}

/** Lines with the step between their points in seconds, and what happened meanwhile. */
export interface MetricAnswer {
  readonly step: number;
  readonly lines: readonly MetricLine[];
  readonly marks: readonly { readonly at: number; readonly text: string; readonly kind: 'event' | 'alert' }[];
}

/** What the reports show; times in seconds or milliseconds as named. */
export interface MonitorReport {
  readonly availability: readonly {
    readonly service: string;
    readonly month: string;
    readonly up: number;
    readonly expected: number;
  }[];
  readonly faults: readonly { readonly day: string; readonly calls: number; readonly faults: number }[];
  readonly alerts: readonly {
    readonly ruleId: string;
    readonly name: string;
    readonly nameEn: string;
    readonly month: string;
    readonly count: number;
    readonly acknowledgeSeconds: number | null;
    readonly recoverSeconds: number | null;
  }[];
  readonly routes: readonly {
    readonly id: string;
    readonly route: string;
    readonly calls: number;
    readonly totalMs: number;
    readonly p95: number | null;
  }[];
}

/** The level of a logger on an instance, and what was set for how long. */
export interface LoggerLevel {
  readonly logger: string;
  readonly label: Label;
  readonly changes: readonly {
    readonly id: string;
    readonly scope: 'instance' | 'service' | 'all';
    readonly level: string;
    readonly until: string;
    readonly by: string;
  }[];
}

/** What an instance says of itself. */
export interface InstanceDetail {
  readonly facts: Readonly<Record<string, string>>;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly note?: string }[];
  readonly requests: readonly {
    readonly at: number;
    readonly route: string;
    readonly status: number;
    readonly ms: number;
    readonly staff: string;
    readonly traceId: string;
  }[];
  readonly statements: readonly {
    readonly text: string;
    readonly calls: number;
    readonly totalMs: number;
    readonly maxMs: number;
    readonly rows: number;
    readonly failed: number;
  }[];
  readonly lines: readonly {
    readonly at: string;
    readonly level: string;
    readonly text: string;
    readonly traceId: string;
  }[];
  /** What runs there now, and what ran last. */
  readonly jobs: readonly {
    readonly code: string;
    readonly name: string;
    readonly nameEn: string;
    readonly state: string;
    readonly startedAt: string;
    readonly ms: number | null;
  }[];
  readonly events: readonly {
    readonly at: string;
    readonly type: string;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
  }[];
}

/** A profile or snapshot an instance was asked for; the newest first. */
export interface DiagnosisRow {
  readonly id: string;
  readonly kind: 'cpu' | 'heap';
  readonly seconds: number | null;
  readonly state: 'requested' | 'running' | 'ready' | 'failed';
  readonly reason: string;
  readonly by: string;
  readonly at: string;
  /** Bytes of the file. */
  readonly size: number | null;
  /** Where who asked for it fetches the file; empty for everybody else, and once it is gone. */
  readonly url: string;
}
