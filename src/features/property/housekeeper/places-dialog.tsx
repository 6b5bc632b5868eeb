import { useState } from 'react';
import { Alert, DatePicker, Form, Input, Skeleton, Tree } from 'antd';
import dayjs from 'dayjs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useLeave } from '../../../kernel/client/parts/use-confirm.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { housekeeper, type KeptPlace } from './housekeeper.contract.ts';

interface Node {
  readonly key: string;
  readonly title: string;
  readonly isLeaf: boolean;
  readonly checkable: boolean;
  readonly disableCheckbox: boolean;
  readonly children?: Node[];
}

/** Buildings, units and houses given to a housekeeper, or moved on to another from a day on. */
export function PlacesDialog({
  row,
  onClose,
  onDone,
  mode,
}: {
  readonly row: RowData;
  readonly onClose: () => void;
  readonly onDone: () => void;
  readonly mode: 'assign' | 'transfer';
}) {
  const text = useText();
  const client = useQueryClient();
  const [day, setDay] = useState(dayjs().format('YYYY-MM-DD'));
  const [until, setUntil] = useState<string>();
  const [note, setNote] = useState('');
  const [to, setTo] = useState<{ readonly id: string; readonly title: string }>();
  const [checked, setChecked] = useState<readonly string[]>([]);
  const [below, setBelow] = useState<Readonly<Record<string, readonly KeptPlace[]>>>({});
  const moves = mode === 'transfer';
  const guard = useSubmitGuard();
  const [failure, setFailure] = useState('');
  const { leave, forget } = useLeave(checked.length > 0, onClose);
  const load = (parent?: string) =>
    call<readonly KeptPlace[]>('GET', `${rootOf(housekeeper)}/places`, {
      query: { ...(parent ? { parent } : {}), day, housekeeper: row.id },
      quiet: true,
    });
  const tops = useQuery({
    queryKey: [...keysOf.all(housekeeper.name), 'places', day],
    staleTime: 0,
    queryFn: () => load(),
  });
  const title = (place: KeptPlace) => {
    if (place.kind === 'project') return `${place.name}（${place.houses}）`;
    const who = place.holders.join(text(['、', ', ']));
    const size = place.kind === 'house' ? '' : ` ${place.taken}/${place.houses}`;
    return `${place.name}${size}${who ? ` · ${who}` : ''}`;
  };
  const nodes = (places: readonly KeptPlace[]): Node[] =>
    places.map((place) => {
      const children = below[place.key];
      return {
        key: place.key,
        title: title(place),
        isLeaf: place.kind === 'house',
        checkable: place.kind !== 'project',
        disableCheckbox: moves ? place.mine === 0 : place.isChoose === 1,
        ...(children && { children: nodes(children) }),
      };
    });
  const parentOf = new Map(
    Object.entries(below).flatMap(([parent, all]) => all.map((one) => [one.key, parent])),
  );
  // What stands below a chosen place comes with it.
  const named = checked.filter((key) => !checked.includes(parentOf.get(key) ?? ''));
  const ids = (kind: string) =>
    named.flatMap((key) => (key.startsWith(`${kind}:`) ? [key.split(':')[1]!] : []));
  const changeDay = (value: string) => {
    setDay(value);
    setBelow({});
    setChecked([]);
  };
  const labels = {
    from: text(moves ? ['移交日期', 'From'] : ['开始日期', 'From']),
    until: text(['结束日期', 'Until']),
    to: text(['新管家', 'To']),
    note: text(['说明', 'Note']),
  };
  const name = String(row.name);
  const save = () =>
    void guard.run(async () => {
      setFailure('');
      try {
        await call('POST', `${rootOf(housekeeper)}/${row.id}/${mode}`, {
          body: {
            version: row.version,
            buildings: ids('building'),
            units: ids('unit'),
            houses: ids('house'),
            from: day,
            ...(moves ? { to: to!.id } : until ? { to: until } : {}),
            ...(note.trim() ? { note: note.trim() } : {}),
          },
          idempotencyKey: newIdempotencyKey(),
        });
      } catch (error) {
        tellFault(error);
        setFailure(error instanceof ApiError ? error.message : '');
        return;
      }
      forget();
      void client.invalidateQueries({ queryKey: keysOf.all('housekeeperAssignment') });
      void client.invalidateQueries({ queryKey: keysOf.all('housekeeperGap') });
      onDone();
    });
  const ready = named.length > 0 && (!moves || to !== undefined);
  return (
    <AppModal
      open
      width={680}
      title={text(moves ? [`移交：${name}`, `Transfer: ${name}`] : [`分配：${name}`, `Assign: ${name}`])}
      okText={text(moves ? ['移交', 'Transfer'] : ['分配', 'Assign'])}
      okButtonProps={{ disabled: !ready || (guard.locked && !guard.busy) }}
      confirmLoading={guard.busy}
      onOk={save}
      onCancel={leave}
    >
      {failure && <Alert className="k-dialog-error" type="error" showIcon title={failure} />}
      <Form layout="vertical" component={false}>
        {moves && (
          <Form.Item label={labels.to} required>
            <RemoteSelect
              target="housekeeper"
              label={labels.to}
              value={to ? [to.id] : []}
              known={to ? { [to.id]: to.title } : {}}
              onChange={(_ids, [one]) => setTo(one)}
            />
          </Form.Item>
        )}
        <Form.Item
          label={labels.from}
          required
          {...(moves && {
            extra: text([
              '当日 00:00 起由新管家负责，之前的评价与业绩归原管家',
              'From 00:00 of that day; ratings and performance before stay with the former',
            ]),
          })}
        >
          <DatePicker
            value={dayjs(day)}
            allowClear={false}
            aria-label={labels.from}
            onChange={(value) => value && changeDay(value.format('YYYY-MM-DD'))}
          />
        </Form.Item>
        {!moves && (
          <Form.Item label={labels.until}>
            <DatePicker
              value={until ? dayjs(until) : null}
              aria-label={labels.until}
              placeholder={text(['长期', 'Open'])}
              onChange={(value) => setUntil(value?.format('YYYY-MM-DD'))}
            />
          </Form.Item>
        )}
        <Form.Item
          label={text(['楼栋、单元与房屋', 'Buildings, units and houses'])}
          required
          extra={text(
            moves
              ? [
                  '只能选择其管辖的范围；数字为已有管家户数/总户数',
                  'Only what this person has; figures: houses with a housekeeper / all',
                ]
              : [
                  '已有主管家的不能再选，展开可选其余房屋',
                  'What has a main housekeeper cannot be chosen; open it for the rest',
                ],
          )}
        >
          {tops.isError ? (
            <ErrorPanel error={tops.error} onRetry={() => void tops.refetch()} />
          ) : !tops.data ? (
            <Skeleton active />
          ) : (
            <Tree
              key={day}
              checkable
              selectable={false}
              height={300}
              treeData={nodes(tops.data)}
              checkedKeys={[...checked]}
              loadData={async ({ key }) => {
                if (below[String(key)]) return;
                const found = await load(String(key));
                setBelow((now) => ({ ...now, [String(key)]: found }));
                // Opened below a chosen place: its children are chosen, too.
                setChecked((now) =>
                  now.includes(String(key))
                    ? [
                        ...now,
                        ...found.flatMap((one) =>
                          (moves ? one.mine > 0 : one.isChoose === 0) ? [one.key] : [],
                        ),
                      ]
                    : now,
                );
              }}
              onCheck={(keys) => setChecked((Array.isArray(keys) ? keys : keys.checked).map(String))}
            />
          )}
        </Form.Item>
        <Form.Item label={labels.note}>
          <Input
            value={note}
            maxLength={200}
            aria-label={labels.note}
            onChange={(event) => setNote(event.target.value)}
          />
        </Form.Item>
      </Form>
    </AppModal>
  );
}
