import { ConnectionBar } from './connection-bar.tsx';
import { PasswordBanner } from './password-banner.tsx';
import { VersionBanner } from './version-banner.tsx';

/** Lines above the tab strip: connection lost, new version, password about to expire. */
export function Banners() {
  return (
    <>
      <ConnectionBar />
      <VersionBanner />
      <PasswordBanner />
    </>
  );
}
