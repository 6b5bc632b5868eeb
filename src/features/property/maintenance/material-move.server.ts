import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { materialMove } from './material.contract.ts';

const bound = bindResource(materialMove, {
  table: 'material_move',
  from: `material_move t LEFT JOIN material m ON m.id = t.material_id LEFT JOIN work_order o ON o.id = t.order_id LEFT JOIN staff s ON s.id = t.staff_id`,
  columns: {
    material: { id: 't.material_id', title: 'm.name' },
    orderCode: 'o.code',
    staff: { id: 't.staff_id', title: 's.name' },
  },
  extra: { version: '1' },
  scope: { tenant: 'm.tenant_id', project: 'm.project_id', owner: 'm.created_by' },
});

/** Movements of stocks. */
export const registration = bound.registration;
