import { useSession } from '../session.ts';

/** Returns whether the staff holds an element (`btn_export`) of a contract under any menu that shows it. */
export function useHeld(contract: {
  readonly menu: string;
  readonly alsoMenus?: readonly string[];
}): (element: string) => boolean {
  const elements = useSession((state) => state.elements);
  const menus = [contract.menu, ...(contract.alsoMenus ?? [])];
  return (element) => menus.some((menu) => elements[`${menu}:${element}`] === true);
}
