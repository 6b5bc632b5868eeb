import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Form, InputNumber, Table } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { rootOf } from '../../../kernel/client/wire.ts';
import { sensitiveWord, type Rescan } from './sensitive-word.contract.ts';

const STATES = {
  queued: ['排队中', 'Queued'],
  running: ['进行中', 'Running'],
  done: ['已完成', 'Done'],
  failed: ['失败', 'Failed'],
} as const;

/** Looks over posts and comments of some days with the words of now; what is found goes to the reports. */
export function RescanDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const [days, setDays] = useState(30);
  const looks = useQuery({
    queryKey: ['sensitiveWord', 'rescan'],
    queryFn: ({ signal }) =>
      call<readonly Rescan[]>('GET', `${rootOf(sensitiveWord)}/rescan`, { signal, quiet: true }),
    refetchInterval: (query) =>
      query.state.data?.some((one) => one.state === 'queued' || one.state === 'running') ? 2_000 : false,
  });
  const start = useMutation({
    mutationFn: () => call('POST', `${rootOf(sensitiveWord)}/rescan`, { body: { days } }),
    onSuccess: () => looks.refetch(),
  });
  return (
    <AppModal
      open
      width={680}
      title={text(['重扫内容', 'Look over contents'])}
      okText={text(['开始', 'Start'])}
      confirmLoading={start.isPending}
      onOk={() => start.mutate()}
      onCancel={onClose}
    >
      <Form layout="vertical">
        <Form.Item
          required
          label={text(['最近天数', 'Last days'])}
          extra={text([
            '按当前启用的敏感词检查帖子与评论，命中的进入举报处理',
            'Posts and comments are checked with the enabled words; what holds one becomes a case of the reports',
          ])}
        >
          <InputNumber
            min={1}
            max={90}
            precision={0}
            value={days}
            aria-label={text(['最近天数', 'Last days'])}
            onChange={(value) => setDays(value ?? 30)}
          />
        </Form.Item>
      </Form>
      <Table
        className="k-table k-compact"
        size="small"
        rowKey="id"
        pagination={false}
        scroll={{ x: 'max-content' }}
        dataSource={[...(looks.data ?? [])]}
        locale={{ emptyText: text(['还没有重扫过', 'Nothing was looked over yet']) }}
        columns={[
          { title: text(['时间', 'Time']), render: (_, one: Rescan) => instantFull(one.at) },
          { title: text(['操作人', 'By']), dataIndex: 'by' },
          { title: text(['天数', 'Days']), dataIndex: 'days' },
          { title: text(['状态', 'State']), render: (_, one: Rescan) => text(STATES[one.state]) },
          { title: text(['已检查', 'Looked at']), dataIndex: 'looked' },
          { title: text(['命中', 'Found']), dataIndex: 'found' },
          { title: text(['新增案件', 'New cases']), dataIndex: 'cases' },
        ]}
      />
    </AppModal>
  );
}
