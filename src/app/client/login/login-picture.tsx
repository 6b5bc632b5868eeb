const houses: readonly {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly tone: number;
}[] = [
  { x: 46, y: 196, w: 74, h: 164, tone: 1 },
  { x: 128, y: 146, w: 62, h: 214, tone: 2 },
  { x: 198, y: 222, w: 86, h: 138, tone: 1 },
  { x: 296, y: 112, w: 66, h: 248, tone: 2 },
  { x: 372, y: 184, w: 58, h: 176, tone: 1 },
  { x: 440, y: 236, w: 84, h: 124, tone: 2 },
];

/** A residential quarter in the evening: a calm picture drawn in the colours of the theme. */
export function LoginPicture() {
  return (
    <svg className="login-picture" viewBox="0 0 560 420" aria-hidden="true" focusable="false">
      <circle cx="430" cy="104" r="46" className="p-sun" />
      <path className="p-hill" d="M0 300c70-60 130-74 200-40s120 30 190-14 120-40 170-6v150H0z" />
      {houses.map(({ x, y, w, h, tone }) => (
        <g key={x}>
          <rect x={x} y={y} width={w} height={h} rx="4" className={`p-house${tone}`} />
          {windowsOf(x, y, w, h).map((pane) => (
            <rect
              key={pane.key}
              x={pane.x}
              y={pane.y}
              width="9"
              height="12"
              rx="1.5"
              className={pane.lit ? 'p-lit' : 'p-pane'}
            />
          ))}
        </g>
      ))}
      <path className="p-shop" d="M208 322h196v38H208z" />
      <path className="p-awning" d="M200 306h212l-8 18H208z" />
      <path className="p-door" d="M292 332h28v28h-28z" />
      {[26, 160, 276, 420, 532].map((x) => (
        <g key={x}>
          <path className="p-trunk" d={`M${x} 360v-22`} />
          <ellipse cx={x} cy="326" rx="13" ry="20" className="p-tree" />
        </g>
      ))}
      <path className="p-ground" d="M0 360h560v60H0z" />
      <path className="p-path" d="M292 360c-10 22-54 38-94 60h164c-14-22-36-40-42-60z" />
    </svg>
  );
}

function windowsOf(x: number, y: number, w: number, h: number) {
  const columns = Math.floor((w - 12) / 18);
  const rows = Math.min(9, Math.floor((h - 40) / 22));
  const left = x + (w - columns * 18 + 9) / 2;
  return Array.from({ length: columns * rows }, (_, index) => {
    const column = index % columns;
    const row = Math.floor(index / columns);
    // A fixed pattern that looks accidental: about a third of the windows is lit.
    const lit = (x + column * 7 + row * 11) % 3 === 0;
    return { key: index, x: left + column * 18, y: y + 14 + row * 22, lit };
  });
}
