import { useEffect, useEffectEvent, useId, useState, type ReactNode } from 'react';
import { Alert, Button, Input, Tag } from 'antd';
import { LeftOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { DetailActions, DetailBody, DetailTitle } from '../../../kernel/client/detail/detail-body.tsx';
import { Gallery } from '../../../kernel/client/detail/gallery.tsx';
import { UploadInput } from '../../../kernel/client/form/upload-input.tsx';
import { instantFull, instantShort, moneyText, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { MaskedText } from '../../../kernel/client/parts/masked-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useListPath } from '../../../kernel/client/parts/use-mode-path.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { actorLabel, words } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import {
  CASE_REASONS,
  CASE_STAGES,
  CASE_STATES,
  CASE_TYPES,
  caseWord,
  type CaseState,
} from '../../../domain/after-sale/case.rules.ts';
import { ReasonLink } from '../refund/refund-reason-link.tsx';
import { refund } from '../refund/refund.contract.ts';
import { afterSale } from './case.contract.ts';
import { CASE_ROOT, useCase, useCaseFiles, useCaseSubmit, type CaseRow } from './case-calls.ts';
import { Block, Fact, Goods, Suggestion, TimeLeft } from './case-pieces.tsx';
import type { CaseLinePart } from './case-parts.ts';
import './case.css';

/** A case as a page, by its id or as the latest of an order. */
export function CasePage(props: {
  readonly id: string | null;
  readonly orderId: string | null;
  readonly slots: ScreenSlots;
}) {
  if (props.id) return <OneCase key={props.id} id={props.id} slots={props.slots} />;
  return <OfOrder orderId={props.orderId ?? ''} slots={props.slots} />;
}

function OfOrder({ orderId, slots }: { readonly orderId: string; readonly slots: ScreenSlots }) {
  const { data, error, isError, refetch } = useQuery({
    queryKey: ['afterSale', 'ofOrder', orderId],
    queryFn: ({ signal }) =>
      call<{ id: string }>('GET', `${CASE_ROOT}/ofOrder?orderId=${encodeURIComponent(orderId)}`, {
        signal,
        quiet: true,
      }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return data ? <OneCase id={data.id} slots={slots} /> : null;
}

function OneCase({ id, slots }: { readonly id: string; readonly slots: ScreenSlots }) {
  const text = useText();
  const view = useView();
  const { data: row, isPending, isError, error, refetch } = useCase(id);
  const action = useAction(afterSale, { slots });
  const list = useListPath(afterSale);
  const nameTab = useEffectEvent((suffix: string) => view.setTitle(suffix));
  const code = row?.code as string | undefined;
  useEffect(() => {
    if (code) nameTab(code);
  }, [code]);
  return (
    <div className="k-screen">
      <header className="k-title">
        {list && (
          <Button
            type="text"
            icon={<LeftOutlined />}
            aria-label={text(words.back)}
            title={text(afterSale.title)}
            onClick={() => view.open(list)}
          />
        )}
        <h1>{row ? <DetailTitle resource={afterSale} row={row} /> : text(afterSale.title)}</h1>
        {row?.escalated === true && <Tag color="orange">{text(['平台介入', 'Before the platform'])}</Tag>}
        <div className="k-title-actions">
          {row && <DetailActions resource={afterSale} row={row} action={action} />}
        </div>
      </header>
      {isPending ? (
        <DetailBody resource={afterSale} row={undefined} slots={slots} wide={window.innerWidth >= 1280} />
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="as-page">
          <div className="as-main">
            <StateBar row={row} />
            <Request row={row} />
            <Money row={row} />
            <Calculation row={row} />
            <Logistics row={row} />
            <Refunds row={row} />
          </div>
          <aside className="as-side">
            <Talk row={row} />
            <Events row={row} />
          </aside>
        </div>
      )}
      {action.element}
    </div>
  );
}

const WAYS: Readonly<Record<string, readonly CaseState[]>> = {
  refund_only: ['applied', 'refunding', 'done'],
  return_refund: ['applied', 'agreed', 'returned', 'refunding', 'done'],
  exchange: ['applied', 'agreed', 'returned', 'received', 'done'],
};

function StateBar({ row }: { readonly row: CaseRow }) {
  const text = useText();
  const state = row.state as CaseState;
  const stopped = state === 'refused' || state === 'withdrawn';
  const way = stopped ? (['applied', state] as const) : WAYS[String(row.type)]!;
  // A case that waits for another refund stands where its own will begin.
  const at = state === 'received' && row.type !== 'exchange' ? 'refunding' : state;
  const reached = way.indexOf(at as never);
  const failed = row.refundState === 'failed' && state === 'refunding';
  return (
    <>
      <ol className="as-states">
        {way.map((one, index) => (
          <li
            key={one}
            className={stopped && one === state ? 'as-stopped' : index <= reached ? 'as-reached' : undefined}
            aria-current={one === at ? 'step' : undefined}
          >
            <strong>{text(CASE_STATES[one].label)}</strong>
            {one === state && row.deadline !== null && (
              <span>
                {text(['剩余', 'Left'])} <TimeLeft until={row.deadline as string} />
              </span>
            )}
          </li>
        ))}
      </ol>
      {failed && (
        <Alert
          type="error"
          showIcon
          title={text(['退款失败，请查看原因后重新退款', 'The refund failed: see why, then restart it'])}
        />
      )}
      {state === 'received' && row.type !== 'exchange' && (
        <Alert
          type="info"
          showIcon
          title={text([
            '等待该订单的其他退款完成后自动发起',
            'Starts by itself when another refund of the order has ended',
          ])}
        />
      )}
      {state === 'applied' && row.escalated === true && (
        <Alert
          type="warning"
          showIcon
          title={text(['平台已介入，由平台作最终裁决', 'The platform decides this case finally'])}
        />
      )}
      {state === 'refused' && row.parts.refuseReason && (
        <Alert type="error" showIcon title={row.parts.refuseReason} />
      )}
    </>
  );
}

function Request({ row }: { readonly row: CaseRow }) {
  const text = useText();
  const view = useView();
  const held = useHeld(afterSale);
  const { data: files } = useCaseFiles(row.id);
  const { order } = row.parts;
  const orders = view.pathOf('mm_businessOrder_wx');
  const masked = (name: 'customer' | 'phone') => (
    <MaskedText
      value={row[name] as string}
      name={name}
      encryptionField={row.encryptionField}
      canReveal={held('btn_reveal')}
    />
  );
  return (
    <Block title={['申请', 'Request']}>
      <dl className="k-facts">
        <Fact label={['类型', 'Type']}>{text(CASE_TYPES[row.type as keyof typeof CASE_TYPES].label)}</Fact>
        <Fact label={['原因', 'Reason']}>
          {text(CASE_REASONS[row.reasonCode as keyof typeof CASE_REASONS].label)}
        </Fact>
        <Fact label={['阶段', 'Stage']}>
          {text(CASE_STAGES[row.stage as keyof typeof CASE_STAGES].label)}
        </Fact>
        <Fact label={['申请时间', 'Applied']}>{instantFull(row.appliedAt as string)}</Fact>
        <Fact label={['订单', 'Order']}>
          {orders ? (
            <button type="button" className="k-link" onClick={() => view.open(`${orders}/${order.id}`)}>
              {order.code}
            </button>
          ) : (
            order.code
          )}
          <CopyButton value={order.code} />
        </Fact>
        <Fact label={['订单状态', 'Order status']}>{text(order.state)}</Fact>
        <Fact label={['商户', 'Merchant']}>{titleOf(row.merchant)}</Fact>
        <Fact label={['买家', 'Buyer']}>{masked('customer')}</Fact>
        <Fact label={['电话', 'Phone']}>{masked('phone')}</Fact>
        <Fact label={['项目', 'Project']}>{titleOf(row.project)}</Fact>
        {row.applicant ? (
          <Fact label={['代客申请人', 'Applied by staff']}>{String(row.applicant)}</Fact>
        ) : null}
        <Fact label={['说明', 'Explanation']} wide>
          {(row.reason as string) || NOTHING}
        </Fact>
      </dl>
      {files && files.evidence.length > 0 && <Gallery files={files.evidence} />}
      {files && files.video.length > 0 && <Videos files={files.video} />}
    </Block>
  );
}

function Videos({ files }: { readonly files: readonly FileValue[] }) {
  return (
    <p>
      {files.map((file) => (
        <a key={file.id} className="k-file" href={file.url} target="_blank" rel="noreferrer">
          {file.name}
        </a>
      ))}
    </p>
  );
}

const STEPS: Readonly<Record<number, Label>> = {
  20: ['商户券', 'Merchant coupon'],
  30: ['平台券', 'Platform coupon'],
  40: ['积分', 'Points'],
  45: ['代币', 'Coins'],
  60: ['改价', 'Price change'],
};

/** Goods with each share, cash, what was refunded, this case and what is left. */
function Money({ row }: { readonly row: CaseRow }) {
  const text = useText();
  const { lines, order } = row.parts;
  return (
    <Block title={['商品与金额', 'Goods and money']}>
      <div className="as-scroll">
        <table className="as-table">
          <thead>
            <tr>
              <th>{text(['商品', 'Goods'])}</th>
              <th className="k-number">{text(['本次', 'This case'])}</th>
              <th className="k-number">{text(['数量 / 已发 / 已退', 'Qty / sent / refunded'])}</th>
              <th className="k-number">{text(['商品金额', 'Goods'])}</th>
              <th className="k-number">{text(['优惠与抵扣', 'Shares'])}</th>
              <th className="k-number">{text(['现金', 'Cash'])}</th>
              <th className="k-number">{text(['已退', 'Refunded'])}</th>
              <th className="k-number">{text(['剩余', 'Left'])}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <LineRow key={line.id} line={line} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="as-money">
        <Sum label={['订单实付', 'Paid']} value={order.payable} />
        <Sum label={['已退', 'Refunded']} value={order.refunded} />
        <Sum label={['处理中', 'In progress']} value={order.inProgress} />
        <Sum label={['剩余可退', 'Left']} value={order.left} />
      </p>
    </Block>
  );
}

function Sum({ label, value }: { readonly label: Label; readonly value: string }) {
  const text = useText();
  return (
    <span>
      <span className="k-quiet">{text(label)}</span> <span className="k-number">¥{moneyText(value)}</span>
    </span>
  );
}

function LineRow({ line }: { readonly line: CaseLinePart }) {
  const text = useText();
  const isPart = line.caseQty !== null;
  return (
    <tr className={isPart ? undefined : 'as-other'}>
      <td>
        <Goods
          image={line.image}
          name={line.product}
          spec={line.spec}
          note={
            line.newSpec && (
              <small>
                {text(['换为：', 'Exchange for: '])}
                {line.newSpec}
              </small>
            )
          }
        />
      </td>
      <td className="k-number">
        {isPart ? (
          <>
            {line.caseQty === 0
              ? text(['仅金额', 'Amount'])
              : line.acceptedQty !== null && line.acceptedQty !== line.caseQty
                ? text([
                    `${line.acceptedQty} / ${line.caseQty}件合格`,
                    `${line.acceptedQty} of ${line.caseQty}`,
                  ])
                : `× ${line.caseQty}`}
            {line.caseCash !== null && (
              <>
                <br />
                <strong>¥{moneyText(line.caseCash)}</strong>
              </>
            )}
          </>
        ) : (
          NOTHING
        )}
      </td>
      <td className="k-number">{`${line.qty} / ${line.shipped} / ${line.refundedQty}`}</td>
      <td className="k-number">{moneyText(line.goods)}</td>
      <td className="k-number">
        {line.shares.length === 0
          ? NOTHING
          : line.shares.map((share, index) => (
              <div key={index}>
                <span className="k-quiet k-small">{text(STEPS[share.step] ?? ['优惠', 'Share'])}</span> −
                {moneyText(share.amount)}
              </div>
            ))}
      </td>
      <td className="k-number">{moneyText(line.cash)}</td>
      <td className="k-number">{moneyText(line.cashRefunded)}</td>
      <td className="k-number">{moneyText(line.cashLeft)}</td>
    </tr>
  );
}

function Calculation({ row }: { readonly row: CaseRow }) {
  const text = useText();
  const { parts } = row;
  const shown = parts.now ?? parts.applied;
  // Money of an exchange is a matter of the platform's verdict alone.
  if (row.type === 'exchange' && !(row.escalated === true && parts.now)) return null;
  return (
    <Block title={['退款计算', 'Calculation']}>
      {parts.impossible && <Alert type="warning" showIcon title={text(parts.impossible)} />}
      {shown && <Suggestion of={shown} />}
      <dl className="k-facts">
        <Fact label={['申请金额', 'Applied for']}>¥{moneyText(row.appliedCash as string)}</Fact>
        <Fact label={['同意金额', 'Agreed']}>
          {row.agreedCash === null ? NOTHING : `¥${moneyText(row.agreedCash as string)}`}
        </Fact>
        {parts.agreedReason && (
          <Fact label={['少退原因', 'Why less']}>{text(caseWord(parts.agreedReason))}</Fact>
        )}
      </dl>
      <p className="k-quiet k-small">{text(['计算结果不足一分的部分舍去', 'Fractions of a fen are cut'])}</p>
    </Block>
  );
}

function Logistics({ row }: { readonly row: CaseRow }) {
  const text = useText();
  const held = useHeld(afterSale);
  const { data: files } = useCaseFiles(row.id);
  const { returnAddress, back, inspection, sent } = row.parts;
  if (!returnAddress && !back && !inspection && !sent) return null;
  const parcel = (label: Label, one: NonNullable<typeof back>) => (
    <Fact label={label} wide>
      {one.company} {one.trackingNo}
      <CopyButton value={one.trackingNo} /> <span className="k-quiet">{instantShort(one.at)}</span>
    </Fact>
  );
  const pictures = [...(files?.inspected ?? []), ...(files?.refused ?? [])];
  return (
    <Block title={['退换物流', 'Return logistics']}>
      <dl className="k-facts">
        {returnAddress && (
          <Fact label={['退货地址', 'Return address']} wide>
            {returnAddress.receiver}{' '}
            <MaskedText
              value={row.returnPhone as string}
              name="returnPhone"
              encryptionField={row.encryptionField}
              canReveal={held('btn_reveal')}
            />{' '}
            {returnAddress.region} {returnAddress.address}
          </Fact>
        )}
        {back && parcel(['买家寄回', 'Sent back'], back)}
        {inspection && (
          <Fact label={['验收', 'Inspection']} wide>
            {text(INSPECTIONS[inspection.result] ?? ['–', '–'])}
            {inspection.resellable && ` · ${text(['已回库存', 'back in stock'])}`}
            {inspection.note && ` · ${inspection.note}`}{' '}
            <span className="k-quiet">{instantShort(inspection.at)}</span>
          </Fact>
        )}
        {sent &&
          parcel(
            row.type === 'exchange' && inspection?.result !== 'reject'
              ? ['换货寄出', 'Exchange sent']
              : ['退回买家', 'Sent back to the buyer'],
            sent,
          )}
      </dl>
      {pictures.length > 0 && <Gallery files={pictures} />}
    </Block>
  );
}

const INSPECTIONS: Readonly<Record<string, Label>> = {
  pass: ['验收合格', 'All accepted'],
  partial: ['部分合格', 'Partly accepted'],
  reject: ['拒收', 'Rejected'],
};

function Refunds({ row }: { readonly row: CaseRow }) {
  const text = useText();
  const view = useView();
  const path = view.pathOf('mm_orderRefund');
  const held = useHeld(refund);
  const { refunds } = row.parts;
  if (refunds.length === 0) return null;
  return (
    <Block title={['退款单', 'Refunds']}>
      <div className="as-scroll">
        <table className="as-table">
          <thead>
            <tr>
              <th>{text(['退款单号', 'Refund no.'])}</th>
              <th>{text(['状态', 'Status'])}</th>
              <th className="k-number">{text(['退现金', 'Cash back'])}</th>
              <th className="k-number">{text(['退积分', 'Points back'])}</th>
              <th>{text(['渠道退款号', 'Channel no.'])}</th>
              <th className="k-number">{text(['次数', 'Attempts'])}</th>
              <th>{text(['申请时间', 'Applied'])}</th>
            </tr>
          </thead>
          <tbody>
            {refunds.map((one) => (
              <tr key={one.id}>
                <td>
                  {path ? (
                    <button
                      type="button"
                      className="k-link"
                      onClick={() => view.open(`${path}?tab=all&detail=${one.id}`)}
                    >
                      {one.code}
                    </button>
                  ) : (
                    one.code
                  )}
                </td>
                <td>
                  <StatusTag choice={refund.states![one.state]!} />
                  {(one.state === 'failed' || one.state === 'cancelled') &&
                    (held('btn_reason') ? (
                      <ReasonLink id={one.id} />
                    ) : (
                      one.reason && <small className="k-quiet"> {one.reason}</small>
                    ))}
                </td>
                <td className="k-number">{moneyText(one.cash)}</td>
                <td className="k-number">{one.points || NOTHING}</td>
                <td>{one.channelRefundNo}</td>
                <td className="k-number">{one.attempts}</td>
                <td title={instantFull(one.appliedAt)}>{instantShort(one.appliedAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Block>
  );
}

const SIDES: Readonly<Record<string, Label>> = {
  buyer: ['买家', 'Buyer'],
  merchant: ['商户', 'Merchant'],
  platform: ['平台', 'Platform'],
};
const WRITERS = ['btn_agree', 'btn_refuse', 'btn_decide', 'btn_add'];

function Talk({ row }: { readonly row: CaseRow }) {
  const text = useText();
  const held = useHeld(afterSale);
  const { data: files } = useCaseFiles(row.id);
  const over = row.state === 'done' || row.state === 'withdrawn';
  const byId = new Map((files?.said ?? []).map((file) => [file.id, file]));
  const { messages } = row.parts;
  return (
    <Block title={['沟通记录', 'Conversation']}>
      {messages.length === 0 && <p className="k-quiet">{text(['还没有留言', 'No messages yet'])}</p>}
      <ul className="as-talk">
        {messages.map((one) => (
          <li key={one.id} className={one.side === 'buyer' ? undefined : 'as-staff'}>
            <span className="k-quiet k-small">
              {text(SIDES[one.side]!)}
              {one.who && ` · ${one.who}`} · <time title={instantFull(one.at)}>{instantShort(one.at)}</time>
            </span>
            <p>{one.body}</p>
            {one.images.length > 0 && <Gallery files={one.images.flatMap((id) => byId.get(id) ?? [])} />}
          </li>
        ))}
      </ul>
      {!over && WRITERS.some((element) => held(element)) && <Say id={row.id} />}
    </Block>
  );
}

function Say({ id }: { readonly id: string }): ReactNode {
  const text = useText();
  const input = useId();
  const submit = useCaseSubmit();
  const { refetch } = useCase(id);
  const { refetch: refetchFiles } = useCaseFiles(id);
  const [body, setBody] = useState('');
  const [images, setImages] = useState<readonly FileValue[]>([]);
  const [withImages, setWithImages] = useState(false);
  const label = text(['回复买家', 'Reply to the buyer']);
  return (
    <div className="as-say">
      <label htmlFor={input} className="k-quiet k-small">
        {label}
      </label>
      <Input.TextArea
        id={input}
        rows={3}
        maxLength={500}
        value={body}
        onChange={(event) => setBody(event.target.value)}
      />
      {submit.error && (
        <p className="k-problem" role="alert">
          {submit.error.fields.body ?? submit.error.fields.images ?? submit.error.message}
        </p>
      )}
      {withImages && (
        <UploadInput image max={9} label={text(['图片', 'Pictures'])} value={images} onChange={setImages} />
      )}
      <div>
        {!withImages && (
          <Button type="text" onClick={() => setWithImages(true)}>
            {text(['加图片', 'Add pictures'])}
          </Button>
        )}
        <Button
          type="primary"
          loading={submit.busy}
          disabled={body.trim() === '' || submit.locked}
          onClick={() =>
            submit.send(`/${id}/message`, { body: body.trim(), images: images.map((one) => one.id) }, () => {
              setBody('');
              setImages([]);
              setWithImages(false);
              void refetch();
              void refetchFiles();
            })
          }
        >
          {text(['发送', 'Send'])}
        </Button>
      </div>
    </div>
  );
}

function Events({ row }: { readonly row: CaseRow }) {
  const text = useText();
  return (
    <Block title={['时间线', 'Timeline']}>
      <ol className="k-timeline">
        {[...row.parts.events].reverse().map((event, index) => (
          <li key={index}>
            <div className="k-timeline-head">
              <strong>{text(event.label)}</strong>
            </div>
            <div className="k-quiet k-small">
              {event.who && <span>{text(actorLabel(event.who))} · </span>}
              <time title={instantFull(event.at)}>{instantShort(event.at)}</time>
            </div>
            {event.remark && (
              <p className="k-remark">
                {/^\d+\.\d\d$/.test(event.remark)
                  ? `¥${moneyText(event.remark)}`
                  : text(caseWord(event.remark))}
              </p>
            )}
          </li>
        ))}
      </ol>
    </Block>
  );
}

function titleOf(value: unknown): string {
  return (value as { title: string } | null)?.title ?? NOTHING;
}
