import { escapedHtml } from '../../../kernel/contract/escaped-html.ts';
import type { Label } from '../../../kernel/contract/label.ts';

/** Fields of a contract a template may name in braces. */
export const TEMPLATE_FIELDS = {
  code: ['编号', 'Code'],
  name: ['名称', 'Name'],
  kind: ['类型', 'Kind'],
  project: ['项目', 'Project'],
  partyA: ['甲方', 'Party A'],
  partyB: ['乙方', 'Party B'],
  licenceNo: ['统一社会信用代码', 'Licence no.'],
  contact: ['联系人', 'Contact'],
  contactPhone: ['联系电话', 'Contact phone'],
  startsOn: ['开始日期', 'Starts'],
  endsOn: ['结束日期', 'Ends'],
  positions: ['点位', 'Positions'],
  amount: ['总额', 'Amount'],
  deposit: ['押金', 'Deposit'],
} as const satisfies Readonly<Record<string, Label>>;
export type TemplateField = keyof typeof TEMPLATE_FIELDS;

const FIELD = /\{(\w{1,40})\}/g;

/** Names in braces that are no fields of a contract, each once. */
export function unknownFields(body: string): readonly string[] {
  const named = [...body.matchAll(FIELD)].map((match) => match[1]!);
  return [...new Set(named)].filter((name) => !Object.hasOwn(TEMPLATE_FIELDS, name));
}

/** A template with the values of a contract in the place of its fields; values are text, never markup. */
export const filledTemplate = (body: string, values: Readonly<Record<TemplateField, string>>): string =>
  body.replace(FIELD, (all, name: string) =>
    Object.hasOwn(values, name) ? escapedHtml(values[name as TemplateField]) : all,
  );
