const shapes = {
  bold: 'M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z',
  check: 'M5 12.5l5 5L19 7',
  close: 'M6 6l12 12M18 6L6 18',
  columns: 'M4 5h16v14H4zM9.3 5v14M14.7 5v14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  density: 'M4 4h16M4 20h16M12 7v10m-3-7l3-3 3 3m-6 4l3 3 3-3',
  down: 'M5 9l7 7 7-7',
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 20h14',
  eye: 'M2 12s3.6-7 10-7 10 7 10 7-3.6 7-10 7S2 12 2 12zm10 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  eyeOff:
    'M4 4l16 16M9.9 5.2A9.6 9.6 0 0 1 12 5c6.4 0 10 7 10 7a17 17 0 0 1-3 3.8M6.2 6.6A16.6 16.6 0 0 0 2 12s3.6 7 10 7a9.8 9.8 0 0 0 5.2-1.5M9.9 9.9a3 3 0 0 0 4.2 4.2',
  grip: 'M9 5h.01M15 5h.01M9 12h.01M15 12h.01M9 19h.01M15 19h.01',
  heading: 'M6 5v14M18 5v14M6 12h12',
  help: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.5 9.6a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.8-.9 1.4v.5m0 3.2h.01',
  inbox: 'M3 13l3-8h12l3 8v6H3zm0 0h5l1.5 3h5L16 13h5',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-10v5m0-8h.01',
  italic: 'M11 5h7M6 19h7M14.5 5l-5 14',
  left: 'M15 5l-7 7 7 7',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.300l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.700l1-1',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  numbered: 'M10 6h10M10 12h10M10 18h10M4 4.500h1.500V9M4 15h2.500L4 19.500h2.5',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M9 9h.01',
  plus: 'M12 5v14M5 12h14',
  quote: 'M4 6h16M9 12h11M9 18h11M4.5 11v8',
  redo: 'M20 9H9a5 5 0 0 0 0 10h6M16 5l4 4-4 4',
  reload: 'M20 11a8 8 0 1 0-2.3 6.7M20 4v7h-7',
  right: 'M9 5l7 7-7 7',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm5-2l4 4',
  tree: 'M4 5h7M8 5v14h3M8 12h3M15 12h5M15 19h5',
  undo: 'M4 9h11a5 5 0 0 1 0 10H9M8 5L4 9l4 4',
  up: 'M5 15l7-7 7 7',
  upload: 'M12 16V4m-4.5 4.5L12 4l4.5 4.5M5 20h14',
} as const;

/**
 * A line icon in the size and colour of the text around it. Plain SVG: the library's icons look for their style sheet
 * every time a tab is shown, which costs more than the rest of a row. Without `label` it is decoration.
 */
export function Icon(props: {
  readonly name: keyof typeof shapes;
  readonly label?: string;
  readonly className?: string;
}) {
  return (
    <svg
      className={props.className ? `k-icon ${props.className}` : 'k-icon'}
      viewBox="0 0 24 24"
      {...(props.label ? { role: 'img', 'aria-label': props.label } : { 'aria-hidden': true })}
    >
      <path d={shapes[props.name]} />
    </svg>
  );
}
