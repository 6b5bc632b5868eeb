import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { run } from '../../../kernel/server/database.ts';
import { noteGuesses } from '../../../kernel/server/http/guess-limit.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { defineRegistration, type RecordPrefix } from '../../../kernel/server/registration.ts';

const OWN = 'userManager';
const ALL = 'allUserManager';
const PLACE = { tenant: 't.tenant_id', project: 'none', owner: 't.id' } as const;

/** Staff in the palette: by phone, which stays masked, and by staff number. */
export const registration = defineRegistration({
  endpoints: [],
  prefixes: [
    staffIn(OWN, '/adminSys/userManager', { ...PLACE, ownTenant: true }),
    staffIn(ALL, '/adminSys/allUserManager', { ...PLACE, platformOnly: true }),
  ],
});

function staffIn(menu: string, path: string, place: ScopeColumns): RecordPrefix {
  return {
    prefix: '',
    menu,
    label: ['员工', 'Staff'],
    // Staff numbers are typed in freely, so every text that can be one is tried.
    accepts: (keyword) => keyword.length >= 2 && keyword.length <= 20,
    find: async ({ caller, platform }, keyword) => {
      const parameters = new Parameters();
      const isPhone = /^1\d{10}$/.test(keyword);
      if (isPhone) await noteGuesses(platform, caller, [keyword]);
      const parts = [
        isPhone
          ? `t.phone = ${parameters.bind(keyword)}`
          : `t.staff_no = ANY(${parameters.bind([keyword, keyword.toUpperCase(), keyword.toLowerCase()])}::text[])`,
        `t.state <> 'left'`,
        scopeCondition(caller, menu, place, parameters),
      ];
      // Who holds both screens finds the own people on the one that can change them.
      if (menu === ALL && holds(caller, OWN))
        parts.push(`t.tenant_id <> ${parameters.bind(caller.tenantId)}`);
      const rows = await run<{ id: number; name: string; staff_no: string | null; phone: string | null }>(
        platform.database.db,
        `SELECT t.id, t.name, t.staff_no, t.phone FROM staff t WHERE ${parts.join(' AND ')} ORDER BY t.id LIMIT 8`,
        parameters.values,
      );
      return rows.map((row) => ({
        code: isPhone ? maskValue('phone', row.phone ?? '') : (row.staff_no ?? ''),
        title: row.name,
        route: `${path}?detail=${row.id}`,
      }));
    },
  };
}
