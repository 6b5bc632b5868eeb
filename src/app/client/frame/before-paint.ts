/**
 * Runs in the next frame just before it is painted, for what must measure: in an effect each reading would lay the
 * new screen out once more. Returns what calls it off.
 */
export function beforePaint(run: () => void): () => void {
  const frame = requestAnimationFrame(run);
  return () => cancelAnimationFrame(frame);
}
