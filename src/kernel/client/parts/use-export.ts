import { call, newIdempotencyKey } from '../api-client.ts';
import { openDownloadCentre } from '../downloads.ts';
import { message, tellFault } from '../feedback.ts';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import { useSubmitGuard } from './use-guard.ts';

/** What the button 导出 needs: locked while the call runs and for 3 s after the click. */
export interface ExportStart {
  readonly busy: boolean;
  readonly locked: boolean;
  readonly start: (body: unknown) => void;
}

/** Starts an export at a path and opens the download centre. */
export function useExport(path: string): ExportStart {
  const text = useText();
  const guard = useSubmitGuard();
  const start = (body: unknown) =>
    void guard.run(async () => {
      try {
        await call('POST', path, { body, idempotencyKey: newIdempotencyKey() });
        message.success(text(words.exportStarted), 2);
        openDownloadCentre();
      } catch (error) {
        // The frame has shown why a call failed.
        tellFault(error);
      }
    });
  return { busy: guard.busy, locked: guard.locked, start };
}
