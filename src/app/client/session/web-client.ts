import { call } from '../../../kernel/client/api-client.ts';

/** Public credential of the web client as it is first set up; grants nothing by itself. Source: ground rules, section 3. */
export const WEB_CLIENT = `Basic ${btoa('web:web')}`;

/** The credential of the page as it is now: it may have been replaced since the page was built. */
export async function presentWebClient(): Promise<string> {
  try {
    const { client } = await call<{ client?: string }>('GET', '/api/auth/authLogin/options', { quiet: true });
    return client ? `Basic ${btoa(client)}` : WEB_CLIENT;
  } catch {
    return WEB_CLIENT;
  }
}
