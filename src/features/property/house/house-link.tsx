import type { RefValue } from '../../../kernel/contract/fields.ts';
import { useView } from '../../../kernel/client/view.ts';

const ROUTE = '/companymanager/cs_houseEnquiry';

/** A house by its name, which opens its card for those who may look at houses. */
export function HouseLink({ house }: { readonly house: RefValue | null | undefined }) {
  const view = useView();
  if (!house) return null;
  const path = `${ROUTE}?card=${house.id}`;
  if (!view.mayOpen(path)) return <>{house.title}</>;
  return (
    <button
      type="button"
      className="k-link"
      onClick={(event) => {
        event.stopPropagation();
        view.open(path);
      }}
    >
      {house.title}
    </button>
  );
}
