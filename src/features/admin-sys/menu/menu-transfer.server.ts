import { inputProblem } from '../../../kernel/contract/input.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run } from '../../../kernel/server/database.ts';
import { forbidden } from '../../../kernel/server/http/errors.ts';
import type { ImportProblem, ImportTarget } from '../../../kernel/server/tables/import-target.ts';
import type { ExportSource } from '../../../kernel/server/registration.ts';
import { notifyAllChanged } from '../../../kernel/server/people/session-changes.ts';
import { menuFields } from './menu.contract.ts';

const SHOWN = `FROM menu m LEFT JOIN LATERAL (SELECT * FROM menu_place WHERE menu_code = m.code ORDER BY in_menu DESC, id LIMIT 1) p ON true
  WHERE m.built AND NOT m.retired`;
const COLUMNS = ['code', 'titleZh', 'titleEn', 'icon', 'sort'] as const;
const PARENT: Label = ['上级', 'Above'];

/** Menus with titles, icons and order, in the columns the import takes. */
export const menuExport: ExportSource = {
  source: 'menu',
  columns: (language) => [
    ...COLUMNS.map((name) => ({
      title: textOf(menuFields[name].label, language),
      kind: name === 'sort' ? ('integer' as const) : ('text' as const),
    })),
    { title: textOf(PARENT, language), kind: 'text' as const },
  ],
  count: async ({ platform }) =>
    (await run<{ n: number }>(platform.database.db, `SELECT count(*) AS n ${SHOWN}`))[0]!.n,
  async *read({ platform }) {
    const rows = await run<{
      code: string;
      zh: string;
      en: string;
      icon: string;
      sort: number | null;
      parent: string | null;
    }>(
      platform.replica.db,
      `SELECT m.code, m.title_zh AS zh, m.title_en AS en, m.icon, p.sort, p.parent_code AS parent ${SHOWN} ORDER BY p.sort, m.code`,
    );
    yield rows.map((row) => [row.code, row.zh, row.en, row.icon, row.sort, row.parent]);
  },
};

/** Takes titles, icons and order over; menus themselves come with a release. */
export const menuImport: ImportTarget = {
  source: 'menu',
  menu: 'menuManager',
  element: 'btn_import',
  title: ['菜单', 'Menus'],
  maxRows: 2_000,
  columns: [
    { name: 'code', title: menuFields.code.label, required: true, max: 60, example: 'userManager' },
    { name: 'titleZh', title: menuFields.titleZh.label, required: true, max: 20 },
    { name: 'titleEn', title: menuFields.titleEn.label, required: true, max: 40, example: 'Users' },
    { name: 'icon', title: menuFields.icon.label, max: 60, example: 'UserOutlined' },
    { name: 'sort', title: menuFields.sort.label, max: 6, example: '10' },
    {
      name: 'parent',
      title: PARENT,
      max: 60,
      note: ['仅供参考，不导入', 'For information only, not imported'],
    },
  ],
  check: async ({ platform, caller }, rows) => {
    if (caller.tenantKind !== 3) throw forbidden();
    const known = await run<{ code: string }>(
      platform.database.db,
      `SELECT code FROM menu WHERE built AND NOT retired`,
    );
    const codes = new Set(known.map((row) => row.code));
    const seen = new Set<string>();
    const problems: ImportProblem[] = [];
    for (const { number, values } of rows) {
      const code = values.code ?? '';
      if (!codes.has(code))
        problems.push({ row: number, column: 'code', message: ['菜单不存在', 'No such menu'] });
      else if (seen.has(code))
        problems.push({ row: number, column: 'code', message: ['编码重复', 'The code is there twice'] });
      seen.add(code);
      for (const name of ['titleZh', 'titleEn'] as const) {
        const message = inputProblem(menuFields[name], values[name]);
        if (message) problems.push({ row: number, column: name, message });
      }
      if (values.sort && !/^\d{1,6}$/.test(values.sort))
        problems.push({
          row: number,
          column: 'sort',
          message: ['请输入整数', 'Please enter a whole number'],
        });
    }
    return problems;
  },
  commit: async (tx, { caller }, rows) => {
    let written = 0;
    for (const { values } of rows) {
      const changed = await run(
        tx,
        `UPDATE menu SET title_zh = $2, title_en = $3, icon = coalesce(nullif($4, ''), icon), renamed = true, version = version + 1, updated_at = now(), updated_by = $5
          WHERE code = $1 AND (title_zh, title_en, icon) IS DISTINCT FROM ($2, $3, coalesce(nullif($4, ''), icon)) RETURNING code`,
        [values.code, values.titleZh, values.titleEn, values.icon ?? '', caller.staffId],
      );
      const moved = values.sort
        ? await run(
            tx,
            `UPDATE menu_place SET sort = $2 WHERE sort <> $2 AND id = (SELECT id FROM menu_place WHERE menu_code = $1 ORDER BY in_menu DESC, id LIMIT 1) RETURNING id`,
            [values.code, Number(values.sort)],
          )
        : [];
      if (changed.length > 0 || moved.length > 0) written++;
    }
    await writeAudit(tx, {
      caller,
      menu: 'menuManager',
      action: 'import',
      entity: 'menu',
      after: { rows: rows.length, written },
    });
    if (written > 0) await notifyAllChanged(tx);
    return rows.length;
  },
};
