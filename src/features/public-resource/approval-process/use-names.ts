import { useOptionTitles } from '../../../kernel/client/parts/use-options.ts';
import {
  allNodes,
  asks,
  isBranching,
  staffNamed,
  type Candidate,
  type ProcessNode,
} from '../../../domain/approval/process.rules.ts';
import type { Kind, Names } from './flow-words.ts';

/** Names of the people, groups, posts and departments that nodes and their conditions point to. */
export function useNames(nodes: readonly ProcessNode[], kind: Pick<Kind, 'fields'> | undefined): Names {
  const every = allNodes(nodes);
  const candidates = every.flatMap((node): readonly Candidate[] =>
    asks(node) || node.type === 'copy' ? node.candidates : [],
  );
  const ids = (wanted: 'group' | 'station' | 'department') =>
    candidates.flatMap((one) => (one.kind === wanted && 'id' in one ? [String(one.id)] : []));
  const people = (kind?.fields ?? []).filter((field) => field.kind === 'staff').map((field) => field.name);
  const compared = every
    .filter(isBranching)
    .flatMap((node) => node.branches)
    .flatMap((branch) => (branch.condition ?? []).flat())
    .filter((one) => people.includes(one.field))
    .flatMap((one) => [one.value].flat())
    .filter((id) => typeof id === 'number');
  return {
    staff: useOptionTitles('approvalStaff', [...staffNamed(nodes), ...compared].map(String)),
    group: useOptionTitles('approvalGroup', ids('group')),
    station: useOptionTitles('approvalStation', ids('station')),
    department: useOptionTitles('approvalDepartment', ids('department')),
  };
}
