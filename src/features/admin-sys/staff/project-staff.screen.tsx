import '../../../kernel/client/tree/split-screen.css';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { PlaceTree, type PlaceNode } from '../../../kernel/client/tree/place-tree.tsx';
import { projectStaff } from './staff.contract.ts';
import { staffSlots } from './staff-parts.tsx';
import { usePlaces, type Place } from './use-places.ts';

const slots = staffSlots(projectStaff, { sessions: 'btn_resetPwd', signIns: true });

/** Staff by centre city, management unit and project. */
function ProjectStaffScreen() {
  const text = useText();
  const { data } = usePlaces();
  return (
    <div className="split-screen">
      <nav aria-label={text(['项目', 'Projects'])}>
        <PlaceTree
          key={String(data !== undefined)}
          nodes={nodesOf(data ?? [])}
          filter="projects"
          label={text(['筛选项目', 'Filter projects'])}
        />
      </nav>
      <div className="split-main">
        <ScreenOf contract={projectStaff} slots={slots} />
      </div>
    </div>
  );
}

/** Project staff. */
export const screen = { contract: projectStaff, component: ProjectStaffScreen };

function nodesOf(places: readonly Place[]): PlaceNode[] {
  return grouped(places, (one) => [one.centreId, one.centreName]).map(([id, name, inCentre]) => ({
    key: `c${id}`,
    name,
    ids: inCentre.map((one) => one.projectId),
    children: grouped(inCentre, (one) => [one.manageId, one.manageName]).map(([unit, unitName, inUnit]) => ({
      key: `u${unit}`,
      name: unitName,
      // A unit of one project filters like the project; the order keeps the two apart in the address.
      ids: inUnit.map((one) => one.projectId).reverse(),
      children: inUnit.map((one) => ({
        key: `p${one.projectId}`,
        name: one.projectName,
        ids: [one.projectId],
      })),
    })),
  }));
}

function grouped(
  places: readonly Place[],
  by: (place: Place) => readonly [id: string, name: string],
): [string, string, Place[]][] {
  const groups = new Map<string, [string, string, Place[]]>();
  for (const place of places) {
    const [id, name] = by(place);
    const group = groups.get(id);
    if (group) group[2].push(place);
    else groups.set(id, [id, name, [place]]);
  }
  return [...groups.values()];
}
