import { useEffect, useEffectEvent } from 'react';
import { Alert, Button, Skeleton, Tag } from 'antd';
import { LeftOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { Gallery } from '../../../kernel/client/detail/gallery.tsx';
import { instantFull, instantShort, moneyText, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { MaskedText } from '../../../kernel/client/parts/masked-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { actorLabel } from '../../../kernel/client/texts.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { SLA_STATES, WORK_STATES } from '../../../domain/work-order/work-order-words.rules.ts';
import { DueText } from '../work-order/due-text.tsx';
import { minutesLabel } from '../work-order/due.rules.ts';
import { Block, Fact } from '../work-order/pieces.tsx';
import { orderSlots } from '../work-order/order-slots.tsx';
import { billPayment } from '../bill-payment/bill-payment.contract.ts';
import { workOrder } from '../work-order/work-order.contract.ts';
import { orderDetail, type SlaWire, type SubDetail } from './order-detail.contract.ts';
import './order-detail.css';

function OrderDetailScreen() {
  const text = useText();
  const { query } = useView();
  const id = query.get('id');
  if (!id)
    return (
      <div className="k-screen">
        <h1>{text(orderDetail.title)}</h1>
        <Alert type="info" showIcon title={text(['请从列表打开订单', 'Open an order from a list'])} />
      </div>
    );
  return <OneOrder key={id} id={id} objType={query.get('objType') ?? '1'} />;
}

function OneOrder({ id, objType }: { readonly id: string; readonly objType: string }) {
  const text = useText();
  const view = useView();
  const mayAct = view.pathOf(workOrder.menu) !== undefined;
  const action = useAction(workOrder, { slots: orderSlots, onDone: () => void refetch() });
  // Below the key of the row, so that what an action changes is read anew.
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row(workOrder.name, id), 'page', objType],
    queryFn: ({ signal }) =>
      call<SubDetail>('GET', '/api/jinmao/web/orderEngine/getSubDetailByWeb', {
        query: { id, objType },
        signal,
      }),
  });
  const { data: row } = useQuery({
    queryKey: keysOf.row(workOrder.name, id),
    enabled: mayAct && objType === '1' && data !== undefined && data.detail.woType !== 2,
    queryFn: ({ signal }) =>
      call<RowData>('GET', `${rootOf(workOrder)}/${encodeURIComponent(id)}`, { signal }),
  });
  const nameTab = useEffectEvent((suffix: string) => view.setTitle(suffix));
  const code = data?.detail.code;
  useEffect(() => {
    if (code) nameTab(code);
  }, [code]);
  const list = objType === '2' ? billPayment : workOrder;
  const back = view.pathOf(list.menu);
  const state = Object.values(WORK_STATES).find((one) => one.code === data?.detail.woStatus);
  return (
    <div className="k-screen">
      <header className="k-title">
        {back && (
          <Button
            type="text"
            icon={<LeftOutlined />}
            aria-label={text(['返回', 'Back'])}
            title={text(list.title)}
            onClick={() => view.open(back)}
          />
        )}
        <h1>
          {data ? (
            <>
              {data.detail.code} <CopyButton value={data.detail.code} />{' '}
              {state && <StatusTag choice={state} />}
            </>
          ) : (
            text(orderDetail.title)
          )}
        </h1>
        {data && data.detail.subStatus !== null && <Tag>{data.detail.subStatusStr}</Tag>}
        <div className="k-title-actions">
          {row &&
            data?.operateButtonList
              .filter((one) => one.display === 1 || one.display === 3)
              .map((one) => (
                <Button
                  key={one.code}
                  type={
                    workOrder.actions![one.action as 'dispatch']?.tone === 'primary' ? 'primary' : 'default'
                  }
                  danger={workOrder.actions![one.action as 'dispatch']?.tone === 'danger'}
                  onClick={() => action.run(one.action, row)}
                >
                  {one.name}
                </Button>
              ))}
        </div>
      </header>
      {isPending ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="od-page">
          <div className="od-main">
            {objType === '2' ? <FeeFacts detail={data.detail} /> : <Facts detail={data.detail} />}
            <Photos detail={data.detail} />
            <Clocks detail={data.detail} />
            {objType === '2' ? <FeeMoney detail={data.detail} /> : <Money detail={data.detail} />}
            <Scores detail={data.detail} />
          </div>
          <aside className="od-side">
            <Log lines={data.transactionLogList} />
          </aside>
        </div>
      )}
      {action.element}
    </div>
  );
}

type Detail = SubDetail['detail'];
const filesOf = (list: readonly { readonly url: string }[], name: string): FileValue[] =>
  list.map((one, index) => ({ id: `${index}${one.url}`, name, url: one.url, type: 'image/png', size: 0 }));

function Facts({ detail }: { readonly detail: Detail }) {
  const canReveal = useHeld(workOrder)('btn_reveal');
  const masked = (name: 'contactName' | 'contactTel' | 'behalfName' | 'behalfTel') => (
    <MaskedText
      value={detail[name]}
      name={name}
      encryptionField={detail.encryptionField}
      canReveal={canReveal}
    />
  );
  return (
    <Block title={['基本信息', 'Order']}>
      <dl className="k-facts">
        <Fact label={['标题', 'Title']} wide>
          {detail.title}
        </Fact>
        <Fact label={['类型', 'Type']}>{detail.woTypeStr}</Fact>
        <Fact label={['分类', 'Category']}>{detail.classifyName || NOTHING}</Fact>
        <Fact label={['紧急程度', 'Urgency']}>{detail.urgency}</Fact>
        <Fact label={['来源', 'Source']}>{detail.sourceStr}</Fact>
        <Fact label={['项目', 'Project']}>{detail.projectName}</Fact>
        <Fact label={['地址', 'Address']}>{detail.deliveryAddr || NOTHING}</Fact>
        <Fact label={['联系人', 'Contact']}>{masked('contactName')}</Fact>
        <Fact label={['联系电话', 'Phone']}>{masked('contactTel')}</Fact>
        <Fact label={['业主', 'Member']}>{detail.userName || NOTHING}</Fact>
        {detail.isBehalf === 1 && (
          <>
            <Fact label={['代报人', 'Reported by']}>{masked('behalfName')}</Fact>
            <Fact label={['代报人电话', 'Phone of the reporter']}>{masked('behalfTel')}</Fact>
          </>
        )}
        <Fact label={['处理人', 'Handler']}>
          {detail.handleName ? `${detail.handleName} ${detail.handleTel}` : NOTHING}
        </Fact>
        <Fact label={['期望时间', 'Expected']}>{instantFull(detail.expectTime) || NOTHING}</Fact>
        <Fact label={['创建', 'Created']}>{instantFull(detail.createTime)}</Fact>
        <Fact label={['接单', 'Accepted']}>{instantFull(detail.receiveTime) || NOTHING}</Fact>
        <Fact label={['开始', 'Started']}>{instantFull(detail.startTime) || NOTHING}</Fact>
        <Fact label={['完成', 'Finished']}>{instantFull(detail.finishTime) || NOTHING}</Fact>
        <Fact label={['描述', 'Description']} wide>
          {detail.description || NOTHING}
        </Fact>
        {detail.remark && (
          <Fact label={['备注', 'Remark']} wide>
            {detail.remark}
          </Fact>
        )}
        {detail.result && (
          <Fact label={['处理结果', 'Result']} wide>
            {detail.result}
          </Fact>
        )}
        {detail.firstResult && (
          <Fact label={['首次处理结果', 'First result']} wide>
            {detail.firstResult}
          </Fact>
        )}
        {detail.cancelReason && (
          <Fact label={['取消原因', 'Cancelled because']} wide>
            {detail.cancelReason}
          </Fact>
        )}
      </dl>
    </Block>
  );
}

/** A payment of property fees. */
function FeeFacts({ detail }: { readonly detail: Detail }) {
  return (
    <Block title={['缴费信息', 'Payment']}>
      <dl className="k-facts">
        <Fact label={['类型', 'Type']}>{detail.woTypeStr}</Fact>
        <Fact label={['项目', 'Project']}>{detail.projectName}</Fact>
        <Fact label={['房屋', 'House']}>{detail.deliveryAddr}</Fact>
        <Fact label={['缴费人', 'Payer']}>{detail.contactName || NOTHING}</Fact>
        <Fact label={['收费项目', 'Fee items']}>{detail.classifyName || NOTHING}</Fact>
        <Fact label={['渠道', 'Channel']}>{detail.sourceStr}</Fact>
        <Fact label={['收费员', 'Cashier']}>{detail.handleName || NOTHING}</Fact>
        <Fact label={['缴费时间', 'Paid at']}>{instantFull(detail.createTime)}</Fact>
        {detail.remark && (
          <Fact label={['备注', 'Remark']} wide>
            {detail.remark}
          </Fact>
        )}
        {detail.cancelReason && (
          <Fact label={['作废原因', 'Void because']} wide>
            {detail.cancelReason}
          </Fact>
        )}
      </dl>
    </Block>
  );
}

/** What it came to and the bills it paid. */
function FeeMoney({ detail }: { readonly detail: Detail }) {
  const text = useText();
  return (
    <Block title={['金额与账单', 'Money and bills']}>
      <dl className="k-facts">
        <Fact label={['应收', 'Receivable']}>¥{moneyText(detail.totalPrice)}</Fact>
        <Fact label={['优惠', 'Discount']}>¥{moneyText(detail.discountPrice)}</Fact>
        <Fact label={['滞纳金', 'Late fee']}>¥{moneyText(detail.lateFeePrice)}</Fact>
        <Fact label={['实收', 'Paid']}>¥{moneyText(detail.actualPrice)}</Fact>
        <Fact label={['退款', 'Refunded']}>¥{moneyText(detail.refundPrice)}</Fact>
      </dl>
      {detail.itemList.length > 0 && (
        <table className="od-table">
          <thead>
            <tr>
              <th scope="col">{text(['收费项目', 'Fee item'])}</th>
              <th scope="col">{text(['账期', 'Period'])}</th>
              <th scope="col" className="k-number">
                {text(['账单金额', 'Bill'])}
              </th>
              <th scope="col" className="k-number">
                {text(['本次实收', 'Paid now'])}
              </th>
            </tr>
          </thead>
          <tbody>
            {detail.itemList.map((one, index) => (
              <tr key={index}>
                <td>{one.name}</td>
                <td>{one.period}</td>
                <td className="k-number">{moneyText(one.amount)}</td>
                <td className="k-number">{moneyText(one.paid)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Block>
  );
}

function Photos({ detail }: { readonly detail: Detail }) {
  const text = useText();
  const groups: readonly (readonly [Label, readonly { readonly url: string }[]])[] = [
    [['报修图片', 'Pictures'], detail.imgList],
    [['处理前', 'Before'], detail.beforeImgList],
    [['处理后', 'After'], detail.afterImgList],
  ];
  if (groups.every(([, list]) => list.length === 0) && !detail.videoUrl) return null;
  return (
    <Block title={['照片', 'Photos']}>
      <div className="od-photos">
        {groups
          .filter(([, list]) => list.length > 0)
          .map(([label, list]) => (
            <figure key={label[0]}>
              <figcaption className="k-quiet k-small">{text(label)}</figcaption>
              <Gallery files={filesOf(list, text(label))} />
            </figure>
          ))}
      </div>
      {detail.videoUrl && (
        <a className="k-file" href={detail.videoUrl} target="_blank" rel="noreferrer">
          {text(['查看视频', 'Video'])}
        </a>
      )}
    </Block>
  );
}

function Clocks({ detail }: { readonly detail: Detail }) {
  const text = useText();
  const clocks: readonly (readonly [Label, SlaWire | null])[] = [
    [['响应时效', 'Response'], detail.slaResponse],
    [['解决时效', 'Resolution'], detail.slaResolve],
  ];
  if (clocks.every(([, clock]) => clock === null)) return null;
  return (
    <Block title={['时效', 'Clocks']}>
      <div className="od-clocks">
        {clocks.map(
          ([label, clock]) =>
            clock && (
              <section key={label[0]} className="od-clock">
                <header>
                  <strong>
                    {text(label)}
                    {clock.round > 1 && text([`（第${clock.round}轮）`, ` (round ${clock.round})`])}
                  </strong>
                  <StatusTag choice={SLA_STATES[clock.state as keyof typeof SLA_STATES]} />
                  {clock.stopTime === null && clock.state !== 'paused' && <DueText until={clock.dueTime} />}
                </header>
                <p className="k-number">
                  {instantFull(clock.startTime)} + {text(minutesLabel(clock.targetMinutes))}
                  {clock.pausedMinutes > 0 &&
                    text([` + 暂停${clock.pausedMinutes}分钟`, ` + ${clock.pausedMinutes} min paused`])}{' '}
                  = <strong>{instantFull(clock.dueTime)}</strong>
                </p>
                <p className="k-quiet k-small">
                  {clock.policy} · {clock.calendar} ·{' '}
                  {text([`已用${clock.usedMinutes}分钟`, `${clock.usedMinutes} min used`])}
                  {clock.stopTime && ` · ${text(['停止于', 'stopped'])} ${instantFull(clock.stopTime)}`}
                  {clock.steps.length > 0 &&
                    ` · ${text(['已升级', 'told at'])} ${clock.steps.map((step) => `${step}%`).join(text(['、', ', ']))}`}
                </p>
              </section>
            ),
        )}
      </div>
    </Block>
  );
}

function Money({ detail }: { readonly detail: Detail }) {
  const text = useText();
  const trade = detail.subStatus !== null;
  const charged = !trade && detail.itemList.length > 0;
  if (!trade && !charged && detail.materialList.length === 0) return null;
  return (
    <Block
      title={
        trade ? ['金额', 'Money'] : charged ? ['材料与收费', 'Materials and fees'] : ['使用材料', 'Materials']
      }
    >
      {(trade || charged) && (
        <dl className="k-facts">
          <Fact label={['金额', 'Amount']}>¥{moneyText(detail.totalPrice)}</Fact>
          <Fact label={['实付', 'Paid']}>¥{moneyText(detail.actualPrice)}</Fact>
          <Fact label={['退款', 'Refunded']}>¥{moneyText(detail.refundPrice)}</Fact>
        </dl>
      )}
      {detail.materialList.length > 0 && (
        <table className="od-table">
          <thead>
            <tr>
              <th scope="col">{text(['材料', 'Material'])}</th>
              <th scope="col" className="k-number">
                {text(['数量', 'Qty'])}
              </th>
              <th scope="col" className="k-number">
                {text(['单价', 'Price'])}
              </th>
              <th scope="col" className="k-number">
                {text(['金额', 'Amount'])}
              </th>
            </tr>
          </thead>
          <tbody>
            {detail.materialList.map((one, index) => (
              <tr key={index} className={one.returned ? 'k-quiet' : undefined}>
                <td>
                  {one.name} {one.spec}
                  {one.returned && text(['（已退回）', ' (went back)'])}
                </td>
                <td className="k-number">
                  {one.qty} {one.unit}
                </td>
                <td className="k-number">{moneyText(one.price)}</td>
                <td className="k-number">{moneyText(one.amount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Block>
  );
}

function Scores({ detail }: { readonly detail: Detail }) {
  const text = useText();
  if (!detail.evaluate && !detail.callback) return null;
  return (
    <Block title={['评价与回访', 'Scores and call-back']}>
      <dl className="k-facts">
        {detail.evaluate && (
          <>
            <Fact label={['总体', 'Overall']}>
              {text([`${detail.evaluate.overall}分`, `${detail.evaluate.overall} of 5`])}
            </Fact>
            <Fact label={['到场及时', 'Arrival']}>{detail.evaluate.arrival ?? NOTHING}</Fact>
            <Fact label={['服务人员', 'Worker']}>{detail.evaluate.worker ?? NOTHING}</Fact>
            <Fact label={['评价内容', 'Comment']} wide>
              {detail.evaluate.content || NOTHING}
            </Fact>
          </>
        )}
        {detail.callback && (
          <>
            <Fact label={['回访结果', 'Call-back']}>{detail.callback.result}</Fact>
            <Fact label={['回访时间', 'Called']}>{instantFull(detail.callback.time) || NOTHING}</Fact>
            <Fact label={['回访记录', 'Note']} wide>
              {detail.callback.content || NOTHING}
            </Fact>
          </>
        )}
      </dl>
    </Block>
  );
}

function Log({ lines }: { readonly lines: SubDetail['transactionLogList'] }) {
  const text = useText();
  return (
    <Block title={['处理记录', 'What happened']}>
      <ol className="k-timeline">
        {[...lines].reverse().map((line, index) => (
          <li key={index}>
            <div className="k-timeline-head">
              <strong>{line.title}</strong>
            </div>
            <div className="k-quiet k-small">
              <span>{text(actorLabel(line.operator))} · </span>
              <time title={instantFull(line.time)}>{instantShort(line.time)}</time>
            </div>
            {line.content && <p className="k-remark">{line.content}</p>}
            {line.imgList.length > 0 && <Gallery files={filesOf(line.imgList, line.title)} />}
          </li>
        ))}
      </ol>
    </Block>
  );
}

/** 订单详情, opened by lists of orders. */
export const screen = { contract: orderDetail, component: OrderDetailScreen };
