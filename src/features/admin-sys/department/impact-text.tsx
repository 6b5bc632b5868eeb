import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { Label } from '../../../kernel/contract/label.ts';

/** Staff something happens to: how many, and the first of them by name. */
interface Touched {
  readonly count: number;
  readonly names: readonly string[];
}

/** What a change does to rights. */
export interface RightsImpact {
  readonly scopeChanges: number;
  readonly scopeNames: readonly string[];
  readonly seesMore: Touched;
  readonly seesFewer: Touched;
  readonly groupChanges: readonly {
    readonly id: string;
    readonly name: string;
    readonly gain: Touched;
    readonly lose: Touched;
  }[];
}

/** What a change of the structure touches, as the server counts it. */
export interface Impact extends RightsImpact {
  readonly staff: number;
  /** The first of them. */
  readonly staffNames: readonly string[];
  readonly secondary: number;
  readonly approvals: number;
  readonly below: number;
  readonly children: number;
  readonly stations: number;
  /** Department groups that go along. */
  readonly groups: number;
  /** Name of the department group that stays behind, as the target has its own. */
  readonly groupStays: string | null;
}

/**
 * What a change does to rights, in words: groups that staff come into and out of, and whose data scope changes.
 * `below`: how many staff go along with a department that goes whole; said first.
 */
export function ImpactText({ impact, below }: { readonly impact: RightsImpact; readonly below?: number }) {
  const text = useText();
  const { groupChanges, seesMore, seesFewer } = impact;
  // The lines below name them all: once is enough.
  const named = seesMore.count + seesFewer.count >= impact.scopeChanges;
  return (
    <ul className="plain-rows scrolled-rows">
      {below !== undefined && (
        <Line
          label={[`部门及下级共 ${below} 名员工`, `${below} staff in the department and below`]}
          names={[]}
        />
      )}
      {groupChanges.length === 0 && (
        <Line label={['没有人因此得到或失去角色', 'Nobody gains or loses a group']} names={[]} />
      )}
      {groupChanges.map(({ id, name, gain, lose }) => (
        <li key={id}>
          <span>
            {text([`角色「${name}」`, `Group "${name}"`])}
            <Names label={[`${gain.count} 人得到`, `${gain.count} gain it`]} {...gain} />
            <Names label={[`${lose.count} 人失去`, `${lose.count} lose it`]} {...lose} />
          </span>
        </li>
      ))}
      <Line
        label={
          impact.scopeChanges === 0
            ? ['没有人的数据范围发生变化', "Nobody's data scope changes"]
            : [
                `${impact.scopeChanges} 人的数据范围发生变化`,
                `The data scope of ${impact.scopeChanges} staff changes`,
              ]
        }
        count={impact.scopeChanges}
        names={named ? [] : impact.scopeNames}
      />
      {seesMore.count > 0 && (
        <Line
          label={[
            `其中 ${seesMore.count} 人将看到更多员工的数据`,
            `${seesMore.count} of them will see the data of more staff`,
          ]}
          {...seesMore}
        />
      )}
      {seesFewer.count > 0 && (
        <Line
          label={[
            `其中 ${seesFewer.count} 人不再看到部分员工的数据`,
            `${seesFewer.count} of them will no longer see the data of some staff`,
          ]}
          {...seesFewer}
        />
      )}
    </ul>
  );
}

function Line({
  label,
  names,
  count = 0,
}: Partial<Touched> & { readonly label: Label; readonly names: readonly string[] }) {
  const text = useText();
  return (
    <li>
      <span>
        {text(label)}
        <NameList names={names} count={count} />
      </span>
    </li>
  );
}

function Names({ label, names, count }: Touched & { readonly label: Label }) {
  const text = useText();
  if (count === 0) return null;
  return (
    <>
      {text(['：', ': '])}
      <strong>{text(label)}</strong>
      <NameList names={names} count={count} />
    </>
  );
}

/** The first names in small print, and how many there are when not all are listed. */
export function NameList({ names, count }: Touched) {
  const text = useText();
  if (names.length === 0) return null;
  return (
    <>
      <br />
      <span className="k-quiet k-small">
        {names.join(text(['、', ', ']))}
        {count > names.length && text([` 等 ${count} 名`, ` and ${count - names.length} more`])}
      </span>
    </>
  );
}

/** Asks the server what moving or merging a department, or moving staff out of it, touches; nothing is asked without a target. */
export function useImpact(
  id: string,
  query:
    | {
        readonly parent?: string | undefined;
        readonly into?: string | undefined;
        /** Only these of its staff go, their ids. */
        readonly staff?: string | undefined;
      }
    | undefined,
) {
  return useQuery({
    queryKey: ['resource', 'department', 'impact', id, query],
    enabled: query !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<Impact>('GET', `/api/admin/department/${id}/impact`, { query: { ...query }, signal, quiet: true }),
  });
}

/** Whose rights change when staff come into a department as their main one; nothing while either is not chosen. */
export function JoiningImpact({
  root,
  staff,
  into,
}: {
  /** Of the view the staff are chosen in. */
  readonly root: string;
  readonly staff: readonly string[];
  readonly into: string | undefined;
}) {
  const { data } = useQuery({
    queryKey: ['resource', 'staff', 'departmentImpact', root, staff, into],
    enabled: staff.length > 0 && into !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<RightsImpact>('GET', `${root}/departmentImpact`, {
        query: { staff: staff.join(','), into },
        signal,
        quiet: true,
      }),
  });
  if (!data) return null;
  return (
    <div className="k-small" role="status">
      <ImpactText impact={data} />
    </div>
  );
}

/** Whose rights change when a department goes below another one (undefined: to the top). */
export function MovingImpact({ id, parent }: { readonly id: string; readonly parent: string | undefined }) {
  const { data } = useImpact(id, { parent: parent ?? 'top' });
  if (!data) return null;
  return (
    <div className="k-small" role="status">
      <ImpactText impact={data} below={data.below} />
    </div>
  );
}
