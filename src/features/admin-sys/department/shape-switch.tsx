import { Segmented } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';

/** Tree with form and members, or the flat list with filters and export; kept in the address. */
export function ShapeSwitch() {
  const text = useText();
  const view = useView();
  const change = (shape: string) => {
    const query = new URLSearchParams();
    const tenant = view.query.get('tenant');
    if (tenant) query.set('tenant', tenant);
    if (shape === 'list') query.set('shape', shape);
    view.setQuery(query);
  };
  return (
    <Segmented
      size="small"
      value={view.query.get('shape') === 'list' ? 'list' : 'tree'}
      onChange={change}
      options={[
        { value: 'tree', label: text(['树', 'Tree']) },
        { value: 'list', label: text(['列表', 'List']) },
      ]}
    />
  );
}
