import './registration-log.css';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { filterFieldsOf } from '../../../kernel/client/list/list-state.rules.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { registrationLog } from './registration-log.contract.ts';

interface StripFigures {
  readonly attempts: number;
  readonly successRate: string | null;
  readonly crowded: number;
  readonly reasons: readonly { readonly reason: string; readonly times: number }[];
}

/** Attempts, success and the most frequent reasons of exactly the rows the list is filtered to. */
function Strip() {
  const text = useText();
  const { query } = useView();
  const filters: Record<string, string> = {};
  for (const name of Object.keys(filterFieldsOf(registrationLog as unknown as Resource))) {
    const value = query.get(name);
    if (value) filters[name] = value;
  }
  const { data } = useQuery({
    queryKey: [...keysOf.all(registrationLog.name), 'strip', filters],
    queryFn: ({ signal }) =>
      call<StripFigures>('GET', '/api/jinmao/web/registrationLog/strip', {
        query: filters,
        signal,
        quiet: true,
      }),
  });
  const facts: readonly (readonly [string, string])[] = [
    [text(['尝试次数', 'Attempts']), data ? String(data.attempts) : '…'],
    [text(['成功率', 'Succeeded']), data ? (data.successRate === null ? '—' : `${data.successRate}%`) : '…'],
    [text(['频繁标记', 'Marked as too many']), data ? String(data.crowded) : '…'],
    [
      text(['主要失败原因', 'Top reasons']),
      data
        ? data.reasons.map((one) => `${one.reason} × ${one.times}`).join(text(['、', ', '])) ||
          text(['无', 'None'])
        : '…',
    ],
  ];
  return (
    <dl className="log-strip" aria-live="polite">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const slots: ScreenSlots = { above: <Strip /> };

/** The registration log with its figures. */
function RegistrationLogScreen() {
  return <ScreenOf contract={registrationLog} slots={slots} />;
}

/** Module of ssm_registerLog. */
export const screen = { contract: registrationLog, component: RegistrationLogScreen };
