import { useEffect, useState } from 'react';
import { Icon } from './icon.tsx';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import '../kernel.css';

/** Copies a text; a tick shows that it worked. */
export function CopyButton({ value, label }: { readonly value: string; readonly label?: string }) {
  const text = useText();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const name = `${text(copied ? words.copied : words.copy)} ${label ?? value}`;
  return (
    <button
      type="button"
      className="k-eye"
      aria-label={name}
      title={text(copied ? words.copied : words.copy)}
      onClick={(event) => {
        event.stopPropagation();
        void copyText(value).then(setCopied);
      }}
    >
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  );
}

/** Puts a text on the clipboard, also on plain http where the clipboard API is missing. Answers whether it worked. */
export async function copyText(value: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(value);
      return true;
    } catch {
      // Denied by the browser: the old way below still works after a click.
    }
  }
  const area = document.createElement('textarea');
  area.value = value;
  area.setAttribute('aria-hidden', 'true');
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
