const WIDTH = 300;
const HEIGHT = 180;
const OPACITY = 0.08;
const TILT = -22;

let last: { readonly key: string; readonly image: string } | undefined;

/** One tile of the watermark as a data address: tilted text at 8 % opacity. The last one is kept: tabs share it. */
export function drawWatermark(text: string, dark: boolean): string {
  const key = `${dark} ${window.devicePixelRatio} ${text}`;
  if (last?.key !== key) last = { key, image: draw(text, dark) };
  return last.image;
}

function draw(text: string, dark: boolean): string {
  const scale = window.devicePixelRatio || 1;
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH * scale;
  canvas.height = HEIGHT * scale;
  const context = canvas.getContext('2d');
  if (!context) return '';
  context.scale(scale, scale);
  context.translate(WIDTH / 2, HEIGHT / 2);
  context.rotate((TILT * Math.PI) / 180);
  context.globalAlpha = OPACITY;
  context.fillStyle = dark ? '#ffffff' : '#000000';
  context.font = '14px sans-serif';
  context.textAlign = 'center';
  context.fillText(text, 0, 0);
  return canvas.toDataURL('image/png');
}
