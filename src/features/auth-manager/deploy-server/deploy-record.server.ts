import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { deployRecord } from './deploy-record.contract.ts';

const bound = bindResource(deployRecord, {
  table: 'deploy_record',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', platformOnly: true },
  joins: { server: { table: 'deploy_server', title: 'host' } },
  extra: { version: '1' },
});

export const registration = bound.registration;
