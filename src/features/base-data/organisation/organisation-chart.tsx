import '../../../kernel/client/tree/tree.css';
import './organisation.css';
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button, Skeleton, Switch } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { chartLayout, BOX, type ChartBox } from './chart-layout.rules.ts';
import { KINDS, organisation } from './organisation.contract.ts';
import { useForest, type ForestNode } from './use-forest.ts';

/** The tree as a chart: boxes fold on a click or Enter; the whole is printed or saved as an image. */
export function OrganisationChart({ shapes }: { readonly shapes: ReactNode }) {
  const text = useText();
  const view = useView();
  const host = useRef<HTMLDivElement>(null);
  const [stopped, setStopped] = useState(false);
  const [folded, setFolded] = useState<ReadonlySet<string>>();
  const forest = useForest({ includeStopped: stopped });
  const nodes = forest.data ?? [];
  // Projects are folded into their unit at first: a chart of hundreds of leaves shows nothing.
  const closed =
    folded ?? new Set(nodes.filter((node) => node.kind === 'management_unit').map((node) => node.id));
  const { boxes, lines, width, height } = chartLayout(nodes, closed);
  const toggle = (id: string) => {
    const next = new Set(closed);
    if (!next.delete(id)) next.add(id);
    setFolded(next);
  };
  const details = (id: string) => view.open(`${view.path}?detail=${id}`);
  const print = () => {
    host.current?.setAttribute('data-printing', '');
    window.addEventListener('afterprint', () => host.current?.removeAttribute('data-printing'), {
      once: true,
    });
    window.print();
  };
  const save = () => {
    const svg = host.current?.querySelector('svg');
    if (svg)
      saveImage(svg, width, height, `${text(organisation.title)}.png`).catch(
        () =>
          void message.warning(
            text(['图片生成失败，请重试', 'The image could not be made, please try again']),
            4,
          ),
      );
  };
  return (
    <div className="k-screen">
      <PageTitle title={organisation.title} purpose={organisation.purpose}>
        <Button onClick={() => setFolded(new Set())}>{text(['全部展开', 'Unfold all'])}</Button>
        <Button
          onClick={() =>
            setFolded(new Set(nodes.filter((one) => one.kind === 'centre_city').map((one) => one.id)))
          }
        >
          {text(['收起到中心城市', 'Fold to centre cities'])}
        </Button>
        <Button disabled={boxes.length === 0} onClick={print}>
          {text(['打印', 'Print'])}
        </Button>
        <Button disabled={boxes.length === 0} onClick={save}>
          {text(['导出图片', 'Save as image'])}
        </Button>
      </PageTitle>
      <div className="org-place">
        {shapes}
        <label className="k-tree-below">
          <Switch
            size="small"
            checked={stopped}
            aria-label={text(['显示已停用', 'Show stopped'])}
            onChange={setStopped}
          />
          {text(['显示已停用', 'Show stopped'])}
        </label>
      </div>
      {forest.isError ? (
        <ErrorPanel error={forest.error} onRetry={() => void forest.refetch()} />
      ) : !forest.data ? (
        <Skeleton active paragraph={{ rows: 8 }} />
      ) : boxes.length === 0 ? (
        <p className="k-quiet">{text(organisation.list.empty!)}</p>
      ) : (
        <div className="org-chart" ref={host}>
          <svg
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            role="group"
            aria-label={text(['组织图', 'Chart of organisations'])}
            fontFamily="system-ui, sans-serif"
            fontSize="13"
          >
            {lines.map((line) => (
              <path key={line.key} d={line.d} fill="none" stroke="var(--ant-color-border)" />
            ))}
            {boxes.map((box) => (
              <Box key={box.node.id} box={box} onToggle={toggle} onOpen={details} />
            ))}
          </svg>
        </div>
      )}
    </div>
  );
}

function Box(props: {
  readonly box: ChartBox<ForestNode>;
  readonly onToggle: (id: string) => void;
  readonly onOpen: (id: string) => void;
}) {
  const text = useText();
  const { node, x, y, folded, hasBelow } = props.box;
  const isProject = node.kind === 'project';
  const kind = text(isProject ? ['项目', 'Project'] : KINDS[node.kind].label);
  const counts = isProject
    ? text([`${node.houses} 户`, `${node.houses} houses`])
    : text([
        `${node.projects} 项目 · ${node.houses} 户`,
        `${node.projects} projects · ${node.houses} houses`,
      ]);
  const act = () => (hasBelow ? props.onToggle(node.id) : !isProject && props.onOpen(node.id));
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    if (event.key === 'Enter' && event.shiftKey && !isProject) props.onOpen(node.id);
    else act();
  };
  return (
    <g
      role="button"
      tabIndex={0}
      aria-label={`${node.name}, ${kind}, ${counts}`}
      {...(hasBelow ? { 'aria-expanded': !folded } : {})}
      transform={`translate(${x} ${y})`}
      opacity={node.state === 'enabled' ? 1 : 0.55}
      onClick={act}
      onDoubleClick={() => !isProject && props.onOpen(node.id)}
      onKeyDown={pressed}
    >
      <rect
        width={BOX.width}
        height={BOX.height}
        rx="6"
        fill="var(--ant-color-bg-container)"
        stroke={isProject ? 'var(--ant-color-border)' : 'var(--ant-color-primary)'}
      />
      <text x="12" y="22" fill="var(--ant-color-text)" fontWeight={isProject ? 400 : 600}>
        <title>{node.name}</title>
        {short(node.name)}
      </text>
      <text x="12" y="42" fill="var(--ant-color-text-secondary)" fontSize="12">
        {kind} · {counts}
      </text>
      {hasBelow && (
        <text x={BOX.width - 16} y="22" fill="var(--ant-color-text-secondary)" aria-hidden="true">
          {folded ? '+' : '−'}
        </text>
      )}
    </g>
  );
}

/** What fits into a box. */
function short(name: string): string {
  let room = 22;
  let shown = '';
  for (const character of name) {
    room -= /[^\u0000-\u00ff]/.test(character) ? 2 : 1;
    if (room < 0) return `${shown}…`;
    shown += character;
  }
  return shown;
}

/** Draws the chart with the colours it has now into a PNG of double size. */
async function saveImage(svg: SVGSVGElement, width: number, height: number, name: string): Promise<void> {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const style = getComputedStyle(svg);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const markup = new XMLSerializer()
    .serializeToString(copy)
    .replace(
      /var\((--[\w-]+)\)/g,
      (_whole, variable: string) => style.getPropertyValue(variable).trim() || '#888',
    );
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(markup)}`;
  await image.decode();
  // Browsers refuse canvases beyond some 16,000 px a side.
  const scale = Math.min(2, 16_000 / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const paper = canvas.getContext('2d')!;
  paper.fillStyle = style.getPropertyValue('--ant-color-bg-container').trim() || '#fff';
  paper.fillRect(0, 0, canvas.width, canvas.height);
  paper.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('no image');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
