import { boolean, choice, code, instant, integer, ref, tags, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** One recorded change, sign-in, reveal, export or grant, as the sealed audit log keeps it. */
export const auditRecord = defineResource({
  name: 'auditRecord',
  menu: 'ssm_businessLog',
  base: '/admin',
  title: ['业务日志', 'Business log'],
  noun: ['业务日志', 'Business record'],
  purpose: [
    '谁在何时改了什么；记录按哈希链封存，不能修改或删除',
    'Who changed what and when; records are sealed in a hash chain and cannot be changed or deleted',
  ],
  sensitive: true,
  titleField: 'no',
  fields: {
    no: integer(['序号', 'No.'], { readOnly: true, sortable: true, search: 'range', width: 90 }),
    at: instant(['时间', 'Time'], { readOnly: true, sortable: true, search: 'range', width: 160 }),
    staff: ref('staff', ['员工', 'Staff'], { readOnly: true, search: 'in', width: 100 }),
    tenant: ref('tenant', ['租户', 'Tenant'], { readOnly: true, search: 'in', width: 150 }),
    menu: text(['菜单', 'Menu'], { readOnly: true, search: 'contains', width: 130 }),
    action: text(['操作', 'Action'], { readOnly: true, search: 'contains', width: 110 }),
    entity: text(['对象', 'Entity'], { readOnly: true, search: 'contains', width: 120 }),
    code: code(['编号', 'Code'], { readOnly: true, search: 'equals', width: 120 }),
    changed: tags(['摘要', 'Summary'], {
      readOnly: true,
      width: 220,
      help: ['本次记录涉及的字段', 'The fields this record speaks of'],
    }),
    changedField: text(['变更字段', 'Changed field'], { readOnly: true, search: 'equals' }),
    row: text(['数据号', 'Record id'], { readOnly: true, search: 'equals' }),
    address: text(['IP', 'IP'], { readOnly: true, search: 'equals', width: 130 }),
    traceId: code(['链路号', 'Trace'], { readOnly: true, search: 'equals', width: 150 }),
    sealed: boolean(['已上链', 'Chained'], {
      readOnly: true,
      width: 80,
      help: ['记录写入后一分钟内封存进哈希链', 'Records are sealed into the hash chain within a minute'],
    }),
  },
  list: {
    columns: [
      'no',
      'at',
      'staff',
      'tenant',
      'menu',
      'action',
      'entity',
      'code',
      'changed',
      'address',
      'traceId',
      'sealed',
    ],
    hidden: ['tenant', 'traceId'],
    filters: [
      'at',
      'staff',
      'menu',
      'action',
      'entity',
      'code',
      'changedField',
      'row',
      'tenant',
      'address',
      'traceId',
      'no',
    ],
    sort: '-at',
    link: 'no',
    export: true,
    empty: ['没有业务记录', 'No business records'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['记录', 'Record'],
        fields: [
          'no',
          'at',
          'staff',
          'tenant',
          'menu',
          'action',
          'entity',
          'code',
          'address',
          'traceId',
          'sealed',
        ],
      },
    ],
  },
  elements: { btn_history: ['数据的业务日志', 'Business log of a record'] },
  actions: {
    verify: {
      on: 'page',
      label: ['校验', 'Verify'],
      element: 'btn_verify',
      opens: 'screen',
      input: {
        range: choice(
          ['范围', 'Range'],
          {
            whole: { label: ['整条链', 'The whole chain'] },
            part: { label: ['按序号', 'By number'] },
          },
          { required: true },
        ),
        from: integer(['起始序号', 'From no.'], { min: 1, max: 999_999_999_999 }),
        to: integer(['截止序号', 'To no.'], { min: 1, max: 999_999_999_999 }),
      },
    },
  },
});

export interface AuditRecord extends Row<typeof auditRecord> {}

/** A field before and after, in words; what is personal is masked, what is secret or unknown is stars. */
export interface Difference {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** What the detail shows beside the facts. Hashes are hexadecimal; `chain` is null until the record is sealed. */
export interface RecordDetail {
  readonly differences: readonly Difference[];
  readonly chain: {
    readonly no: number;
    readonly before: string;
    readonly hash: string;
    readonly sealedAt: string;
    readonly intact: boolean;
  } | null;
  /** Path of the screen that shows the changed row, for callers who hold its menu. */
  readonly route: string | null;
}

/** A look over the chain. */
export interface AuditCheck {
  readonly id: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly state: 'queued' | 'running' | 'ok' | 'broken' | 'failed';
  readonly checked: number;
  readonly unsealed: number;
  readonly firstBroken: number | null;
  readonly problems: readonly string[];
  readonly askedBy: string;
  readonly at: string;
  readonly finishedAt: string | null;
}

/** What the codes in records of one entity are called. */
export interface Wording {
  readonly entity: string;
  readonly actions: Readonly<Record<string, string>>;
  readonly columns: Readonly<Record<string, string>>;
}
