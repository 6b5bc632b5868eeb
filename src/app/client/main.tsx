import './styles/base.css';
import { createRoot } from 'react-dom/client';
import { currentLanguage, setLanguage } from '../../kernel/client/language.ts';
import { useSession } from '../../kernel/client/session.ts';
import { watchErrors } from './failures/error-log.ts';
import { installFailures } from './failures/install-failures.ts';
import { startNavigator } from './navigation/navigator.ts';
import { connectFeedback } from './notices/install-feedback.ts';
import { restoreNotices } from './notices/notices.ts';
import { Root } from './root.tsx';
import { followWindows } from './session/follow-windows.ts';
import { readToken } from './session/token-cookie.ts';
import { startTheme } from './theme/theme-store.ts';

installFailures();
connectFeedback();
watchErrors();
setLanguage(currentLanguage());
startTheme();
useSession.setState({ token: readToken() });
restoreNotices();
followWindows();
startNavigator();
createRoot(document.getElementById('root')!, {
  // The boundaries report what they catch; React's own log would double it.
  onCaughtError: () => {},
}).render(<Root />);
