import { Button, QRCode } from 'antd';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { instantShort, moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { Label } from '../../../kernel/contract/label.ts';
import { ONLINE_CHANNELS } from './charging-words.rules.ts';

const PATH = '/api/jinmao/web/bill/payCode';
const POLL_MS = 3_000;

interface PayCode {
  readonly id: string;
  readonly code: string;
  readonly channel: keyof typeof ONLINE_CHANNELS;
  readonly amount: string;
  readonly state: 'held' | 'paid' | 'closed' | 'expired';
  readonly expiresAt: string;
  readonly receiptNo: string;
  readonly sandbox: boolean;
}

const ENDED: Readonly<Record<Exclude<PayCode['state'], 'held'>, Label>> = {
  paid: ['已支付', 'Paid'],
  closed: ['已关闭', 'Closed'],
  expired: ['已过期', 'Expired'],
};

/** Starts a code over bills. */
export function PayCodeButtons(props: {
  readonly houseId: string;
  readonly billIds: readonly string[];
  readonly started: (id: string) => void;
}) {
  const text = useText();
  const start = useMutation({
    mutationFn: (channel: keyof typeof ONLINE_CHANNELS) =>
      call<PayCode>('POST', PATH, { body: { houseId: props.houseId, billIds: props.billIds, channel } }),
    onSuccess: (made) => props.started(made.id),
    onError: tellFault,
  });
  return (
    <div className="room-ahead">
      {(Object.keys(ONLINE_CHANNELS) as (keyof typeof ONLINE_CHANNELS)[]).map((channel) => (
        <Button
          key={channel}
          disabled={props.billIds.length === 0}
          loading={start.isPending && start.variables === channel}
          onClick={() => start.mutate(channel)}
        >
          {text([`${ONLINE_CHANNELS[channel][0]}收款码`, `${ONLINE_CHANNELS[channel][1]} code`])}
        </Button>
      ))}
    </div>
  );
}

/** The code a payer scans; the result appears by itself. */
export function PayCodeDialog(props: {
  readonly id: string;
  readonly close: () => void;
  readonly changed: () => void;
}) {
  const text = useText();
  const { data, refetch } = useQuery({
    queryKey: ['payCode', props.id],
    queryFn: ({ signal }) => call<PayCode>('GET', `${PATH}/${props.id}`, { signal, quiet: true }),
    refetchInterval: (query) => (query.state.data?.state === 'held' ? POLL_MS : false),
  });
  const act = useMutation({
    mutationFn: (what: 'close' | 'simulate') =>
      call<{ paymentId?: string | null }>('POST', `${PATH}/${props.id}/${what}`, { body: {} }),
    onSuccess: async ({ paymentId }, what) => {
      await refetch();
      if (what === 'simulate' && paymentId) message.success(text(['已支付', 'Paid']), 2);
      else if (what === 'simulate')
        message.warning(
          text([
            '渠道已收款但未回传结果，可在线上订单中查询',
            'The channel has the money but told nothing: ask it under online orders',
          ]),
          6,
        );
      props.changed();
    },
    onError: tellFault,
  });
  const leave = () => {
    if (data?.state !== 'held') props.changed();
    props.close();
  };
  return (
    <AppModal
      open
      title={text(['收款码', 'Pay code'])}
      onCancel={leave}
      footer={[
        data?.state === 'held' && (
          <Button key="close" danger loading={act.isPending} onClick={() => act.mutate('close')}>
            {text(['关闭订单', 'Close the order'])}
          </Button>
        ),
        data?.state === 'held' && data.sandbox && (
          <Button key="simulate" loading={act.isPending} onClick={() => act.mutate('simulate')}>
            {text(['沙箱支付', 'Pay in the sandbox'])}
          </Button>
        ),
        <Button key="leave" type="primary" onClick={leave}>
          {text(['返回', 'Back'])}
        </Button>,
      ]}
    >
      {data && (
        <div className="pay-code">
          {data.state === 'held' ? (
            <>
              <QRCode value={`property-fee:${data.code}`} size={200} type="svg" color="#000" bgColor="#fff" />
              <p>
                <strong>{moneyText(data.amount)}</strong> {text(ONLINE_CHANNELS[data.channel])}
              </p>
              <p className="k-quiet">
                {text([
                  `请缴费人扫码支付，账单保留至 ${instantShort(data.expiresAt)}`,
                  `The payer scans it; the bills are held until ${instantShort(data.expiresAt)}`,
                ])}
              </p>
            </>
          ) : (
            <p role="status">
              <strong>{text(ENDED[data.state])}</strong> {moneyText(data.amount)}
              {data.receiptNo && ` · ${text(['收据号', 'Receipt'])} ${data.receiptNo}`}
            </p>
          )}
        </div>
      )}
    </AppModal>
  );
}
