import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import type { ApprovalKind } from './approval-kind.server.ts';
import type { ApprovalField, Facts } from './process.rules.ts';

/** A published process as an approval starts with it. */
export interface ChosenProcess {
  readonly id: number;
  readonly titleZh: string;
  readonly titleEn: string;
  readonly summaryFields: readonly string[];
}

const CHOSEN = `p.id, p.title_zh AS "titleZh", p.title_en AS "titleEn", p.summary_fields AS "summaryFields"`;

/**
 * The published process of a business type that fits most closely: of the project, else of its management unit, else of
 * the company, else of the platform; undefined for the built-in one. Of another company only that of who runs the project: a merchant
 * that sells there decides about nobody else's business. Source: group 17, which process.
 */
export async function chooseProcess(
  db: Executor,
  place: { readonly kind: string; readonly tenantId: number; readonly projectId: number | null },
): Promise<ChosenProcess | undefined> {
  const [row] = await run<ChosenProcess>(
    db,
    `SELECT ${CHOSEN} FROM approval_process_place l JOIN approval_process p ON p.id = l.process_id
       JOIN unnest(ARRAY['project:' || $3::text, 'unit:' || (SELECT unit_id FROM project WHERE id = $3::bigint)::text, 'tenant:' || $2::text, 'platform'])
            WITH ORDINALITY AS place (name, rank) ON place.name = l.place
      WHERE l.biz_type = $1 AND (p.tenant_id IS NULL OR p.tenant_id = $2::bigint
        OR EXISTS (SELECT FROM tenant k JOIN tenant_project o ON o.tenant_id = k.id AND o.project_id = $3::bigint
           WHERE k.id = p.tenant_id AND k.kind IN (1, 4)))
      ORDER BY place.rank LIMIT 1`,
    [place.kind, place.tenantId, place.projectId],
  );
  return row;
}

/** The version an approval started with; undefined for the built-in process. */
export async function processOf(db: Executor, id: number | null): Promise<ChosenProcess | undefined> {
  if (id === null) return undefined;
  return (await run<ChosenProcess>(db, `SELECT ${CHOSEN} FROM approval_process p WHERE p.id = $1`, [id]))[0];
}

/** Title and summary of an approval: by the template of its process, else as the business type says. */
export function titlesOf(
  kind: ApprovalKind,
  process: ChosenProcess | undefined,
  request: {
    readonly title: Label;
    readonly summary: readonly { readonly label: Label; readonly value: Label }[];
  },
  facts: Facts,
): { readonly title: Label; readonly summary: readonly { readonly label: Label; readonly value: Label }[] } {
  if (!process) return request;
  const fields = kind.fields ?? [];
  const filled = (template: string, index: 0 | 1) =>
    template === ''
      ? request.title[index]
      : template.replace(/\{([A-Za-z]+)\}/g, (whole, name: string) =>
          name === 'title'
            ? request.title[index]
            : (fields.find((field) => field.name === name) &&
                factText(
                  fields.find((field) => field.name === name)!,
                  facts,
                )[index]) ||
              whole,
        );
  const summary = process.summaryFields.flatMap((name) => {
    const field = fields.find((one) => one.name === name);
    return field ? [{ label: field.label, value: factText(field, facts) }] : [];
  });
  return {
    title: [filled(process.titleZh, 0).slice(0, 120), filled(process.titleEn, 1).slice(0, 200)],
    summary: summary.length > 0 ? summary : request.summary,
  };
}

/** A fact in words, both languages; staff are told by number only where nobody looked the name up. */
export function factText(field: ApprovalField, facts: Facts): Label {
  const value = facts[field.name] ?? null;
  if (value === null) return ['—', '—'];
  switch (field.kind) {
    case 'money':
      return [yuanFromFen(Number(value)), yuanFromFen(Number(value))];
    case 'boolean':
      return value ? ['是', 'Yes'] : ['否', 'No'];
    case 'choice':
      return field.options?.find((option) => option.value === value)?.label ?? [String(value), String(value)];
    default:
      return [String(value), String(value)];
  }
}
