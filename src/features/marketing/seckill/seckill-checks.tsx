import { useEffect, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Alert, Button, Input } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import type { SeckillCheck } from '../../../domain/seckill/seckill.rules.ts';
import { seckillActivity } from './seckill.contract.ts';
import './seckill.css';

const MARKS = { ok: '✓', warning: '!', failed: '✗' } as const;
const WORDS = {
  ok: ['通过', 'Passed'],
  warning: ['提醒', 'Warning'],
  failed: ['未通过', 'Failed'],
} as const;

/** The checks of an activity, each with what is wrong. */
export function Checks({ checks }: { readonly checks: readonly SeckillCheck[] }) {
  const text = useText();
  if (checks.length === 0) return null;
  return (
    <ul className="sk-checks" aria-label={text(['检查', 'Checks'])}>
      {checks.map((check) => (
        <li key={check.key}>
          <span className={`sk-mark sk-${check.result}`} role="img" aria-label={text(WORDS[check.result])}>
            {MARKS[check.result]}
          </span>
          {text(check.label)}
          {check.problems.map((problem) => (
            <p key={problem[0]} className="sk-why">
              {text(problem)}
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}

interface Answer {
  readonly checks: readonly SeckillCheck[];
  readonly worstCase: string;
}

const fen = (value: unknown) => Math.round(Number(value) * 100);
const idOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? String((value as { id?: unknown; value?: unknown }).id ?? (value as { value?: unknown }).value ?? '')
    : String(value ?? '');
const instantOf = (value: unknown): string =>
  typeof value === 'string'
    ? new Date(value).toISOString()
    : ((value as { toISOString?: () => string } | null)?.toISOString?.() ?? '');
type Line = Readonly<Record<string, unknown>>;

function bodyOf(values: Readonly<Record<string, unknown>>) {
  const rows = (name: string) => (Array.isArray(values[name]) ? (values[name] as Line[]) : []);
  return {
    projects: (Array.isArray(values.projects) ? values.projects : []).map(idOf),
    sessions: rows('sessions')
      .filter((row) => row.startsAt && row.endsAt)
      .map((row) => ({ startsAt: instantOf(row.startsAt), endsAt: instantOf(row.endsAt) })),
    entries: rows('entries')
      .filter((row) => row.spec && row.price && row.reserved)
      .map((row) => ({
        spec: idOf(row.spec),
        sessionNo: row.sessionNo ? Number(row.sessionNo) : null,
        price: fen(row.price),
        reserved: Number(row.reserved),
        perOrderLimit: Number(row.perOrderLimit ?? 1),
        perMemberLimit: Number(row.perMemberLimit ?? 1),
      })),
  };
}

/** The last step of the form: the rules text, and what the checks say of what was entered so far. */
export function RulesAndChecks(props: SlotInputProps) {
  const text = useText();
  // The dialog that changes the rules text of a published activity has no sessions: nothing is checked there.
  const isDraft = 'sessions' in props.values;
  const [asked, setAsked] = useState(!isDraft);
  const check = useMutation({
    mutationFn: () =>
      call<Answer>('POST', `${rootOf(seckillActivity)}/check`, { body: bodyOf(props.values) }),
  });
  const { mutate } = check;
  useEffect(() => {
    if (asked) return;
    setAsked(true);
    mutate();
  }, [asked, mutate]);
  return (
    <>
      <Input.TextArea
        id={props.id}
        rows={5}
        maxLength={2_000}
        showCount
        disabled={props.disabled}
        value={(props.value as string | undefined) ?? ''}
        onChange={(event) => props.onChange?.(event.target.value)}
      />
      {isDraft && (
        <div className="sk-block">
          <p className="sk-head">
            <b>{text(['检查', 'Checks'])}</b>
            <Button size="small" loading={check.isPending} onClick={() => check.mutate()}>
              {text(['重新检查', 'Check again'])}
            </Button>
            {check.data && (
              <span>
                {text(['最大让利', 'Worst-case discount'])}{' '}
                <b className="k-number">¥{thousands(check.data.worstCase)}</b>
              </span>
            )}
          </p>
          {check.isError && <Alert type="error" title={check.error.message} />}
          {check.data && <Checks checks={check.data.checks} />}
        </div>
      )}
    </>
  );
}
