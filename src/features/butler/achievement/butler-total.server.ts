import { exportKind, exportText } from '../../../kernel/server/resource/export-rows.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { nodesInScope } from '../../../domain/places/node-scope.server.ts';
import { isFound } from '../../../domain/places/spelling.server.ts';
import {
  defineRegistration,
  type ExportSource,
  type OptionSource,
} from '../../../kernel/server/registration.ts';
import { readReportRequest } from '../../../kernel/server/report/bind.ts';
import { BUTLER_MENUS } from '../../../domain/butler/options.server.ts';
import { butlerAchievement } from './achievement.contract.ts';
import { resultRows, resultSum } from './achievement-figures.server.ts';
import { questionOf, TOTAL_EXPORT } from './achievement.server.ts';

const COLUMNS = butlerAchievement.columns;

/** The columns of the report with a last row of sums. */
const totals: ExportSource = {
  source: TOTAL_EXPORT,
  columns: (language) =>
    COLUMNS.map((name) => ({
      title: textOf(butlerAchievement.fields[name]!.label, language),
      kind: exportKind(butlerAchievement.fields[name]!),
    })),
  count: async ({ caller, platform }, query) => {
    const question = questionOf(readReportRequest(butlerAchievement, query));
    return (await resultRows(platform.replica.db, caller, question)).length + 1;
  },
  async *read({ caller, platform, language }, query) {
    const question = questionOf(readReportRequest(butlerAchievement, query));
    const rows = await resultRows(platform.replica.db, caller, question);
    const sum = await resultSum(platform.replica.db, caller, question, rows);
    const cells = (row: Readonly<Record<string, unknown>>) =>
      COLUMNS.map((name) => {
        const value = row[name];
        if (value === null || value === undefined) return null;
        const field = butlerAchievement.fields[name]!;
        if (field.kind === 'integer') return value as number;
        if (field.kind === 'percent') return Number(value).toFixed(1);
        return exportText(field, value, language);
      });
    yield [
      ...rows.map((row) => cells({ ...row })),
      cells({ ...sum, name: language === 'en' ? 'Total' : '合计' }),
    ];
  },
};

/** Management units of the caller's places. */
const units: OptionSource = {
  target: 'butlerUnit',
  anyOf: BUTLER_MENUS,
  find: async ({ caller, platform }, query) => {
    const asked = query.ids.length > 0;
    const found = await nodesInScope(platform.database.db, caller, {
      kind: 'management_unit',
      includeStopped: asked,
      merged: asked,
    });
    return found
      .filter((node) =>
        asked ? query.ids.includes(String(node.id)) : isFound([node.name, node.code], query.searchVal),
      )
      .slice(query.offset, query.offset + query.limit)
      .map((node) => ({ id: String(node.id), title: node.name, note: node.code }));
  },
};

/** The export with its sums, and the units results are filtered by. */
export const registration = defineRegistration({
  endpoints: [],
  exports: [totals],
  options: [units],
});
