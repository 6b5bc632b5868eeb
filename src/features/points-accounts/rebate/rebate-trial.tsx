import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Alert, Button, DatePicker, Descriptions, Table } from 'antd';
import dayjs from 'dayjs';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { rebateRule, type RebateTrial as Trial } from './rebate.contract.ts';

/** What a rule would have given for the payments of a month; writes nothing. */
export function RebateTrial({ id, coupons }: { readonly id: string; readonly coupons: boolean }) {
  const text = useText();
  // Numbers of rules that give coupons count pieces.
  const pieces = text(coupons ? ['张数', 'Coupons'] : ['积分', 'Points']);
  const [month, setMonth] = useState(() => dayjs().subtract(1, 'month').format('YYYY-MM'));
  const trial = useMutation({
    mutationFn: () => call<Trial>('POST', `${rootOf(rebateRule)}/${id}/simulate`, { body: { month } }),
  });
  const found = trial.data;
  return (
    <div className="pr-trial">
      <div className="pr-trial-head">
        <DatePicker
          picker="month"
          allowClear={false}
          aria-label={text(['月份', 'Month'])}
          value={dayjs(`${month}-01`)}
          onChange={(day) => day && setMonth(day.format('YYYY-MM'))}
        />
        <Button type="primary" loading={trial.isPending} onClick={() => trial.mutate()}>
          {text(['试算', 'Simulate'])}
        </Button>
        <span className="k-quiet">
          {text([
            '按所选月份的实际缴费试算，不写入任何数据；规则自身的起止日期不计',
            'Works with the payments of that month and writes nothing; the dates of the rule do not count here',
          ])}
        </span>
      </div>
      {trial.isError && (
        <Alert type="error" title={text(['试算失败，请重试', 'It failed, please try again'])} />
      )}
      {found && (
        <>
          <Descriptions
            size="small"
            column={3}
            items={[
              {
                key: 'payments',
                label: text(['命中缴费', 'Payments']),
                children: thousands(String(found.payments)),
              },
              { key: 'points', label: pieces, children: thousands(String(found.points)) },
              { key: 'cost', label: text(['成本', 'Cost']), children: `¥${thousands(found.cost)}` },
            ]}
          />
          {found.collisions.length > 0 && (
            <Alert
              type="warning"
              title={text(['与启用的规则范围重叠', 'Enabled rules cover some of the same'])}
              description={found.collisions
                .map((one) => `${one.code} ${one.name} (${text(['优先级', 'priority'])} ${one.priority})`)
                .join('；')}
            />
          )}
          <Table
            size="small"
            rowKey="name"
            pagination={false}
            dataSource={[...found.projects]}
            title={() => text(['按项目', 'By project'])}
            columns={[
              { title: text(['项目', 'Project']), dataIndex: 'name' },
              { title: text(['缴费', 'Payments']), dataIndex: 'payments', align: 'right' },
              { title: pieces, dataIndex: 'points', align: 'right' },
            ]}
          />
          <Table
            size="small"
            rowKey="receiptNo"
            pagination={false}
            dataSource={[...found.top]}
            title={() => text(['返利最多的20笔', 'The 20 that earn most'])}
            columns={[
              { title: text(['票据号', 'Receipt']), dataIndex: 'receiptNo' },
              { title: text(['房屋', 'House']), dataIndex: 'house' },
              { title: text(['日期', 'Day']), dataIndex: 'day' },
              { title: text(['计入金额', 'Eligible']), dataIndex: 'eligible', align: 'right' },
              { title: text(['未来月数', 'Months ahead']), dataIndex: 'months', align: 'right' },
              { title: pieces, dataIndex: 'points', align: 'right' },
            ]}
          />
        </>
      )}
    </div>
  );
}
