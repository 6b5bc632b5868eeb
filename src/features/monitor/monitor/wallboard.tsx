import { useEffect, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { FullscreenOutlined } from '@ant-design/icons';
import { call } from '../../../kernel/client/api-client.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { metricSpec } from '../../../domain/monitoring/metric-names.rules.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { Duration } from '../monitor-page.tsx';
import { CHANNELS } from './channels.rules.ts';
import { monitorPage, type Wall, type WallTile } from './monitor.contract.ts';

const InstanceDrawer = lazyPart(() =>
  import('./instance-drawer.tsx').then((module) => module.InstanceDrawer),
);

const SECONDS = 5;
const PRODUCT = [
  'http_rps',
  'http_error_rate',
  'http_p95',
  'sessions_live',
  'job_due',
  'job_late',
  'job_failed',
  'export_running',
  'export_waiting',
  'outbox_backlog',
  'outbox_oldest_s',
  'db_size',
  'db_connections',
  'disk_free_share',
];
const INSTANCE = ['http_rps', 'http_error_rate', 'http_p95', 'cpu', 'heap_used', 'loop_lag_p99'];

const STATUS = {
  UP: ['正常', 'UP'],
  DOWN: ['失联', 'DOWN'],
  STARTING: ['启动中', 'STARTING'],
  OUT_OF_SERVICE: ['停用', 'OUT_OF_SERVICE'],
} as const;

/** A value with its unit, short enough for a tile. */
export function metricText(metric: string, value: number | undefined): string {
  if (value === undefined) return '–';
  const unit = metricSpec(metric)?.unit ?? '';
  const shown = value >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
  return unit === '' ? String(shown) : `${shown} ${unit}`;
}

const AWAKE_MS = 60_000;

/**
 * Whether the board fills the screen. A display on the wall has nobody who moves its pointer: while the element is held, it
 * counts as used, so that the page is not locked as idle, and the screen is asked not to sleep.
 */
function useWallDisplay(host: React.RefObject<HTMLDivElement | null>): boolean {
  const held = useHeld(monitorPage)('btn_wall');
  const [full, setFull] = useState(false);
  useEffect(() => {
    const changed = () => setFull(host.current !== null && document.fullscreenElement === host.current);
    document.addEventListener('fullscreenchange', changed);
    return () => document.removeEventListener('fullscreenchange', changed);
  }, [host]);
  useEffect(() => {
    if (!full || !held) return;
    const timer = setInterval(() => window.dispatchEvent(new PointerEvent('pointermove')), AWAKE_MS);
    let lock: WakeLockSentinel | undefined;
    // Plain http and some browsers have none: the display's own setting decides there.
    void navigator.wakeLock?.request('screen').then(
      (got) => (lock = got),
      () => {},
    );
    return () => {
      clearInterval(timer);
      void lock?.release();
    };
  }, [full, held]);
  return full;
}

/** Everything that runs at a glance, read anew every five seconds; fills the screen of a wall display when asked. */
export function Wallboard() {
  const text = useText();
  const view = useView();
  const host = useRef<HTMLDivElement>(null);
  const full = useWallDisplay(host);
  const { data, error, refetch } = useQuery({
    queryKey: ['monitor', 'wall'],
    queryFn: ({ signal }) => call<Wall>('GET', '/api/admin/monitor/wall', { signal, quiet: true }),
    refetchInterval: view.active ? SECONDS * 1000 : false,
  });
  if (!data && error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <ScreenWaits />;
  const chosen = view.query.get('instance');
  const show = (instance: string | null) => {
    // The drawer lies outside of what fills the screen.
    if (full) void document.exitFullscreen();
    const query = new URLSearchParams(view.query);
    if (instance === null) query.delete('instance');
    else query.set('instance', instance);
    view.setQuery(query);
  };
  return (
    <div className="mon-wall" ref={host}>
      <div className="mon-tools">
        <span className={data.firing > 0 ? 'mon-firing' : 'k-quiet'}>
          {text(fill(['告警中 {n}', '{n} {n|alert|alerts}'], { n: data.firing }))}
        </span>
        <span className="k-quiet">{data.at.slice(11, 19)}</span>
        {error !== null && (
          <span className="mon-firing" role="alert">
            {text(['数据未更新', 'Not up to date'])}
          </span>
        )}
        {!full && (
          <Button icon={<FullscreenOutlined />} onClick={() => void host.current?.requestFullscreen()}>
            {text(['全屏', 'Full screen'])}
          </Button>
        )}
      </div>
      <dl className="mon-head">
        {PRODUCT.map((metric) => (
          <div key={metric}>
            <dt>{text(metricSpec(metric)!.label)}</dt>
            <dd>{metricText(metric, data.product[metric])}</dd>
          </div>
        ))}
        {data.channels.map((one) => {
          const name = text(CHANNELS[one.channel] ?? [one.channel, one.channel]);
          return (
            <div key={one.channel}>
              <dt>
                {text([`${name}成功率`, `${name}: success`])}
                {one.sandbox && ` · ${text(['沙箱', 'sandbox'])}`}
              </dt>
              <dd>{metricText('channel_success', one.success)}</dd>
            </div>
          );
        })}
      </dl>
      <ul className="mon-tiles">
        {data.tiles.map((tile) => (
          <Tile key={tile.id} tile={tile} onOpen={() => show(tile.instanceId)} />
        ))}
      </ul>
      {chosen !== null && <InstanceDrawer instanceId={chosen} onClose={() => show(null)} />}
    </div>
  );
}

function Tile({ tile, onOpen }: { readonly tile: WallTile; readonly onOpen: () => void }) {
  const text = useText();
  const tone =
    tile.status === 'DOWN'
      ? 'down'
      : tile.alerts > 0 || tile.status === 'OUT_OF_SERVICE'
        ? 'amber'
        : tile.status === 'STARTING'
          ? 'starting'
          : 'up';
  return (
    <li>
      <button type="button" className={`mon-tile mon-${tone}`} onClick={onOpen}>
        <strong>{tile.service}</strong>
        <span className="k-quiet">
          {tile.host} · {tile.release} · <Duration seconds={tile.uptime} />
        </span>
        <span>
          {text(STATUS[tile.status])}
          {tile.alerts > 0 && ` · ${text(fill(['告警 {n}', '{n} {n|alert|alerts}'], { n: tile.alerts }))}`}
        </span>
        <span className="mon-values">
          {INSTANCE.map((metric) => (
            <span key={metric}>
              <small>{text(metricSpec(metric)!.label)}</small>
              <b>{metricText(metric, tile.values[metric])}</b>
            </span>
          ))}
        </span>
      </button>
    </li>
  );
}
