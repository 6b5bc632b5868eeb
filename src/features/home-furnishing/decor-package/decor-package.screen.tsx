import { useState } from 'react';
import type { ImportChoice } from '../../../kernel/client/import/import-button.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { MenuButton } from '../../../kernel/client/parts/menu-button.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useSession } from '../../../kernel/client/session.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { WARRANTY } from '../../../domain/furnishing/decor-version.rules.ts';
import { DEFAULT_CANCEL } from '../../../domain/furnishing/price.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { decorPackage } from './decor-package.contract.ts';

const ImportDialog = lazyPart(() =>
  import('../../../kernel/client/import/import-dialog.tsx').then((module) => module.ImportDialog),
);
const PriceTools = lazyPart(() => import('./decor-package-parts.tsx').then((module) => module.PriceTools));
const ItemTools = lazyPart(() => import('./decor-package-parts.tsx').then((module) => module.ItemTools));
const PricePreview = lazyPart(() =>
  import('./decor-package-parts.tsx').then((module) => module.PricePreview),
);
const Versions = lazyPart(() => import('./decor-package-parts.tsx').then((module) => module.Versions));
const WhatIsWritten = lazyPart(() =>
  import('./decor-package-parts.tsx').then((module) => module.WhatIsWritten),
);

/** What a new package starts with: the usual instalments, nodes, cancellation and warranty. */
const USUAL = {
  plan: [
    { name: '定金', share: '30', due: 'order', dueDays: 0 },
    { name: '进度款', share: '60', due: 'started', dueDays: 0 },
    { name: '尾款', share: '10', due: 'accepted', dueDays: 7 },
  ],
  nodes: [
    { name: '开工交底', weight: '5' },
    { name: '拆改', weight: '10' },
    { name: '水电', weight: '25' },
    { name: '泥瓦', weight: '25' },
    { name: '木作', weight: '15' },
    { name: '油漆', weight: '10' },
    { name: '安装', weight: '10' },
  ],
  cancelPolicy: DEFAULT_CANCEL.map((rule) => ({
    stage: rule.stage,
    fee: yuanFromFen(rule.fee),
    share: String(rule.share / 100),
    nodes: rule.nodes,
  })),
  warranty: Object.entries(WARRANTY).map(([category, { usual }]) => ({ category, months: usual })),
};

/** What comes in as a table, with the element that allows it. */
const IMPORTS: readonly (ImportChoice & { readonly element: string; readonly label: Label })[] = [
  {
    source: 'decorPrice',
    resource: decorPackage.name,
    title: ['套餐价格', 'Package prices'],
    element: 'btn_priceImport',
    label: ['导入价格', 'Import prices'],
  },
  {
    source: 'decorItem',
    resource: decorPackage.name,
    title: ['套餐内容', 'Package contents'],
    element: 'btn_edit',
    label: ['导入内容', 'Import contents'],
  },
];

/** Prices and contents as tables. */
function Imports() {
  const text = useText();
  const elements = useSession((state) => state.elements);
  const [chosen, setChosen] = useState<ImportChoice>();
  const held = IMPORTS.filter((one) => elements[`${decorPackage.menu}:${one.element}`] === true);
  if (held.length === 0) return null;
  return (
    <>
      <MenuButton
        className="k-link"
        entries={held.map(({ element, label, ...choice }) => ({
          key: element,
          label: text(label),
          run: () => setChosen(choice),
        }))}
      >
        <Icon name="upload" /> {text(['导入', 'Import'])} <Icon name="down" />
      </MenuButton>
      {chosen && <ImportDialog choice={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

const slots: ScreenSlots = {
  cells: {
    name: (row) => <NameCell row={row} />,
    price: (row) => <Span row={row} />,
    versionNo: (row) =>
      row.versionNo === null ? <>–</> : <span className="k-number">V{String(row.versionNo)}</span>,
  },
  toolbar: <Imports />,
  createWith: USUAL,
  inputs: {
    priceTools: () => <PriceTools />,
    itemTools: () => <ItemTools />,
    preview: (props) => <PricePreview values={props.values} />,
  },
  detailAbove: (row) => <WhatIsWritten row={row} />,
  detailParts: [{ key: 'versions', label: ['版本', 'Versions'], render: (row) => <Versions row={row} /> }],
};

/** The name, with a mark while a change waits for review. */
function NameCell({ row }: { readonly row: RowData }) {
  return (
    <>
      {String(row.name)}{' '}
      {row.pendingChange === true && (
        <StatusTag choice={{ label: decorPackage.fields.pendingChange.label, tone: 'warning' }} />
      )}
    </>
  );
}

/** Base prices from the cheapest to the dearest house type. */
function Span({ row }: { readonly row: RowData }) {
  const text = useText();
  if (row.price === row.priceMax) return <MoneyText value={String(row.price)} />;
  return (
    <span className="k-number" title={text(['按户型的基础价', 'Base prices by house type'])}>
      <MoneyText value={String(row.price)} /> – <MoneyText value={String(row.priceMax)} />
    </span>
  );
}

function DecorPackages() {
  return <ScreenOf contract={decorPackage} slots={slots} />;
}

/** 美居套餐. */
export const screen = { contract: decorPackage, component: DecorPackages };
