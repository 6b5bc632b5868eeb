/** The node a list is filtered by, and whether those further below count too. */
export function chosenOf(wire: string | undefined): {
  readonly id: string | undefined;
  readonly below: boolean;
} {
  const below = wire?.startsWith(BELOW) === true;
  return { id: (below ? wire!.slice(BELOW.length) : wire) || undefined, below };
}

/** The filter of the list for a chosen node; empty for all. */
export function filterOf(id: string | undefined, below: boolean): string {
  return id === undefined ? '' : below ? BELOW + id : id;
}

const BELOW = 'below:';
