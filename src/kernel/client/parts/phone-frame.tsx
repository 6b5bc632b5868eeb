import type { ReactNode } from 'react';
import './phone-frame.css';

/** What somebody sees on a phone: a title bar over a page that scrolls by itself. Always light, as the app is. */
export function PhoneFrame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="phone-frame" aria-label={title}>
      <header>{title}</header>
      {/* Keys scroll what has no button in it. */}
      <div className="phone-page" role="document" tabIndex={0}>
        {children}
      </div>
    </section>
  );
}
