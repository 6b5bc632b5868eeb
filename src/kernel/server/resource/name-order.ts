/**
 * SQL of a name as people expect it sorted: Chinese by pinyin, numbers inside by their value (2号楼 before 10号楼).
 * No index serves this order: it is for lists and pickers of what an organisation names itself, and for search results
 * that are cut. A list of mass data that wants it needs an index on the same expression.
 */
export function nameOrder(expression: string): string {
  return `${expression} COLLATE pinyin`;
}
