import { words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { merchantRule } from '../../../testing/oracle/merchant-rule.ts';

const {
  tabs: _tabs,
  export: _export,
  filters,
  leftOut: _left,
  sample: _sample,
  ...rule
} = merchantRule('merchantInfo', 'mm_merchantInfo', (row) => row.kind === 2, []);

export const oracle = defineOracle({
  ...rule,
  leftOut: ['cycle', 'certificate', 'closedNow'],
  filters: { state: filters!.state!, kind: words('merchant_kind', ['self', 'resident']) },
});
