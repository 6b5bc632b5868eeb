import { choice, instant, integer, ref, tags, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

/** A start that brought another release, or migrations, to a server. */
export const deployRecord = defineResource({
  name: 'deployRecord',
  menu: 'deployServerManager',
  base: '/admin',
  title: ['部署记录', 'Deploy records'],
  noun: ['部署记录', 'Deploy record'],
  titleField: 'service',
  fields: {
    server: ref('deployServer', ['服务器', 'Server'], { readOnly: true, search: 'in', width: 140 }),
    startedAt: instant(['时间', 'Time'], { readOnly: true, sortable: true, width: 150 }),
    service: text(['服务', 'Service'], { readOnly: true, search: 'equals', width: 140 }),
    fromVersion: text(['原版本', 'From'], { readOnly: true, width: 120 }),
    toVersion: text(['新版本', 'To'], { readOnly: true, width: 120 }),
    migrations: tags(['迁移', 'Migrations'], { readOnly: true, max: 500, width: 200 }),
    result: choice(
      ['结果', 'Result'],
      {
        ok: { label: ['成功', 'OK'], tone: 'success' },
        failed: { label: ['失败', 'Failed'], tone: 'error' },
      },
      { readOnly: true, search: 'in', width: 80 },
    ),
    durationMs: integer(['耗时', 'Duration'], { readOnly: true, unit: ['毫秒', 'ms'], width: 100 }),
    byName: text(['执行人', 'By'], { readOnly: true, width: 100 }),
  },
  list: {
    columns: [
      'server',
      'startedAt',
      'service',
      'fromVersion',
      'toVersion',
      'migrations',
      'result',
      'durationMs',
      'byName',
    ],
    filters: ['server', 'service', 'result'],
    sort: '-startedAt',
    link: 'startedAt',
    export: true,
    empty: ['没有部署记录', 'No deploy records'],
  },
});
