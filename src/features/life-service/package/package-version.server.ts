import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { packageVersion } from './package.contract.ts';

/** Versions of packages: seen with their package. */
export const registration = bindResource(packageVersion, {
  table: 'service_package_version',
  joins: { package: 'service_package', madeBy: { table: 'staff', column: 'made_by', title: 'name' } },
  columns: {
    contents: `(SELECT string_agg((i.item->>'name') || '×' || coalesce(i.item->>'times', '∞'), '、' ORDER BY i.n) FROM jsonb_array_elements(t.terms->'items') WITH ORDINALITY AS i (item, n))`,
    difference: `nullif(t.difference, '')`,
  },
  scope: {
    tenant: '(SELECT p.tenant_id FROM service_package p WHERE p.id = t.package_id)',
    project: (ids) =>
      `EXISTS (SELECT FROM service_package_project p WHERE p.package_id = t.package_id AND p.project_id = ANY(${ids}::bigint[]))`,
    owner: '(SELECT p.created_by FROM service_package p WHERE p.id = t.package_id)',
  },
  extra: { version: '1' },
  words: { difference: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
}).registration;
