const shapes = {
  fold: 'M4 6h16M10 12h10M4 18h16M7 9.5L4.5 12 7 14.5',
  unfold: 'M4 6h16M4 12h10M4 18h16M17 9.5l2.5 2.5-2.5 2.5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm5-2l4 4',
  expand: 'M4 9V4h5m6 0h5v5m0 6v5h-5m-6 0H4v-5',
  shrink: 'M9 4v5H4m16 0h-5V4m0 16v-5h5M4 15h5v5',
  bug: 'M8 9h8v6a4 4 0 0 1-8 0zM9 9a3 3 0 0 1 6 0M12 9v10M4 8l4 3m12-3l-4 3M3.5 14H8m8 0h4.5M5 20l3.5-3m10.5 3l-3.5-3',
  language: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c5 5 5 13 0 18-5-5-5-13 0-18',
  theme:
    'M12 3a9 9 0 0 0 0 18c1.5 0 2-1 1.5-2.2-.5-1.5.3-2.8 1.9-2.8H18c1.8 0 3-1.3 3-3.5C21 7 17 3 12 3zM7.5 12h.01M10 7.5h.01M15 7.5h.01',
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 20h14',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10 21h4',
} as const;

/** A line icon of the top bar. */
export function BarIcon({ name }: { readonly name: keyof typeof shapes }) {
  return (
    <svg className="bar-icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
