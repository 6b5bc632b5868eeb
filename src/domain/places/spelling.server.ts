import { pinyin } from 'pinyin-pro';

const known = new Map<string, string>();

/** Full pinyin and initials of a name as one text to search in: `pudongguanlichu pdglc`. Names without Chinese stay as they are. */
export function spellingOf(name: string): string {
  let text = known.get(name);
  if (text === undefined) {
    const syllables = pinyin(name, { toneType: 'none', type: 'array', nonZh: 'consecutive' });
    const whole = syllables.join('').replace(/\s+/g, '').toLowerCase();
    const initials = syllables
      .map((one) => one.trim()[0] ?? '')
      .join('')
      .toLowerCase();
    text = `${whole} ${initials}`;
    // Names of places are few; a flood of others must not stay in memory.
    if (known.size > 20_000) known.clear();
    known.set(name, text);
  }
  return text;
}

/** Whether a keyword is found in one of some texts, or in how the first of them is spelled. */
export function isFound(texts: readonly (string | null | undefined)[], keyword: string): boolean {
  const wanted = keyword.trim().toLowerCase();
  if (wanted === '') return true;
  if (texts.some((text) => text?.toLowerCase().includes(wanted))) return true;
  return /^[a-z0-9]+$/.test(wanted) && spellingOf(texts[0] ?? '').includes(wanted);
}
