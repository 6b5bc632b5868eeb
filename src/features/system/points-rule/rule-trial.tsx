import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Alert, Form, InputNumber, Segmented, Select, Table } from 'antd';
import type { Label } from '../../../kernel/contract/label.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { rootOf } from '../../../kernel/client/wire.ts';
import { POINTS_EVENTS } from './points-event.rules.ts';
import { pointsRule, type RuleTrial as Trial } from './points-rule.contract.ts';

const CAPS: Readonly<Record<string, Label>> = {
  day: ['每日上限', 'Day limit'],
  month: ['每月上限', 'Month limit'],
  total: ['总上限', 'Total limit'],
  activity_daily: ['每日活动上限', 'Daily activity limit'],
};

/** What an event of a member would give now, and which limit cuts it; books nothing. */
export function RuleTrial({ close }: { readonly close: () => void }) {
  const text = useText();
  const [member, setMember] = useState<string>();
  const [event, setEvent] = useState<string>('post.create');
  const [direction, setDirection] = useState<'earn' | 'spend'>('earn');
  const [times, setTimes] = useState(1);
  const trial = useMutation({
    mutationFn: () =>
      call<Trial>('POST', `${rootOf(pointsRule)}/test`, {
        body: { member: member!, event, direction, times },
      }),
  });
  return (
    <AppModal
      open
      width={560}
      title={text(['积分试算', 'Try the rules'])}
      okText={text(['试算', 'Try'])}
      okButtonProps={{ disabled: !member, loading: trial.isPending }}
      onOk={() => trial.mutate()}
      onCancel={close}
    >
      <Form layout="vertical">
        <Form.Item
          required
          label={text(['会员', 'Member'])}
          extra={text(['按完整姓名或手机号查找', 'Found by the whole name or phone'])}
        >
          <RemoteSelect
            target="pointsMember"
            label={text(['会员', 'Member'])}
            placeholder={text(['请选择', 'Please choose'])}
            value={member ? [member] : []}
            known={{}}
            onChange={(ids) => setMember(ids[0])}
          />
        </Form.Item>
        <Form.Item required label={text(['事件', 'Event'])}>
          <Select
            value={event}
            onChange={setEvent}
            options={Object.entries(POINTS_EVENTS).map(([value, one]) => ({ value, label: text(one.label) }))}
          />
        </Form.Item>
        <Form.Item label={text(['方向与次数', 'Direction and times'])}>
          <Segmented
            value={direction}
            onChange={setDirection}
            options={[
              { value: 'earn' as const, label: text(['获取', 'Earn']) },
              { value: 'spend' as const, label: text(['消耗', 'Spend']) },
            ]}
          />{' '}
          <InputNumber
            min={1}
            max={1_000}
            value={times}
            aria-label={text(['次数', 'Times'])}
            suffix={text(['次', 'times'])}
            onChange={(value) => setTimes(Number(value ?? 1))}
          />
        </Form.Item>
      </Form>
      {trial.data && <Outcome trial={trial.data} />}
    </AppModal>
  );
}

function Outcome({ trial }: { readonly trial: Trial }) {
  const text = useText();
  if (!trial.rule)
    return (
      <Alert
        type="warning"
        showIcon
        title={text(
          trial.why === 'period'
            ? ['规则不在有效期内，不产生积分', 'The rule is outside its period: no points']
            : ['没有启用的规则适用于该会员与事件', 'No enabled rule holds for this member and event'],
        )}
      />
    );
  const { rule, wanted, granted, cut } = trial;
  return (
    <>
      <Alert
        type={granted === 0 ? 'error' : granted < wanted ? 'warning' : 'success'}
        showIcon
        title={text([
          `规则 ${rule.code} ${rule.name}：应得 ${thousands(wanted)}，实得 ${thousands(granted)}`,
          `Rule ${rule.code} ${rule.name}: ${thousands(wanted)} due, ${thousands(granted)} given`,
        ])}
        description={
          cut
            ? text([`被「${CAPS[cut]![0]}」限制`, `Cut by the ${CAPS[cut]![1].toLowerCase()}`])
            : trial.frozen
              ? text(['账户已冻结，仍可获得积分', 'The account is frozen; points still arrive'])
              : undefined
        }
      />
      {trial.caps.length > 0 && (
        <Table
          size="small"
          rowKey="cap"
          pagination={false}
          dataSource={[...trial.caps]}
          columns={[
            { title: text(['上限', 'Limit']), dataIndex: 'cap', render: (cap: string) => text(CAPS[cap]!) },
            { title: text(['限额', 'Of']), dataIndex: 'limit', align: 'right', render: thousands },
            { title: text(['已用', 'Used']), dataIndex: 'used', align: 'right', render: thousands },
            { title: text(['剩余', 'Left']), dataIndex: 'left', align: 'right', render: thousands },
          ]}
        />
      )}
    </>
  );
}
