/** Runs work behind the next frame: the answer to a click is seen first, however much there is to draw. */
export function afterPaint(work: () => void): void {
  requestAnimationFrame(() => setTimeout(work));
}
