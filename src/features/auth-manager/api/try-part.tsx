import { useState } from 'react';
import { Alert, Button, Input, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { ask } from '../../../kernel/client/feedback.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import { apiCall } from './api-call.contract.ts';
import { Code, exampleOf, type Operation } from './api-parts.tsx';

interface Outcome {
  readonly http: number;
  readonly ms: number;
  readonly body: unknown;
}

/** Makes a call with the own rights: reading ones, and with the element for it those that write. */
export function TryPart({ row, mayWrite }: { readonly row: RowData; readonly mayWrite: boolean }) {
  const text = useText();
  const guard = useSubmitGuard();
  const language = useLanguageStore((state) => state.language);
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [outcome, setOutcome] = useState<Outcome>();
  const { data, error, refetch } = useQuery({
    queryKey: [...keysOf.all(apiCall.name), 'description', row.id, language],
    queryFn: ({ signal }) =>
      call<Operation | null>('GET', `/api/admin/apiCall/${row.id}/description`, { signal, quiet: true }),
  });
  const method = String(row.method) as 'GET' | 'POST' | 'PUT' | 'DELETE';
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton active />;
  if (data === null || row.state === 'removed' || row.level === 'service')
    return <p className="k-quiet">{text(['该接口不能在此试调', 'This call cannot be tried here'])}</p>;
  if (method !== 'GET' && !mayWrite)
    return <p className="k-quiet">{text(['没有试调写接口的权限', 'You may not try calls that write'])}</p>;
  const schema = data.requestBody?.content['application/json'].schema;
  const written = body ?? (schema ? JSON.stringify(exampleOf(schema), null, 2) : '');
  const missing = data.parameters.filter((one) => one.required && !values[one.name]);
  const send = async () => {
    let parsed: unknown;
    try {
      parsed = schema && written.trim() !== '' ? JSON.parse(written) : undefined;
    } catch {
      return setProblem(text(['请求内容不是有效的 JSON', 'The body is not valid JSON']));
    }
    setProblem(undefined);
    if (method !== 'GET') {
      const yes = await ask({
        title: ['真正执行该接口？', 'Really make this call?'],
        text: ['会以您的权限写入数据。', 'It writes data with your rights.'],
        confirm: ['执行', 'Run'],
        cancel: ['取消', 'Cancel'],
        danger: true,
      });
      if (!yes) return;
    }
    await guard.run(async () => {
      const path = String(row.path).replace(/\{(\w+)\}/g, (_all, name: string) =>
        encodeURIComponent(values[name] ?? ''),
      );
      const query = Object.fromEntries(
        data.parameters.flatMap((one) =>
          one.in === 'query' && values[one.name] ? [[one.name, values[one.name]!]] : [],
        ),
      );
      const started = performance.now();
      const took = () => Math.round(performance.now() - started);
      try {
        const answer = await call<unknown>(method, path, {
          query,
          quiet: true,
          whole: true,
          ...(parsed === undefined ? {} : { body: parsed }),
          ...(method === 'GET' ? {} : { idempotencyKey: newIdempotencyKey() }),
        });
        setOutcome({ http: 200, ms: took(), body: answer });
      } catch (failure) {
        const refused = failure instanceof ApiError ? failure : undefined;
        setOutcome({
          http: refused?.http ?? 0,
          ms: took(),
          body: refused
            ? { status: refused.status, message: refused.message, data: refused.data }
            : String(failure),
        });
      }
    });
  };
  return (
    <div>
      {data.parameters.map((one) => (
        <label key={`${one.in} ${one.name}`} style={{ display: 'block', marginBottom: 8 }}>
          <span>
            {one.name} <span className="k-quiet">({one.in})</span>
            {one.required && ' *'}
          </span>
          <Input
            value={values[one.name] ?? ''}
            onChange={(event) => setValues({ ...values, [one.name]: event.target.value })}
          />
        </label>
      ))}
      {schema && (
        <Input.TextArea
          className="k-code"
          aria-label={text(['请求内容', 'Body'])}
          value={written}
          spellCheck={false}
          autoSize={{ minRows: 3, maxRows: 16 }}
          onChange={(event) => setBody(event.target.value)}
        />
      )}
      {problem && <Alert type="error" showIcon title={problem} />}
      <p>
        <Button
          type="primary"
          loading={guard.busy}
          disabled={missing.length > 0 || guard.locked}
          onClick={() => void send()}
        >
          {text(['发送', 'Send'])} {method}
        </Button>
      </p>
      {outcome && (
        <>
          <Alert
            type={outcome.http === 200 ? 'success' : 'error'}
            showIcon
            title={`HTTP ${outcome.http} · ${outcome.ms} ms`}
          />
          <Code value={outcome.body} />
        </>
      )}
    </div>
  );
}
