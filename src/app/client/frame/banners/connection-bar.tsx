import { useText } from '../../../../kernel/client/language.ts';
import { useConnection } from '../../session/connection.ts';

/** Shown while the server cannot be reached; disappears by itself. */
export function ConnectionBar() {
  const text = useText();
  const lost = useConnection((state) => state.lost);
  if (!lost) return null;
  return (
    <div className="frame-banner warn lost" role="status">
      {text(['网络已断开，正在重试', 'Connection lost, retrying'])}
    </div>
  );
}
