import { useText } from '../../../kernel/client/language.ts';

/** The whole page failed, mostly because another release took its code away: reloading helps. */
export function FailedPage() {
  const text = useText();
  return (
    <main className="public-page">
      <div role="alert">
        <h1>{text(['页面出错了', 'This page failed'])}</h1>
        <p>
          {text(['可能是新版本已发布，刷新后即可继续。', 'A new version may be available; reload to go on.'])}
        </p>
        <button type="button" className="plain-button primary" onClick={() => window.location.reload()}>
          {text(['刷新', 'Reload'])}
        </button>
      </div>
    </main>
  );
}

/** Hides the page of a locked session whose cover could not be loaded; reloading brings the cover. */
export function FailedCover() {
  return (
    <div className="failed-cover">
      <FailedPage />
    </div>
  );
}
