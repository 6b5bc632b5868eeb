import { ids, isMerchant, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

/** Where a person stands: its merchant and the projects it serves. */
export function personStands(row: Raw, world: World) {
  return {
    tenant: row.tenant_id as number,
    projects: (by(world, 'service_person_project', 'person_id').get(row.id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: row.created_by as number | null,
    rule: 'places' as const,
  };
}

function certificateOf(row: Raw, world: World): string {
  const ends = (by(world, 'service_person_certificate', 'person_id').get(row.id) ?? []).map((one) =>
    one.expires_on === null ? null : String(one.expires_on).slice(0, 10),
  );
  if (ends.length === 0) return 'none';
  const first = ends.filter((end) => end !== null).sort()[0];
  if (!first) return 'valid';
  const shift = (days: number) =>
    new Date(Date.now() + 8 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10);
  if (first < shift(0)) return 'expired';
  return first <= shift(30) ? 'expiring' : 'valid';
}

export const oracle = defineOracle({
  name: 'servicePerson',
  menu: 'cs_busServicePerson',
  table: 'service_person',
  standing: personStands,
  filters: {
    merchant: ids('tenant_id', 'tenant', isMerchant),
    projects: projectsOf('service_person_project', 'person_id'),
    skill: {
      value: (dice, world) => {
        const skills = world.rows.service_person!.flatMap((row) => row.skills as string[]);
        return skills.length === 0 ? '空调' : dice.pick(skills);
      },
      keeps: (row, value) => (row.skills as string[]).some((skill) => skill.includes(value)),
    },
    certificate: {
      value: (dice) => dice.pick(['none', 'valid', 'expiring', 'expired']),
      keeps: (row, value, world) => certificateOf(row, world) === value,
    },
    phone: {
      value: (dice, world) => String(dice.pick(world.rows.service_person!).phone),
      keeps: (row, value) => row.phone === value,
    },
  },
  text: (row) => String(row.name).toLowerCase(),
  export: { title: '姓名', key: (row) => String(row.name) },
  owner: 'created_by',
  reads: ['service_person_project', 'service_person_certificate'],
});
