import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { RemoteSelectField } from '../../../kernel/client/parts/select-shape.tsx';
import { greeting } from './greeting.rules.ts';
import { periods, useLastSignIn, type HomeRange, type Period } from './use-home.ts';

/** Greeting, last sign-in, project, period and the button to customise. */
export function HomeHead(props: {
  readonly range: HomeRange;
  readonly onRange: (range: HomeRange) => void;
  readonly isCustomising: boolean;
  readonly onCustomise: () => void;
}) {
  const text = useText();
  const { range } = props;
  const language = useLanguageStore((state) => state.language);
  const name = useSession((state) => state.info?.name ?? '');
  const tenant = useSession((state) => state.info?.tenantName);
  const now = new Date();
  const day = now.toLocaleDateString(language === 'zh' ? 'zh-CN' : 'en-GB', {
    timeZone: 'Asia/Shanghai',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    weekday: 'long',
  });
  const all = text(['全部项目', 'All projects']);
  return (
    <header className="home-head">
      <div>
        <h1>
          {text(greeting(Number(businessTimeText(now).slice(11, 13))))}
          {text(['，', ', '])}
          {name}
        </h1>
        <p>
          {tenant && `${tenant} · `}
          {day}
        </p>
        <LastSignIn />
      </div>
      <div className="home-range">
        <span className="home-project">
          <RemoteSelectField
            target="project"
            label={text(['项目', 'Project'])}
            placeholder={all}
            value={range.projectId === '' ? [] : [range.projectId]}
            onChange={(ids) => props.onRange({ ...range, projectId: ids[0] ?? '' })}
          />
        </span>
        <div className="home-periods" role="radiogroup" aria-label={text(['时间', 'Period'])}>
          {(Object.keys(periods) as Period[]).map((period) => (
            <label key={period} data-checked={period === range.period}>
              <input
                type="radio"
                name="home-period"
                className="visually-hidden"
                checked={period === range.period}
                onChange={() => props.onRange({ ...range, period })}
              />
              {text(periods[period])}
            </label>
          ))}
        </div>
        <button
          type="button"
          className="plain-button"
          aria-expanded={props.isCustomising}
          onClick={props.onCustomise}
        >
          {text(['自定义', 'Customise'])}
        </button>
      </div>
    </header>
  );
}

/** Time and address of the sign-in before this one; red when nobody came from that address before. */
function LastSignIn() {
  const text = useText();
  const { data } = useLastSignIn();
  return (
    <p className="home-last-sign-in">
      {data === null && text(['没有更早的登录记录', 'No earlier sign-in on record'])}
      {data && (
        <span className={data.isNew ? 'home-new-address' : undefined}>
          {text(
            fill(['上次登录 {at}，{address}', 'Last sign-in {at} from {address}'], {
              at: instantFull(data.at),
              address: data.address,
            }),
          )}
          {data.isNew && text(['（新地址）', ' (new address)'])}
        </span>
      )}
    </p>
  );
}
