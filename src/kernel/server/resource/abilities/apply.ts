import type { Resource } from '../../../contract/resource.ts';
import type { Ability, Binding } from '../binding.ts';
import { deletable } from './deletable.ts';
import { enabledFlag } from './enabled-flag.ts';
import { joins } from './joins.ts';
import { lines } from './lines.ts';
import { links } from './links.ts';
import { ownOrder } from './own-order.ts';
import { sets } from './sets.ts';
import { tree } from './tree.ts';
import { view } from './view.ts';

/** In this order: later ones see what earlier ones added. */
const ABILITIES: readonly Ability[] = [
  view,
  joins,
  links,
  lines,
  enabledFlag,
  tree,
  ownOrder,
  deletable,
  sets,
];

/** The binding with everything that the contract's and its own declarations bring along. */
export function withAbilities(resource: Resource, binding: Binding): Binding {
  return [...(binding.abilities ?? []), ...ABILITIES].reduce(
    (done, ability) => ability(resource, done),
    binding,
  );
}
