import { useState } from 'react';
import { Alert, Button, Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { message } from '../../../kernel/client/feedback.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { keysOf } from '../../../kernel/client/wire.ts';

interface OpenItem {
  readonly kind: string;
  readonly label: string;
  readonly count: number;
}

interface Past {
  readonly kind: string;
  readonly label: string;
  readonly to: string;
  readonly items: number;
  readonly names: readonly string[];
  readonly by: string;
  readonly at: string;
}

interface Moved {
  readonly name: string;
  readonly moved: readonly {
    readonly kind: string;
    readonly to: string;
    readonly items: readonly string[];
  }[];
}

const openItemsKey = (staffId: string) => [...keysOf.row('staff', staffId), 'handover'];

/** What a person holds, by kind. */
export function useOpenItems(staffId: string) {
  return useQuery({
    queryKey: openItemsKey(staffId),
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly OpenItem[]>('GET', `/api/admin/staff/${staffId}/handover`, { signal, quiet: true }),
  });
}

/** What a person holds, by kind, and who gets it; everything moves in one go and is listed afterwards. */
export function HandoverPart({ staffId, name }: { readonly staffId: string; readonly name: string }) {
  const text = useText();
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const key = openItemsKey(staffId);
  const [targets, setTargets] = useState<
    Readonly<Record<string, { readonly id: string; readonly title: string }>>
  >({});
  const [moved, setMoved] = useState<Moved>();
  const past = useQuery({
    queryKey: [...key, 'past'],
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly Past[]>('GET', `/api/admin/staff/${staffId}/handovers`, { signal, quiet: true }),
  });
  const { data, isPending, isError, error, refetch } = useOpenItems(staffId);
  if (isPending) return <Skeleton active />;
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  const open = data.filter((item) => item.count > 0);
  const labelOf = (kind: string) => data.find((item) => item.kind === kind)?.label ?? kind;
  const submit = () =>
    void guard.run(async () => {
      try {
        const answer = await call<Moved>('POST', `/api/admin/staff/${staffId}/handover`, {
          body: { targets: Object.fromEntries(Object.entries(targets).map(([kind, one]) => [kind, one.id])) },
        });
        setMoved(answer);
        setTargets({});
        void message.success(text(['交接完成', 'Handed over']), 2);
        await client.invalidateQueries({ queryKey: keysOf.all('staff') });
        await client.invalidateQueries({ queryKey: key });
      } catch {
        // The frame has shown why.
      }
    });
  return (
    <>
      {moved && (
        <Alert
          type="success"
          showIcon
          title={text(['已移交', 'Handed over'])}
          description={
            <ul className="plain-rows">
              {moved.moved.map((line) => (
                <li key={line.kind}>
                  <span>
                    {labelOf(line.kind)} {line.items.length} → {line.to}
                    <br />
                    <span className="k-quiet k-small">{line.items.join('、')}</span>
                  </span>
                </li>
              ))}
            </ul>
          }
        />
      )}
      {open.length === 0 ? (
        <p className="k-quiet part-buttons">
          {text([`${name} 名下没有需要交接的事项`, `${name} holds nothing that must be handed over`])}
        </p>
      ) : (
        <>
          <p className="k-quiet">
            {text([
              '为每一类选择接收人；全部在一次提交中完成。',
              'Choose a receiver per kind; everything moves at once.',
            ])}
          </p>
          <ul className="plain-rows">
            {open.length > 1 && (
              <li>
                <span>{text(['全部交给', 'Everything to'])}</span>
                <span style={{ width: 220 }}>
                  <RemoteSelect
                    target="staff"
                    label={text(['全部交给', 'Everything to'])}
                    placeholder={text(['同一个人', 'One person'])}
                    value={[]}
                    known={{}}
                    onChange={(_ids, [one]) =>
                      one && setTargets(Object.fromEntries(open.map((item) => [item.kind, one])))
                    }
                  />
                </span>
              </li>
            )}
            {open.map((item) => {
              const target = targets[item.kind];
              return (
                <li key={item.kind}>
                  <span>
                    {item.label} <strong>{item.count}</strong>
                  </span>
                  <span style={{ width: 220 }}>
                    <RemoteSelect
                      target="staff"
                      label={item.label}
                      placeholder={text(['选择接收人', 'Choose a receiver'])}
                      value={target ? [target.id] : []}
                      known={target ? { [target.id]: target.title } : {}}
                      onChange={(_ids, entries) => {
                        const { [item.kind]: _old, ...rest } = targets;
                        setTargets(entries[0] ? { ...rest, [item.kind]: entries[0] } : rest);
                      }}
                    />
                  </span>
                </li>
              );
            })}
          </ul>
          <p className="part-buttons">
            <Button
              type="primary"
              loading={guard.busy}
              disabled={Object.keys(targets).length === 0 || guard.locked}
              onClick={submit}
            >
              {text(['交接', 'Hand over'])}
            </Button>
          </p>
        </>
      )}
      {past.data && past.data.length > 0 && (
        <section className="k-facts-section">
          <h3>{text(['交接记录', 'Past handovers'])}</h3>
          <ul className="plain-rows">
            {past.data.map((one) => (
              <li key={`${one.kind}${one.at}${one.to}`}>
                <span>
                  {one.label} {one.items} → {one.to}
                  <br />
                  <span className="k-quiet k-small">
                    {instantFull(one.at)} · {one.by}
                    {one.names.length > 0 && ` · ${one.names.join(text(['、', ', ']))}`}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
