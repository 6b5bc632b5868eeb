import type { Platform } from '../../../kernel/server/platform.ts';

/** How signing in is configured for a run of the product; comes from the environment. */
export interface SignInConfig {
  /** Pictures, or one fixed code for automated tests (the configuration refuses that beyond a loopback address). */
  readonly captcha: 'image' | { readonly fixed: string };
  /** Address of the CAS server without trailing slash, and the address of our /idmcas it knows; absent: no single sign-on. */
  readonly cas?: { readonly url: string; readonly service: string } | undefined;
}

declare module '../../../kernel/server/platform.ts' {
  interface PlatformConfig {
    readonly signIn?: SignInConfig;
  }
}

/** The sign-in configuration of a platform: pictures and no single sign-on unless it says otherwise. */
export function signInConfig(platform: Platform): SignInConfig {
  return platform.config.signIn ?? { captcha: 'image' };
}

/** The code every picture shows in automated tests, or undefined. */
export function fixedCaptcha(platform: Platform): string | undefined {
  const { captcha } = signInConfig(platform);
  return captcha === 'image' ? undefined : captcha.fixed;
}
