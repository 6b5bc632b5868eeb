import { definePage } from '../../../kernel/contract/page.ts';

/** Traces of calls and jobs: search, waterfall, who calls whom. */
export const tracingPage = definePage({
  name: 'tracing',
  menu: 'serviceZipkinManager',
  title: ['服务链路监控', 'Tracing'],
  purpose: [
    '每次请求与任务经过了哪些步骤、各用了多久；不记录参数、内容与个人信息',
    'Which steps calls and jobs took and for how long; no values, bodies or personal data are kept',
  ],
  elements: {
    btn_export: ['下载', 'Download'],
    btn_upload: ['上传链路文件', 'Upload a trace'],
    btn_external: ['外部地址', 'Outside addresses'],
    btn_setting: ['采样设置', 'Sampling'],
  },
});

/** A trace as a search lists it. */
export interface FoundTrace {
  readonly traceId: string;
  readonly startedAt: number;
  readonly name: string;
  readonly service: string;
  readonly durationUs: number;
  readonly status: number;
  readonly failed: boolean;
  readonly spans: number;
  readonly errors: number;
  readonly services: readonly { readonly service: string; readonly count: number }[];
}

/** One span of a trace. */
export interface TraceSpan {
  readonly id: string;
  readonly parentId: string | null;
  readonly service: string;
  readonly peer: string;
  readonly name: string;
  readonly kind: string;
  readonly startedAt: number;
  readonly durationUs: number;
  readonly failed: boolean;
  readonly status: number;
  readonly tags: Readonly<Record<string, string>>;
}

/** A trace with what else is known under its id. */
export interface TraceDetail {
  readonly traceId: string;
  readonly spans: readonly TraceSpan[];
  /** How many rows other screens have; null without the right to see them. */
  readonly links: {
    readonly gateLog: number | null;
    readonly changes: number | null;
    readonly errors: number | null;
  };
}

/** Calls from one service to another in a period. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly calls: number;
  readonly errors: number;
  readonly p95Ms: number;
}

/** What is held, and what was lost. */
export interface Held {
  readonly since: string | null;
  readonly days: number;
  readonly spans: number;
  readonly dropped: number;
  readonly sampleRate: number;
  readonly slowMs: number;
}
