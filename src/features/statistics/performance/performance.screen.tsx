import { useEffect, useState } from 'react';
import { Button, Input } from 'antd';
import { useMutation } from '@tanstack/react-query';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { valueText } from '../../../kernel/client/value-text.rules.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { lastDayOf } from '../goods-sales/goods-sales.rules.ts';
import { achievement, achievementDetail, performanceTarget } from './performance.contract.ts';

const DETAILS = '/statisticalAnalysis/achievementDetails';
const thisMonth = () => businessDayOf(new Date()).slice(0, 7);
const wholeMonth = (month: string) => `${month}-01~${lastDayOf(month)}`;

/** Closes a month for good; the last one is proposed. */
function CloseMonth({ close }: { readonly close: () => void }) {
  const text = useText();
  const [month, setMonth] = useState(() => addDays(`${thisMonth()}-01`, -1).slice(0, 7));
  const run = useMutation({
    mutationFn: () =>
      call('POST', '/api/jinmao/web/achievement/closeMonth', {
        body: { month },
        idempotencyKey: newIdempotencyKey(),
      }),
    onSuccess: () => {
      message.success(text([`${month} 已关账`, `${month} is closed`]), 2);
      close();
    },
    onError: tellFault,
  });
  return (
    <AppModal
      open
      title={text(['月度关账', 'Close a month'])}
      onCancel={close}
      onOk={() => run.mutate()}
      confirmLoading={run.isPending}
    >
      <p>
        {text([
          '关账后该月数据与目标不再变动，之后的退款计为当日更正。不能撤销。',
          'Figures and targets of a closed month never move; later refunds are corrections of their own day. This cannot be undone.',
        ])}
      </p>
      <Input
        aria-label={text(['月份', 'Month'])}
        value={month}
        maxLength={7}
        placeholder="2026-10"
        onChange={(event) => setMonth(event.target.value)}
      />
    </AppModal>
  );
}

/** A report about months starts with the present one. */
function useMonth(): boolean {
  const view = useView();
  const missing = view.query.get('range') === null;
  useEffect(() => {
    if (!missing) return;
    const query = new URLSearchParams(view.query);
    query.set('range', wholeMonth(thisMonth()));
    view.setQuery(query);
  }, [missing, view]);
  return !missing;
}

/** What was reached, which opens the rows it is made of. */
function Actual({ row, name }: { readonly row: RowData; readonly name: 'actual' | 'actualN' }) {
  const text = useText();
  const view = useView();
  const language = useLanguageStore((state) => state.language);
  const filters = (row.drill as Readonly<Record<string, Readonly<Record<string, string>>>> | undefined)?.[
    name
  ];
  const shown = valueText(achievement.fields[name]!, row[name], language);
  if (!filters || Number(row[name] ?? 0) === 0) return <>{shown}</>;
  const { isAdmin = '0', ...query } = filters;
  return (
    <button
      type="button"
      className="k-link"
      title={text(['查看明细', 'Show the rows'])}
      onClick={() => view.open(`${DETAILS}/${isAdmin}?${new URLSearchParams(query).toString()}`)}
    >
      {shown}
    </button>
  );
}

function Report() {
  const text = useText();
  const view = useView();
  const held = useHeld(performanceTarget);
  const ready = useMonth();
  const [closing, setClosing] = useState(false);
  if (!ready) return null;
  return (
    <>
      <ScreenOf
        contract={achievement}
        slots={{
          cells: {
            actual: (row) => <Actual row={row} name="actual" />,
            actualN: (row) => <Actual row={row} name="actualN" />,
          },
          above: (
            <div className="k-part-actions">
              <Button size="small" onClick={() => view.open(`${view.path}?as=targets`)}>
                {text(performanceTarget.title)}
              </Button>
              {held('btn_closeMonth') && (
                <Button size="small" onClick={() => setClosing(true)}>
                  {text(['月度关账', 'Close a month'])}
                </Button>
              )}
            </div>
          ),
        }}
      />
      {closing && <CloseMonth close={() => setClosing(false)} />}
    </>
  );
}

function AchievementScreen() {
  const view = useView();
  return view.query.get('as') === 'targets' ? <ScreenOf contract={performanceTarget} /> : <Report />;
}

/** Whose details are shown stands in the address, everything else in the query. */
function DetailScreen() {
  const view = useView();
  const { isAdmin } = view.params;
  const asked = isAdmin === '1' ? '1' : '0';
  const wrong = isAdmin !== undefined && view.query.get('isAdmin') !== asked;
  const ready = useMonth();
  useEffect(() => {
    if (!ready || !wrong) return;
    const query = new URLSearchParams(view.query);
    query.set('isAdmin', asked);
    view.setQuery(query);
  }, [ready, wrong, asked, view]);
  return !ready || wrong ? null : <ScreenOf contract={achievementDetail} />;
}

/** 业绩统计. */
export const screen = { contract: achievement, component: AchievementScreen };
/** 业绩明细. */
export const detailScreen = { contract: achievementDetail, component: DetailScreen };
