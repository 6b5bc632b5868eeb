import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, Button, Table, Tag } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull, NOTHING, thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import {
  CLAIM_REFUSALS,
  type ClaimRefusal,
  type SeckillEquation,
  type SeckillLive,
} from '../../../domain/seckill/seckill.rules.ts';
import { seckillActivity } from './seckill.contract.ts';
import './seckill.css';

const PARTS = [
  ['sold', ['已售', 'Sold']],
  ['held', ['占用', 'Held']],
  ['remaining', ['剩余', 'Remaining']],
  ['returned', ['已归还', 'Returned']],
] as const;

const wholeSeconds = (from: string, to: string) =>
  Math.max(0, Math.round((new Date(to).getTime() - new Date(from).getTime()) / 1_000));
const two = (value: number) => String(value).padStart(2, '0');
const clock = (seconds: number) => {
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
};

function Bar({ item }: { readonly item: SeckillLive['items'][number] }) {
  const all = item.reserved || 1;
  return (
    <div className="sk-bar" aria-hidden="true">
      {PARTS.map(([name]) => (
        <span key={name} className={`sk-${name}`} style={{ width: `${(item[name] * 100) / all}%` }} />
      ))}
    </div>
  );
}

/** Accepted and refused claims of the last five minutes, in steps of five seconds. */
function Rate({ live }: { readonly live: SeckillLive }) {
  const text = useText();
  const now = new Date(live.serverTime).getTime();
  const steps = Array.from({ length: 60 }, () => ({ accepted: 0, refused: 0 }));
  for (const one of live.perSecond) {
    const at = 59 - Math.floor((now - new Date(one.second).getTime()) / 5_000);
    if (at < 0 || at > 59) continue;
    steps[at]!.accepted += one.accepted;
    steps[at]!.refused += one.refused;
  }
  const most = Math.max(1, ...steps.map((step) => step.accepted + step.refused));
  const sum = (name: 'accepted' | 'refused') => live.perSecond.reduce((all, one) => all + one[name], 0);
  return (
    <div className="sk-block">
      <p className="sk-legend">
        <b>{text(['最近 5 分钟', 'Last 5 minutes'])}</b>
        <span>
          <i className="sk-dot sk-accepted" aria-hidden="true" />
          {text(['成功', 'Accepted'])} {sum('accepted')}
        </span>
        <span>
          <i className="sk-dot sk-refused" aria-hidden="true" />
          {text(['拒绝', 'Refused'])} {sum('refused')}
        </span>
      </p>
      {live.perSecond.length === 0 && (
        <p className="k-quiet">{text(['这段时间没有抢购', 'No claims in this time'])}</p>
      )}
      <div className="sk-rate" aria-hidden="true" hidden={live.perSecond.length === 0}>
        {steps.map((step, at) => (
          <span key={at}>
            <i className="sk-refused" style={{ height: `${(step.refused * 100) / most}%` }} />
            <i className="sk-accepted" style={{ height: `${(step.accepted * 100) / most}%` }} />
          </span>
        ))}
      </div>
    </div>
  );
}

/** What happens to an activity at this moment; asked every two seconds while it runs. */
export function LiveBoard({ row }: { readonly row: RowData }) {
  const text = useText();
  const {
    data: live,
    isError,
    error,
  } = useQuery({
    queryKey: ['seckill-live', row.id],
    queryFn: () => call<SeckillLive>('GET', `${rootOf(seckillActivity)}/${String(row.id)}/live`),
    refetchInterval: (query) => (query.state.data?.state === 'running' ? 2_000 : 15_000),
  });
  if (isError) return <Alert type="error" title={error.message} />;
  if (!live) return <p className="k-quiet">{text(['读取中…', 'Reading…'])}</p>;
  const open = live.sessions.find((session) => session.open);
  return (
    <div>
      <p className="sk-head">
        <span>
          {text(['服务器时间', 'Server time'])} <b className="k-number">{instantFull(live.serverTime)}</b>
        </span>
        <span>
          {open
            ? text([`第 ${open.no} 场进行中，剩余`, `Session ${open.no} is open, left:`])
            : text(['当前没有进行中的场次', 'No session is open now'])}{' '}
          {open && <b className="k-number">{clock(wholeSeconds(live.serverTime, open.endsAt))}</b>}
        </span>
      </p>
      <p className="sk-legend">
        {PARTS.map(([name, label]) => (
          <span key={name}>
            <i className={`sk-dot sk-${name}`} aria-hidden="true" />
            {text(label)}
          </span>
        ))}
      </p>
      <Table
        size="small"
        rowKey="itemId"
        pagination={false}
        scroll={{ x: 900 }}
        dataSource={[...live.items]}
        columns={[
          { title: text(['商品', 'Goods']), dataIndex: 'name', width: 190 },
          {
            title: text(['场次', 'Session']),
            width: 70,
            render: (_: unknown, item) =>
              live.sessions.find((session) => session.sessionId === item.sessionId)?.no ?? NOTHING,
          },
          {
            title: text(['份数去向', 'Copies']),
            width: 190,
            render: (_: unknown, item) => <Bar item={item} />,
          },
          ...PARTS.map(([name, label]) => ({
            title: text(label),
            dataIndex: name,
            align: 'right' as const,
            width: 72,
          })),
          { title: text(['预留', 'Reserved']), dataIndex: 'reserved', align: 'right', width: 80 },
          {
            title: text(['拒绝', 'Refused']),
            width: 170,
            render: (_: unknown, item) => {
              const reasons = Object.entries(item.refused);
              return reasons.length === 0
                ? NOTHING
                : reasons.map(([reason, count]) => (
                    <Tag key={reason}>
                      {text(CLAIM_REFUSALS[reason as ClaimRefusal] ?? [reason, reason])} {count}
                    </Tag>
                  ));
            },
          },
        ]}
      />
      <Rate live={live} />
      {live.unpaid.length > 0 && (
        <Table
          className="sk-block"
          size="small"
          rowKey="orderId"
          pagination={false}
          title={() => text(['待付款', 'Unpaid'])}
          dataSource={[...live.unpaid]}
          columns={[
            { title: text(['订单号', 'Order no.']), dataIndex: 'orderCode' },
            { title: text(['份数', 'Copies']), dataIndex: 'qty', align: 'right' },
            {
              title: text(['剩余时间', 'Left']),
              align: 'right',
              render: (_: unknown, one) => clock(wholeSeconds(live.serverTime, one.payDeadline)),
            },
          ]}
        />
      )}
    </div>
  );
}

interface Movement {
  readonly id: string;
  readonly at: string;
  readonly label: string;
  readonly op: number;
  readonly qty: number;
  readonly before: number;
  readonly after: number;
  readonly reason: string;
}

/** What went from the shelf into an activity and back. */
export function Movements({ id }: { readonly id: string }) {
  const text = useText();
  const { data, isError, error, isPending } = useQuery({
    queryKey: ['seckill-movements', id],
    queryFn: () => call<readonly Movement[]>('GET', `${rootOf(seckillActivity)}/${id}/movements`),
  });
  if (isError) return <Alert type="error" title={error.message} />;
  return (
    <Table
      size="small"
      rowKey="id"
      loading={isPending}
      pagination={{ pageSize: 20, hideOnSinglePage: true }}
      scroll={{ x: 720 }}
      dataSource={[...(data ?? [])]}
      locale={{ emptyText: text(['发布后产生流水', 'Movements come with publishing']) }}
      columns={[
        { title: text(['时间', 'At']), dataIndex: 'at', render: (at: string) => instantFull(at), width: 170 },
        { title: text(['商品', 'Goods']), dataIndex: 'label' },
        {
          title: text(['类型', 'Kind']),
          dataIndex: 'op',
          width: 110,
          render: (op: number) =>
            op === 7 ? text(['活动预留', 'Set aside']) : text(['活动归还', 'Given back']),
        },
        {
          title: text(['数量', 'Qty']),
          dataIndex: 'qty',
          align: 'right',
          width: 80,
          render: (qty: number) => (qty > 0 ? `+${qty}` : `−${-qty}`),
        },
        {
          title: text(['普通库存', 'Ordinary stock']),
          width: 140,
          align: 'right',
          render: (_: unknown, one) => `${thousands(String(one.before))} → ${thousands(String(one.after))}`,
        },
        { title: text(['原因', 'Reason']), dataIndex: 'reason' },
      ]}
    />
  );
}

/** The equations of an activity, worked out anew at a press. */
export function Verification({ id }: { readonly id: string }) {
  const text = useText();
  const verify = useMutation({
    mutationFn: () =>
      call<readonly SeckillEquation[]>('POST', `${rootOf(seckillActivity)}/${id}/verify`, { body: {} }),
  });
  const broken = verify.data?.filter((one) => !one.ok).length ?? 0;
  return (
    <div>
      <p className="sk-head">
        <Button type="primary" loading={verify.isPending} onClick={() => verify.mutate()}>
          {text(['核对', 'Verify'])}
        </Button>
        <span className="k-hint">
          {text([
            '核对库存去向、抢购状态、库存流水与每人限购，不修改任何数据',
            'Compares copies, claims, stock movements and limits; changes nothing',
          ])}
        </span>
      </p>
      {verify.isError && <Alert type="error" title={verify.error.message} />}
      {verify.data && (
        <>
          <Alert
            type={broken === 0 ? 'success' : 'error'}
            title={
              verify.data.length === 0
                ? text(['发布后才有可核对的内容', 'There is something to verify once it is published'])
                : broken === 0
                  ? text(['全部相符', 'Everything holds'])
                  : text([`${broken} 项不符`, `${broken} do not hold`])
            }
          />
          <Table
            className="sk-block"
            size="small"
            rowKey={(one) => one.name[0]}
            pagination={false}
            dataSource={[...verify.data]}
            columns={[
              { title: text(['核对项', 'Equation']), render: (_: unknown, one) => text(one.name) },
              { title: text(['左', 'Left']), dataIndex: 'left', align: 'right', width: 90 },
              { title: text(['右', 'Right']), dataIndex: 'right', align: 'right', width: 90 },
              {
                title: text(['结果', 'Result']),
                width: 90,
                render: (_: unknown, one) => (
                  <span className={`sk-mark ${one.ok ? 'sk-ok' : 'sk-failed'}`}>
                    <span role="img" aria-label={one.ok ? text(['相符', 'Holds']) : text(['不符', 'Broken'])}>
                      {one.ok ? '✓' : '✗'}
                    </span>
                  </span>
                ),
              },
            ]}
          />
        </>
      )}
    </div>
  );
}
