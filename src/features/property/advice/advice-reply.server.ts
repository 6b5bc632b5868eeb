import { ADVICE_SCOPE } from '../../../domain/advice/advice.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { adviceReply } from './advice.contract.ts';

const inAdvice = (column: string) => column.replace('t.', 'a.');

const bound = bindResource(adviceReply, {
  table: 'advice_reply',
  from: 'advice_reply t LEFT JOIN advice a ON a.id = t.advice_id',
  columns: { advice: { id: 't.advice_id', title: 'a.code' }, by: 't.name' },
  extra: { version: '1' },
  scope: {
    tenant: 'NULL::bigint',
    project: inAdvice(ADVICE_SCOPE.project),
    owner: inAdvice(ADVICE_SCOPE.owner),
  },
});

/** Conversations about advice. */
export const registration = bound.registration;
