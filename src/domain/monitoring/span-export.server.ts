import type { Platform } from '../../kernel/server/platform.ts';
import type { StoredSpan } from './span-recorder.server.ts';

const PATIENCE_MS = 3_000;
const OTLP_KINDS = { INTERNAL: 1, SERVER: 2, CLIENT: 3, PRODUCER: 4, CONSUMER: 5 } as const;

/**
 * Sends spans to the outside collector when `monitor.zipkin_export` is on: to an address that ends in `/v1/traces` as
 * OTLP/HTTP JSON, else as Zipkin v2 JSON. Requests never wait for it, and what fails is not sent again.
 */
export async function exportSpans(
  platform: Pick<Platform, 'settings'>,
  spans: readonly StoredSpan[],
  send: typeof fetch = fetch,
): Promise<void> {
  if (!(await platform.settings.flag('monitor.zipkin_export'))) return;
  const address = (await platform.settings.text('monitor.zipkin_url')).replace(/\/+$/, '');
  if (!URL.canParse(address)) return;
  const isOtlp = address.endsWith('/v1/traces');
  const answer = await send(isOtlp ? address : `${address}/api/v2/spans`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(isOtlp ? otlpOf(spans) : zipkinOf(spans)),
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await answer.body?.cancel();
}

/** Spans as a Zipkin v2 list. */
export function zipkinOf(spans: readonly StoredSpan[]): readonly object[] {
  return spans.map((span) => ({
    traceId: span.traceId,
    id: span.spanId,
    ...(span.parentId ? { parentId: span.parentId } : {}),
    name: span.name,
    ...(span.kind === 'INTERNAL' ? {} : { kind: span.kind }),
    timestamp: Math.round(span.startedAt * 1_000),
    duration: Math.max(1, span.durationUs),
    localEndpoint: { serviceName: span.service },
    ...(span.peer ? { remoteEndpoint: { serviceName: span.peer } } : {}),
    tags: {
      ...Object.fromEntries(Object.entries(span.attributes).map(([key, value]) => [key, String(value)])),
      ...(span.failed ? { error: 'true' } : {}),
    },
  }));
}

/** Spans as a body of the OpenTelemetry protocol, JSON over HTTP. */
export function otlpOf(spans: readonly StoredSpan[]): object {
  const services = [...new Set(spans.map((span) => span.service))];
  const attribute = (key: string, value: string | number) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  });
  return {
    resourceSpans: services.map((service) => ({
      resource: { attributes: [attribute('service.name', service)] },
      scopeSpans: [
        {
          scope: { name: 'back-office' },
          spans: spans
            .filter((span) => span.service === service)
            .map((span) => ({
              traceId: span.traceId,
              spanId: span.spanId,
              ...(span.parentId ? { parentSpanId: span.parentId } : {}),
              name: span.name,
              kind: OTLP_KINDS[span.kind],
              startTimeUnixNano: `${Math.round(span.startedAt * 1_000)}000`,
              endTimeUnixNano: `${Math.round(span.startedAt * 1_000) + span.durationUs}000`,
              attributes: Object.entries(span.attributes).map(([key, value]) => attribute(key, value)),
              status: { code: span.failed ? 2 : 1 },
            })),
        },
      ],
    })),
  };
}
