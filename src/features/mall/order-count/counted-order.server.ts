import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { countedOrder, type CountFigure } from './order-count.contract.ts';
import { COUNTED, COUNTED_KINDS, COUNT_SCOPE, RECEIVED } from './order-count-queries.server.ts';

const bound = bindResource(countedOrder, {
  table: 'sales_order',
  from: 'sales_order t LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN project p ON p.id = t.project_id',
  where: COUNTED_KINDS,
  scope: COUNT_SCOPE,
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    project: { id: 't.project_id', title: 'p.name' },
    received: RECEIVED,
    // A filter without a value of its own.
    figure: 'NULL::text',
  },
  search: 't.search',
  filters: {
    figure: (value) => {
      const wanted = value.split(',');
      if (!wanted.every((one) => Object.hasOwn(COUNTED, one)))
        throw invalid({ figure: ['没有此选项', 'There is no such choice'] });
      return `(${wanted.map((one) => COUNTED[one as CountFigure]).join(' OR ')})`;
    },
  },
});

/** Orders behind the figures of the order counts. */
export const registration = bound.registration;
