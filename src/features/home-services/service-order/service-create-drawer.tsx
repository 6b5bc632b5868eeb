import { useState } from 'react';
import { Alert, Button, Input, InputNumber, Select } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { FocusFirst } from '../../../kernel/client/parts/focus-first.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useLeave } from '../../../kernel/client/parts/use-confirm.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { serviceOrder } from './service-order.contract.ts';
import { refusalText, useVisitSubmit } from './visit-calls.ts';
import { TimePicker, VisitField } from './visit-dialogs.tsx';
import './visits.css';

const ROOT = rootOf(serviceOrder);

interface FoundMember {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly ticket: string;
  readonly houses: readonly { readonly id: string; readonly address: string; readonly projectId: string }[];
}

interface FoundService {
  readonly id: string;
  readonly productName: string;
  readonly specName: string;
  readonly unit: string;
  readonly price: string;
  readonly minQty: number;
  readonly times: number;
  readonly minutes: number;
  readonly merchant: string;
}

interface ServiceTimes {
  readonly canOverbook: boolean;
  readonly times: readonly { readonly at: string; readonly left: number }[];
  readonly people: readonly { readonly id: string; readonly name: string; readonly load: number }[];
}

interface Quote {
  readonly payable: string;
  readonly goods: string;
  readonly merchantCoupon: string;
  readonly platformCoupon: string;
  readonly points: number;
  readonly coupons: readonly { readonly id: string; readonly state: string }[];
}

/** 代客预约: member by phone, address, service, time, person; the quote is live and what it shows is what is ordered. */
export function ServiceCreateDrawer({ root, close, done }: ActionScreenProps & { readonly root: string }) {
  const text = useText();
  const submit = useVisitSubmit(root);
  const [phone, setPhone] = useState('');
  const [house, setHouse] = useState<string>();
  const [project, setProject] = useState<readonly string[]>([]);
  const [address, setAddress] = useState('');
  const [spec, setSpec] = useState<FoundService>();
  const [qty, setQty] = useState(1);
  const [at, setAt] = useState<string>();
  const [person, setPerson] = useState<string>();
  const [over, setOver] = useState('');
  const [remark, setRemark] = useState('');
  const isPhone = /^1\d{10}$/.test(phone.trim());
  const { data: members, isFetching: searching } = useQuery({
    queryKey: ['serviceOrder', 'member', phone.trim()],
    enabled: isPhone,
    queryFn: ({ signal }) =>
      call<readonly FoundMember[]>('GET', `${ROOT}/member`, { query: { phone: phone.trim() }, signal }),
  });
  const member = isPhone ? members?.[0] : undefined;
  const own = member?.houses.find((one) => one.id === (house ?? member.houses[0]?.id));
  const elsewhere = house === 'other' || (member !== undefined && member.houses.length === 0);
  const projectId = elsewhere ? project[0] : own?.projectId;
  const { data: services } = useQuery({
    queryKey: ['serviceOrder', 'spec', projectId],
    enabled: projectId !== undefined,
    queryFn: ({ signal }) =>
      call<readonly FoundService[]>('GET', `${ROOT}/spec`, { query: { projectId: projectId! }, signal }),
  });
  const { data: times } = useQuery({
    queryKey: ['serviceOrder', 'times', spec?.id, projectId, at],
    enabled: spec !== undefined && projectId !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<ServiceTimes>('GET', `${ROOT}/spec/${spec!.id}/times`, {
        query: { projectId: projectId!, ...(at ? { startsAt: at } : {}) },
        signal,
      }),
  });
  const place = elsewhere ? { projectId: project[0] } : { houseId: own?.id };
  const {
    data: quote,
    error: quoteError,
    isFetching,
  } = useQuery({
    queryKey: ['serviceOrder', 'quote', member?.id, place, spec?.id, qty],
    enabled: member !== undefined && projectId !== undefined && spec !== undefined,
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<Quote>('POST', `${ROOT}/quote`, {
        body: { memberId: member!.id, memberTicket: member!.ticket, ...place, specId: spec!.id, qty },
        signal,
        quiet: true,
      }),
  });
  const dirty = member !== undefined;
  const { leave, forget } = useLeave(dirty, close);
  const isFull = times?.times.find((one) => one.at === at)?.left === 0;
  const ready =
    member &&
    spec &&
    at &&
    quote &&
    !quoteError &&
    !isFetching &&
    (!isFull || over.trim().length >= 2) &&
    (!elsewhere || address.trim().length >= 5);
  const send = () =>
    ready &&
    submit.send(
      '',
      {
        member: member.id,
        memberTicket: member.ticket,
        ...(elsewhere ? { project: project[0], address: address.trim() } : { house: own!.id }),
        spec: spec.id,
        qty,
        startsAt: at,
        ...(person ? { person } : {}),
        ...(isFull ? { overbookReason: over.trim() } : {}),
        ...(remark.trim() ? { remark: remark.trim() } : {}),
        coupons: quote.coupons.filter((coupon) => coupon.state === 'chosen').map((coupon) => coupon.id),
        shownTotal: quote.payable,
      },
      (answer) => {
        forget();
        done([answer.id]);
      },
    );
  return (
    <AppDrawer
      open
      guarded={dirty}
      size={760}
      title={text(serviceOrder.actions!.create.label)}
      onClose={leave}
      footer={
        <div className="hs-foot">
          {quote && (
            <span aria-live="polite">
              {text(['应付', 'To pay'])} <MoneyText value={quote.payable} strong />
            </span>
          )}
          <Button onClick={leave}>{text(words.cancel)}</Button>
          <Button type="primary" disabled={!ready || submit.locked} loading={submit.busy} onClick={send}>
            {text(['提交预约', 'Book'])}
          </Button>
        </div>
      }
    >
      <FocusFirst />
      {submit.error && <Alert type="error" showIcon title={refusalText(submit.error)} />}
      <div className="hs-two">
        <VisitField id="hs-phone" label={['会员手机号', 'Phone of the member']} required>
          <Input
            id="hs-phone"
            inputMode="numeric"
            maxLength={11}
            value={phone}
            placeholder={text(['输入完整手机号', 'Enter the whole phone number'])}
            onChange={(event) => setPhone(event.target.value)}
            suffix={member ? `${member.name} ${member.phone}` : undefined}
          />
          {isPhone && !searching && members?.length === 0 && (
            <span className="k-bad k-small">
              {text(['没有此手机号的会员', 'No member has this phone number'])}
            </span>
          )}
        </VisitField>
        {member && (
          <VisitField id="hs-house" label={['服务地址', 'Address']} required>
            <Select
              id="hs-house"
              className="k-fill"
              value={elsewhere ? 'other' : (own?.id ?? null)}
              onChange={(value) => setHouse(value as string)}
              options={[
                ...member.houses.map((one) => ({ value: one.id, label: one.address })),
                { value: 'other', label: text(['其他地址', 'Another address']) },
              ]}
            />
          </VisitField>
        )}
        {member && elsewhere && (
          <>
            <VisitField id="hs-project" label={['项目', 'Project']} required>
              <RemoteSelect
                id="hs-project"
                target="project"
                label={text(['项目', 'Project'])}
                value={project}
                known={{}}
                onChange={(ids) => setProject(ids)}
              />
            </VisitField>
            <VisitField id="hs-address" label={['详细地址', 'Full address']} required>
              <Input
                id="hs-address"
                maxLength={100}
                value={address}
                onChange={(event) => setAddress(event.target.value)}
              />
            </VisitField>
          </>
        )}
        {projectId && (
          <>
            <VisitField id="hs-spec" label={['服务', 'Service']} required>
              <Select
                id="hs-spec"
                className="k-fill"
                showSearch={{ optionFilterProp: 'label' }}
                value={spec?.id ?? null}
                placeholder={text(['选择服务', 'Choose a service'])}
                notFoundContent={text(['该项目没有可预约的服务', 'No service can be booked here'])}
                onChange={(value: string | null) => {
                  const found = services?.find((one) => one.id === value);
                  setSpec(found);
                  setQty(found?.minQty ?? 1);
                  setAt(undefined);
                  setPerson(undefined);
                }}
                options={(services ?? []).map((one) => ({
                  value: one.id,
                  label: `${one.productName} ${one.specName} · ${moneyText(one.price)}/${one.unit} · ${one.merchant}`,
                }))}
              />
            </VisitField>
            <VisitField id="hs-qty" label={['数量', 'Quantity']} required>
              <InputNumber
                id="hs-qty"
                className="k-fill"
                min={spec?.minQty ?? 1}
                max={999}
                precision={0}
                value={qty}
                suffix={spec?.unit}
                onChange={(value) => setQty(value ?? 1)}
              />
            </VisitField>
          </>
        )}
      </div>
      {spec && times && (
        <>
          <VisitField
            id="hs-time"
            label={[
              `预约时间（${spec.minutes}分钟${spec.times > 1 ? `，共${spec.times}次，先约第1次` : ''}）`,
              `Time (${spec.minutes} min${spec.times > 1 ? `, ${spec.times} visits, the first one` : ''})`,
            ]}
            required
          >
            <TimePicker times={times.times} value={at} onChange={setAt} canOverbook={times.canOverbook} />
          </VisitField>
          {isFull && (
            <VisitField id="hs-over" label={['超额原因', 'Why overbooked']} required>
              <Input
                id="hs-over"
                maxLength={100}
                value={over}
                onChange={(event) => setOver(event.target.value)}
              />
            </VisitField>
          )}
          <div className="hs-two">
            <VisitField id="hs-person" label={['指定人员', 'Person']}>
              <Select
                id="hs-person"
                className="k-fill"
                allowClear
                disabled={at === undefined}
                placeholder={text(['不指定，由前台派单', 'Nobody; the desk decides'])}
                value={person ?? null}
                onChange={(value: string | null) => setPerson(value ?? undefined)}
                options={times.people.map((one) => ({
                  value: one.id,
                  label: text([`${one.name} · 当日${one.load}单`, `${one.name} · ${one.load} that day`]),
                }))}
              />
            </VisitField>
            <VisitField id="hs-remark" label={['备注', 'Remark']}>
              <Input
                id="hs-remark"
                maxLength={200}
                value={remark}
                onChange={(event) => setRemark(event.target.value)}
              />
            </VisitField>
          </div>
        </>
      )}
      {quoteError && <Alert type="warning" showIcon title={quoteError.message} />}
    </AppDrawer>
  );
}
