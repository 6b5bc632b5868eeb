/**
 * A formula of the money engine for people: `floor(69.90 × 1 / 3) = 23.30` reads `69.90 × 1 / 3 = 23.30`. Screens say
 * once beneath that fractions of a fen are cut.
 */
export function plainFormula(formula: string): string {
  return formula.replace(/floor\(((?:[^()]|\([^()]*\))*)\)/g, '$1');
}
