import { useMemo, useRef, useState } from 'react';
import { Alert, Button, Checkbox, Input, Tag, Tree, type TreeDataNode } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { instantFull, instantShort } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useLeaveQuestion } from '../../../kernel/client/parts/use-confirm.ts';
import { useExport } from '../../../kernel/client/parts/use-export.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useSession } from '../../../kernel/client/session.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { pickedRegion, pickerRegions, type RegionNode } from '../../../domain/region/region.rules.ts';
import {
  branchIds,
  filteredTree,
  fullNames,
  halfTicked,
  levelCounts,
  ticked,
  toggled,
} from './area-tree.rules.ts';
import { noDeliveryArea, type NoDeliverySet } from './no-delivery-area.contract.ts';
import './no-delivery-area.css';

const ROOT = rootOf(noDeliveryArea);
const MERCHANT_TENANT = 2;

/** The regions of one merchant: ticks in the tree at the left, the stored set with dates and people at the right. */
export function AreaBoard() {
  const text = useText();
  const view = useView();
  const held = useHeld(noDeliveryArea);
  const isMerchant = useSession((state) => state.info?.tenantType === MERCHANT_TENANT);
  const chosenMerchant = view.query.get('merchant') ?? '';
  const [draft, setDraft] = useState<ReadonlySet<string>>();
  const [asking, setAsking] = useState(false);
  const leave = useLeaveQuestion();
  const exporting = useExport(`${ROOT}/export`);
  const ready = isMerchant || chosenMerchant !== '';
  const set = useQuery({
    queryKey: [...keysOf.all(noDeliveryArea.name), 'set', chosenMerchant],
    enabled: ready,
    queryFn: ({ signal }) =>
      call<NoDeliverySet>('GET', `${ROOT}/set`, {
        query: isMerchant ? {} : { tenantId: chosenMerchant },
        signal,
        quiet: true,
      }),
  });
  const regions = useQuery({
    queryKey: ['regions'],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      call<readonly RegionNode[]>('GET', '/api/jinmao/web/bizRegion/getAllRegionListPc', { signal }),
  });
  const places = useMemo(() => pickerRegions(regions.data ?? []), [regions.data]);
  const names = useMemo(() => fullNames(places), [places]);
  const stored = useMemo(
    () => new Set((set.data?.areas ?? []).map((one) => pickedRegion(regions.data ?? [], one.id))),
    [set.data, regions.data],
  );
  const change = (next: ReadonlySet<string> | undefined) => {
    const same = next && next.size === stored.size && [...next].every((one) => stored.has(one));
    setDraft(same ? undefined : next);
    view.setDirty(next !== undefined && !same);
  };
  const choose = async (merchant: string) => {
    if (draft && !(await leave())) return;
    change(undefined);
    view.setQuery(new URLSearchParams(merchant ? { merchant } : {}));
  };
  const failed = regions.error ?? set.error;
  const chosen = draft ?? stored;
  const mayEdit = held('btn_save');
  return (
    <div className="k-screen">
      <PageTitle title={noDeliveryArea.title} purpose={noDeliveryArea.purpose}>
        {held('btn_export') && (
          <Button
            disabled={!set.data || exporting.locked}
            loading={exporting.busy}
            onClick={() =>
              exporting.start({ query: isMerchant || !chosenMerchant ? {} : { merchant: chosenMerchant } })
            }
          >
            {text(['导出', 'Export'])}
          </Button>
        )}
        {mayEdit && draft && <Button onClick={() => change(undefined)}>{text(['撤销修改', 'Undo'])}</Button>}
        {mayEdit && (
          <Button type="primary" disabled={!draft} onClick={() => setAsking(true)}>
            {text(['保存', 'Save'])}
          </Button>
        )}
      </PageTitle>
      {!isMerchant && (
        <div className="nda-merchant">
          <RemoteSelect
            target="merchant"
            label={text(['商户', 'Merchant'])}
            prefix={text(['商户', 'Merchant'])}
            placeholder={text(['选择商户', 'Choose a merchant'])}
            value={chosenMerchant ? [chosenMerchant] : []}
            known={set.data ? { [set.data.tenantId]: set.data.merchant } : {}}
            onChange={(ids) => void choose(ids[0] ?? '')}
          />
        </div>
      )}
      {!ready ? (
        <div className="k-state">
          {text(['请选择商户，查看和设置其不配送的区域', 'Choose a merchant to see and set its regions'])}
        </div>
      ) : failed ? (
        <ErrorPanel error={failed} onRetry={() => void Promise.all([regions.refetch(), set.refetch()])} />
      ) : !set.data || !regions.data ? (
        <ScreenWaits />
      ) : (
        <div className="nda-board">
          <RegionTree places={places} chosen={chosen} readOnly={!mayEdit} onChange={change} />
          <CurrentSet set={set.data} places={places} chosen={chosen} changed={draft !== undefined} />
        </div>
      )}
      {asking && set.data && draft && (
        <SaveDialog
          set={set.data}
          stored={stored}
          chosen={draft}
          nameOf={(id) => names.get(id) ?? set.data.areas.find((one) => one.id === id)?.title ?? id}
          close={() => setAsking(false)}
          saved={() => {
            setAsking(false);
            setDraft(undefined);
            view.setDirty(false);
          }}
        />
      )}
    </div>
  );
}

function RegionTree(props: {
  readonly places: readonly RegionNode[];
  readonly chosen: ReadonlySet<string>;
  readonly readOnly: boolean;
  readonly onChange: (next: ReadonlySet<string>) => void;
}) {
  const text = useText();
  const { places, chosen } = props;
  const [words, setWords] = useState('');
  const [only, setOnly] = useState(false);
  const [open, setOpen] = useState<readonly string[]>([]);
  // What was chosen when the box was ticked: rows must not vanish under the pointer.
  const [kept, setKept] = useState<ReadonlySet<string>>();
  const shown = useMemo(
    () => filteredTree(places, words, only ? kept : undefined),
    [places, words, only, kept],
  );
  const all = useMemo(() => ticked(places, chosen), [places, chosen]);
  const half = useMemo(() => halfTicked(places, chosen), [places, chosen]);
  const looking = words.trim() !== '' || only;
  const counts = levelCounts(places, chosen);
  return (
    <section className="nda-tree" aria-label={text(['区域', 'Regions'])}>
      <div className="nda-search">
        <Input.Search
          allowClear
          value={words}
          placeholder={text(['搜索省、市、区名称或编码', 'Province, city, district or code'])}
          aria-label={text(['搜索区域', 'Search regions'])}
          onChange={(event) => setWords(event.target.value)}
        />
        <Checkbox
          checked={only}
          onChange={(event) => {
            setOnly(event.target.checked);
            setKept(event.target.checked ? new Set(chosen) : undefined);
          }}
        >
          {text(['仅看已选', 'Only chosen'])}
        </Checkbox>
      </div>
      <p className="k-quiet k-small" aria-live="polite">
        {text(
          fill(
            [
              '已选 {p} 个省、{c} 个市、{d} 个区县（上级已含下级）',
              '{p} provinces, {c} cities, {d} districts chosen (each with all below)',
            ],
            { p: counts.provinces, c: counts.cities, d: counts.districts },
          ),
        )}
      </p>
      {shown.length === 0 ? (
        <div className="k-state">{text(['没有符合的区域', 'No region matches'])}</div>
      ) : (
        <Tree
          checkable
          checkStrictly
          selectable={false}
          disabled={props.readOnly}
          height={560}
          virtual
          treeData={shown.map(nodeOf)}
          checkedKeys={{ checked: all, halfChecked: half }}
          expandedKeys={looking ? branchIds(shown) : (open as string[])}
          onExpand={(keys) => setOpen(keys.map(String))}
          onCheck={(_keys, { node, checked }) =>
            props.onChange(toggled(places, chosen, String(node.key), checked))
          }
        />
      )}
    </section>
  );
}

function nodeOf(region: RegionNode): TreeDataNode {
  return { key: region.id, title: region.name, children: region.children.map(nodeOf) };
}

/** The stored set; while something is changed it says that this is what was saved last. */
function CurrentSet(props: {
  readonly set: NoDeliverySet;
  readonly places: readonly RegionNode[];
  readonly chosen: ReadonlySet<string>;
  readonly changed: boolean;
}) {
  const text = useText();
  const { set } = props;
  return (
    <section className="nda-set" aria-label={text(['当前设置', 'Current set'])}>
      <h2>
        {text(['当前设置', 'Current set'])} <span className="k-quiet">{set.areas.length}</span>
      </h2>
      <p className="k-quiet k-small">
        {set.updatedAt
          ? text(
              fill(['{who} 于 {at} 保存', 'Saved by {who}, {at}'], {
                who: set.updatedBy ?? text(['系统', 'System']),
                at: instantFull(set.updatedAt),
              }),
            )
          : text(['尚未设置', 'Not set yet'])}
        {set.productsWithOwn > 0 &&
          text(
            fill(['；另有 {n} 个商品单独设置', '; {n} goods have regions of their own'], {
              n: set.productsWithOwn,
            }),
          )}
      </p>
      {props.changed && (
        <Alert
          type="info"
          showIcon
          title={text(['有未保存的修改，下面是已保存的设置', 'Not saved yet; below stands what is saved'])}
        />
      )}
      {set.areas.length === 0 ? (
        <div className="k-state">{text(['全部地区可配送', 'Delivered everywhere'])}</div>
      ) : (
        <ul className="nda-list">
          {set.areas.map((one) => (
            <li key={one.id}>
              <span>
                {one.title} {!one.enabled && <Tag>{text(['区域已停用', 'Region stopped'])}</Tag>}
              </span>
              <span className="k-quiet k-small">
                {one.addedBy ?? text(['系统', 'System'])}{' '}
                <time title={instantFull(one.addedAt)}>{instantShort(one.addedAt)}</time>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What is added and removed, before it is saved. */
function SaveDialog(props: {
  readonly set: NoDeliverySet;
  readonly stored: ReadonlySet<string>;
  readonly chosen: ReadonlySet<string>;
  readonly nameOf: (id: string) => string;
  readonly close: () => void;
  readonly saved: () => void;
}) {
  const text = useText();
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const key = useRef<string>(undefined);
  const [problem, setProblem] = useState<string>();
  const { set, stored, chosen } = props;
  const added = [...chosen].filter((one) => !stored.has(one));
  const removed = [...stored].filter((one) => !chosen.has(one));
  const save = () =>
    void guard.run(async () => {
      key.current ??= newIdempotencyKey();
      setProblem(undefined);
      try {
        await call('POST', `${ROOT}/set`, {
          body: { tenantId: set.tenantId, version: set.version, regions: [...chosen] },
          idempotencyKey: key.current,
          quiet: true,
        });
      } catch (caught) {
        if (!(caught instanceof ApiError)) throw caught;
        if (caught.http !== 0 && caught.http !== 504) key.current = undefined;
        setProblem(caught.message);
        // Somebody saved meanwhile: what is added and removed follows from what stands there now.
        if (caught.http === 409)
          await client.invalidateQueries({ queryKey: keysOf.all(noDeliveryArea.name) });
        return;
      }
      message.success(text(['已保存', 'Saved']), 2);
      await client.invalidateQueries({ queryKey: keysOf.all(noDeliveryArea.name) });
      props.saved();
    });
  return (
    <AppModal
      open
      width={560}
      title={text(
        fill(['保存不配送区域 · {name}', 'Save no-delivery areas · {name}'], { name: set.merchant }),
      )}
      okText={text(['保存', 'Save'])}
      confirmLoading={guard.busy}
      okButtonProps={{
        disabled: (guard.locked && !guard.busy) || (added.length === 0 && removed.length === 0),
      }}
      onOk={save}
      onCancel={props.close}
    >
      <p className="k-quiet">
        {text([
          '保存后立即生效：新增区域的报价与下单将被拒绝，已支付的订单不受影响。',
          'Takes effect at once: quotes and orders for added regions are refused, paid orders stay as they are.',
        ])}
      </p>
      <DifferenceList label={text(['新增不配送', 'Added'])} ids={added} nameOf={props.nameOf} mark="+" />
      <DifferenceList label={text(['恢复配送', 'Removed'])} ids={removed} nameOf={props.nameOf} mark="−" />
      {problem && <Alert type="error" showIcon title={problem} />}
    </AppModal>
  );
}

function DifferenceList(props: {
  readonly label: string;
  readonly ids: readonly string[];
  readonly nameOf: (id: string) => string;
  readonly mark: string;
}) {
  if (props.ids.length === 0) return null;
  return (
    <div className="nda-difference">
      <strong>
        {props.label} <span className="k-quiet">{props.ids.length}</span>
      </strong>
      <ul>
        {props.ids.map((id) => (
          <li key={id}>
            {props.mark} {props.nameOf(id)}
          </li>
        ))}
      </ul>
    </div>
  );
}
