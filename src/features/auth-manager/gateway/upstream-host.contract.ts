import { boolean, choice, integer, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** An address outside of this product that routes may lead to. */
export const upstreamHost = defineResource({
  name: 'upstreamHost',
  menu: 'gatewayManager',
  base: '/admin',
  title: ['上游主机', 'Upstream hosts'],
  noun: ['上游主机', 'Upstream host'],
  purpose: [
    '路由只能转发到这里登记的地址；链路本地与云元数据地址始终拒绝',
    'Routes lead only to addresses kept here; link-local and metadata addresses are always refused',
  ],
  stamps: true,
  titleField: 'host',
  fields: {
    scheme: choice(
      ['协议', 'Scheme'],
      { https: { label: ['https', 'https'] }, http: { label: ['http', 'http'] } },
      { required: true, initial: 'https', search: 'in', width: 90 },
    ),
    host: text(['主机', 'Host'], {
      required: true,
      sortable: true,
      keyword: true,
      max: 253,
      width: 220,
      pattern: {
        source: '[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:]*:[0-9a-f:.]*',
        message: ['小写域名或 IP 地址', 'A name in small letters or an IP address'],
      },
    }),
    port: integer(['端口', 'Port'], { required: true, min: 1, max: 65_535, initial: 443, width: 90 }),
    privateAllowed: boolean(['允许内网', 'Private allowed'], {
      search: 'equals',
      width: 100,
      help: ['允许解析到回环与内网地址', 'It may mean loopback and private addresses'],
    }),
    note: text(['备注', 'Note'], { max: 200, width: 220 }),
    routes: integer(['使用路由', 'Used by routes'], { readOnly: true, width: 100 }),
  },
  list: {
    columns: ['scheme', 'host', 'port', 'privateAllowed', 'routes', 'note', 'updater', 'updatedAt'],
    filters: ['scheme', 'privateAllowed'],
    sort: 'host',
    link: 'host',
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_host', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_host' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_host',
      tone: 'danger',
      confirm: ['删除上游主机「{host}」？', 'Delete the upstream host "{host}"?'],
    },
  },
});

export interface UpstreamHostRow extends Row<typeof upstreamHost> {}
