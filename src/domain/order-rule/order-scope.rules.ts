/** What a rule over orders holds for; an empty list does not narrow, different lists narrow together. */
export interface OrderScope {
  readonly projectIds: readonly number[];
  readonly merchantIds: readonly number[];
  readonly businessIds: readonly number[];
  /** A class stands for those below it, too. */
  readonly classIds: readonly number[];
  readonly productIds: readonly number[];
  readonly excludedIds: readonly number[];
}

/** A line of an order as scopes look at it; `classIds` with all classes above. */
export interface ScopedLine {
  readonly merchantId: number;
  readonly businessId: number;
  readonly classIds: readonly number[];
  readonly productId: number;
}

/** Whether a line of an order in a project is one the rule holds for. */
export function inScope(scope: OrderScope, projectId: number, line: ScopedLine): boolean {
  const open = (ids: readonly number[], ...own: readonly number[]) =>
    ids.length === 0 || own.some((id) => ids.includes(id));
  return (
    scope.projectIds.includes(projectId) &&
    open(scope.merchantIds, line.merchantId) &&
    open(scope.businessIds, line.businessId) &&
    open(scope.classIds, ...line.classIds) &&
    open(scope.productIds, line.productId) &&
    !scope.excludedIds.includes(line.productId)
  );
}
