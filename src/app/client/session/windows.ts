import type { Language } from '../../../kernel/contract/label.ts';

/** What the windows of one browser tell each other. */
export type WindowMessage =
  /** `left`: by its own will, so that nothing typed is kept for later. */
  | { readonly kind: 'signedOut'; readonly left: boolean }
  | { readonly kind: 'signedIn'; readonly id: string }
  | { readonly kind: 'locked' }
  | { readonly kind: 'unlocked' }
  | { readonly kind: 'active' }
  | { readonly kind: 'news'; readonly name: NewsName }
  | { readonly kind: 'language'; readonly language: Language }
  | { readonly kind: 'lost' };

/** What the server's stream tells: something new in the bell, that rights may have changed, that a dictionary has. */
export type NewsName = 'notification' | 'permission' | 'dictionary';

const channel = 'BroadcastChannel' in window ? new BroadcastChannel('community-retail') : undefined;

/** Tells the other windows of this browser. */
export function tellWindows(message: WindowMessage): void {
  channel?.postMessage(message);
}

/** Listens to the other windows; returns how to stop. */
export function onWindowMessage(listen: (message: WindowMessage) => void): () => void {
  const receive = (event: MessageEvent<WindowMessage>) => listen(event.data);
  channel?.addEventListener('message', receive);
  return () => channel?.removeEventListener('message', receive);
}
