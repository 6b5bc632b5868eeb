import { useText } from '../../../../kernel/client/language.ts';
import { useVersion, remindLater } from '../../version/version-store.ts';
import { leaveOnPurpose } from '../use-before-unload.ts';

/** A newer release is on the server: reload now, or be asked again after 30 minutes. */
export function VersionBanner() {
  const text = useText();
  const shown = useVersion((state) => state.banner);
  if (!shown) return null;
  return (
    <div className="frame-banner" role="status">
      <span>{text(['新版本已发布，刷新后生效', 'A new version is available'])}</span>
      <button
        type="button"
        className="link-button"
        onClick={() => leaveOnPurpose(() => window.location.reload())}
      >
        {text(['刷新', 'Reload'])}
      </button>
      <button type="button" className="link-button" onClick={remindLater}>
        {text(['稍后', 'Later'])}
      </button>
    </div>
  );
}
