import { ApiError } from '../../../kernel/client/api-client.ts';

/** Pauses between tries, ms; about the time a server needs to start again. */
const PAUSES = [400, 1_600, 5_000];

/**
 * Loads and tries again while no server answers. A reload or a closed lid breaks off what is under way, and the page
 * lives on for a moment: taking that for a refusal would sign the person out in every window. Throws what the last try
 * threw; a refusal by the server is thrown at once.
 */
export async function tryAgain<T>(load: () => Promise<T>, pauses: readonly number[] = PAUSES): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await load();
    } catch (error) {
      const pause = pauses[tries];
      if (pause === undefined || answered(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Whether the server itself refused: not the network, and not a proxy that stands before a server that is away. */
function answered(error: unknown): boolean {
  return error instanceof ApiError && error.http > 0 && ![502, 503, 504].includes(error.http);
}
