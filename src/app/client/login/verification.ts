import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../../kernel/client/api-client.ts';

interface VerificationAnswer {
  readonly image: string;
  readonly required: boolean;
  /** Seconds the image lives. */
  readonly expiresIn: number;
}

/** State of the verification image. */
export interface Verification {
  /** Address of the image to show, undefined while it loads. */
  readonly image: string | undefined;
  readonly required: boolean;
  readonly expired: boolean;
  /** The image could not be fetched. */
  readonly failed: boolean;
  /** Result of the early check: undefined until four characters were typed. */
  readonly right: boolean | undefined;
  refresh(): void;
  /** Checks four typed characters early; does not use the code up. */
  judge(code: string): void;
  /** Forgets the result of the early check. */
  forget(): void;
}

const MOST_WRONG_TRIES = 3;

/** Fetches a verification image, lets it expire and checks typed codes early. `enabled` false fetches nothing. */
export function useVerification(enabled = true): Verification {
  const [answer, setAnswer] = useState<VerificationAnswer>();
  const [failed, setFailed] = useState(false);
  const [expired, setExpired] = useState(false);
  const [right, setRight] = useState<boolean>();
  const wrongTries = useRef(0);
  const request = useRef(0);
  const refresh = useCallback(() => {
    const mine = ++request.current;
    wrongTries.current = 0;
    setRight(undefined);
    call<VerificationAnswer>('GET', '/api/auth/authLogin/getVerificationCode', { quiet: true }).then(
      (next) => {
        if (mine !== request.current) return;
        setAnswer(next);
        setFailed(false);
        setExpired(false);
      },
      () => {
        if (mine === request.current) setFailed(true);
      },
    );
  }, []);
  useEffect(() => {
    if (enabled) refresh();
  }, [enabled, refresh]);
  useEffect(() => {
    if (!answer?.required) return;
    const timer = setTimeout(() => setExpired(true), answer.expiresIn * 1000);
    return () => clearTimeout(timer);
  }, [answer]);
  const judge = useCallback((code: string) => {
    const mine = request.current;
    call<boolean>('POST', '/api/auth/authLogin/judgeVerification', { body: { code }, quiet: true }).then(
      (isRight) => {
        if (mine !== request.current) return;
        setRight(isRight);
        // The server kills the image at the third wrong try.
        if (!isRight && ++wrongTries.current >= MOST_WRONG_TRIES) setExpired(true);
      },
      () => setRight(undefined),
    );
  }, []);
  return {
    image: answer?.image,
    required: answer?.required ?? true,
    expired,
    failed,
    right,
    refresh,
    judge,
    forget: () => setRight(undefined),
  };
}

/** Address of an image the server sent as data address, as svg text or as base64. */
export function imageAddress(image: string): string {
  if (image.startsWith('data:') || image.startsWith('/')) return image;
  if (image.startsWith('<svg')) return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(image)}`;
  return `data:image/png;base64,${image}`;
}
