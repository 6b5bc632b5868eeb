import { installApiHooks, type ApiError } from '../../../kernel/client/api-client.ts';
import { useSession } from '../../../kernel/client/session.ts';
import { keepNoticesForReload, showNotice } from '../notices/notices.ts';
import { showAlert } from '../notices/questions.ts';
import { giveTokenBack } from '../session/log-out.ts';
import { checkConnection } from '../session/connection.ts';
import { noteEpoch } from '../session/permission-epoch.ts';
import { useLock } from '../session/lock-state.ts';
import { dropSession } from '../session/session-end.ts';
import { WEB_CLIENT } from '../session/web-client.ts';
import { isLocked, presentFailure, type Failure } from './failure.rules.ts';

let ending = false;

/** Shows what a quiet call failed with as the catalogue says, for callers that first look at it themselves. */
export function showFailure(error: ApiError): void {
  handleFailure(error, false);
}

/** Connects the api client with the error catalogue, the session and the permission epoch. */
export function installFailures(): void {
  installApiHooks({
    authorization: () => useSession.getState().token ?? WEB_CLIENT,
    failed: (error, quiet) => handleFailure(error, quiet),
    epoch: noteEpoch,
  });
}

function handleFailure(error: ApiError, quiet: boolean): void {
  const failure: Failure = {
    http: error.http,
    status: error.status,
    message: error.message,
    reason: error.reason,
    traceId: error.traceId,
  };
  if (failure.http === 0) checkConnection();
  if (isLocked(failure)) {
    useLock.setState({ locked: true });
    return;
  }
  const { notice, endsSession, signsOut, alert } = presentFailure(failure);
  // Without a session there is nothing to end: the sign-in page keeps what was typed.
  const ends = endsSession && useSession.getState().token !== undefined;
  if (ends) {
    if (ending) return;
    ending = true;
    showNotice(notice);
    keepNoticesForReload();
    if (signsOut) giveTokenBack();
    dropSession();
    window.location.reload();
    return;
  }
  if (quiet || ending) return;
  if (alert) void showAlert(notice.text);
  else showNotice(notice);
}
