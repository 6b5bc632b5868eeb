import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useSession } from '../../../kernel/client/session.ts';
import type { DetailPart, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { allStaff } from '../../admin-sys/staff/staff.contract.ts';
import { payeeAccount } from '../../base-data/payee-account/payee-account.contract.ts';
import { merchant } from '../merchant/merchant.contract.ts';
import { tenantCompany, tenantPackage } from './company.contract.ts';

const RightsInput = lazyPart(() => import('./company-parts.tsx').then((module) => module.RightsInput));
const PackageInput = lazyPart(() => import('./company-parts.tsx').then((module) => module.PackageInput));
const WhenInput = lazyPart(() =>
  import('../../../domain/content/when-input.tsx').then((module) => module.WhenInput),
);

const isCity = (rows: readonly RowData[]) => rows[0]?.kind === 'city';
const { licenceNo, registeredCapital, city, projects } = tenantCompany.fields;
const cityProjects = { ...projects, target: 'freeCityProject' };

/**
 * A centre city has a city instead of licence and capital, and is offered projects no other city has; a new row of the form is
 * a company.
 */
const companyInputs: NonNullable<ScreenSlots['inputs']> = {
  package: (props) => <PackageInput {...props} />,
  projects: (props) => <WhenInput {...props} when field={isCity(props.rows) ? cityProjects : projects} />,
  licenceNo: (props) => <WhenInput {...props} field={licenceNo} when={!isCity(props.rows)} />,
  registeredCapital: (props) => <WhenInput {...props} field={registeredCapital} when={!isCity(props.rows)} />,
  // The dialog that adds a city asks for it, too.
  city: (props) => (
    <WhenInput {...props} field={city} when={isCity(props.rows) || 'cityProjects' in props.values} />
  ),
};

const packageSlots: ScreenSlots = { inputs: { rights: (props) => <RightsInput {...props} /> } };

/** Lists of other screens for one tenant; each stands for those who hold the screen it comes from. */
const PARTS: readonly (DetailPart & { readonly menu: string })[] = [
  {
    menu: allStaff.menu,
    key: 'staff',
    label: ['员工', 'Staff'],
    render: (row) => (
      <ResourceTable
        resource={allStaff}
        filters={{ tenant: row.id }}
        columns={['account', 'name', 'department', 'state']}
        limit={20}
      />
    ),
  },
  {
    menu: payeeAccount.menu,
    key: 'payees',
    label: ['支付配置', 'Payment configuration'],
    render: (row) => (
      <ResourceTable
        resource={payeeAccount}
        filters={{ owner: row.id }}
        columns={['code', 'name', 'channel', 'number', 'feeRate', 'certificateExpiresAt', 'state']}
        limit={20}
      />
    ),
  },
  {
    menu: merchant.menu,
    key: 'merchants',
    label: ['项目内商户', 'Merchants in its projects'],
    render: (row) => {
      const projects = ((row.projects as readonly RefValue[] | undefined) ?? []).map((one) => one.id);
      return projects.length === 0 ? null : (
        <ResourceTable
          resource={merchant}
          filters={{ projects: projects.join(',') }}
          columns={['account', 'name', 'kind', 'projects', 'state']}
          limit={20}
        />
      );
    },
  },
];

/** A company looks at itself: what changes one is the platform's, whatever buttons its package holds. */
const read = { ...tenantCompany, actions: {} };

/** Companies, and the packages they hold (platform only). */
function CompanyScreen() {
  const text = useText();
  const view = useView();
  // Packages are the platform's.
  const isPlatform = useSession((state) => state.info?.tenantType === 3);
  const asPackages = isPlatform && view.query.get('as') === 'packages';
  const strip = isPlatform && (
    <TabList
      label={text(tenantCompany.title)}
      tabs={[
        { key: 'companies', label: text(['公司', 'Companies']) },
        { key: 'packages', label: text(['套餐', 'Packages']) },
      ]}
      active={asPackages ? 'packages' : 'companies'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'companies' ? {} : { as: key }))}
    />
  );
  if (asPackages)
    return <ScreenOf key="packages" contract={tenantPackage} slots={{ ...packageSlots, above: strip }} />;
  const slots: ScreenSlots = {
    above: strip,
    inputs: companyInputs,
    detailParts: PARTS.filter(({ menu }) => view.pathOf(menu)),
  };
  return <ScreenOf key="companies" contract={isPlatform ? tenantCompany : read} slots={slots} />;
}

/** 公司管理. */
export const screen = { contract: tenantCompany, component: CompanyScreen };
