import { create } from 'zustand';
import { call } from '../api-client.ts';

type ClearFields = Readonly<Record<string, string | null>>;

interface RevealState {
  /** Clear fields of a row by its encryption field. */
  readonly rows: Readonly<Record<string, ClearFields>>;
}

/** Clear values the staff asked for; they are forgotten after a minute so that nothing stays on the screen. */
const useReveals = create<RevealState>(() => ({ rows: {} }));

const FORGET_MS = 60_000;

/** The clear fields of a row, or undefined while they are hidden. */
export function useClearFields(encryptionField: string | undefined): ClearFields | undefined {
  return useReveals((state) => (encryptionField ? state.rows[encryptionField] : undefined));
}

/** Asks the server for the clear fields of a row (counted and logged there). Failures are shown by the frame. */
export async function revealRow(encryptionField: string): Promise<void> {
  const fields = await call<ClearFields>('GET', '/api/jinmao/dataDecryption', { query: { encryptionField } });
  useReveals.setState((state) => ({ rows: { ...state.rows, [encryptionField]: fields } }));
  setTimeout(() => hideRow(encryptionField), FORGET_MS);
}

/** Puts the masked values back. */
export function hideRow(encryptionField: string): void {
  useReveals.setState((state) => {
    const rows = { ...state.rows };
    delete rows[encryptionField];
    return { rows };
  });
}
