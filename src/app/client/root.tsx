import { lazy, Suspense, useEffect } from 'react';
import { useLanguageStore } from '../../kernel/client/language.ts';
import { textOf } from '../../kernel/contract/label.ts';
import { FailedCover, FailedPage } from './failures/failed-page.tsx';
import { QuietBoundary } from './failures/quiet-boundary.tsx';
import { useStage } from './navigation/stage.ts';
import { NoticeStack } from './notices/notice-stack.tsx';
import { QuestionDialog } from './notices/question-dialog.tsx';
import { LoginPage } from './login/login-page.tsx';
import { useLock } from './session/lock-state.ts';
import { StartSkeleton } from './start-skeleton.tsx';
import { productTitle } from './product-title.ts';

const FrameApp = lazy(() => import('./frame/frame-app.tsx'));
const LockScreen = lazy(() => import('./lock/lock-screen.tsx'));
const SingleSignOnPage = lazy(() => import('./public-pages/single-sign-on-page.tsx'));
const AuthRedirectPage = lazy(() => import('./public-pages/auth-redirect-page.tsx'));

const publicTitles = {
  login: ['登录', 'Sign in'],
  idmcas: ['单点登录', 'Single sign-on'],
  authredirect: ['授权跳转', 'Authorisation redirect'],
} as const;

/** The window: a public page, the frame, or the skeleton while the session loads; messages and cover above. */
export function Root() {
  const stage = useStage((state) => state.stage);
  const locked = useLock((state) => state.locked);
  const language = useLanguageStore((state) => state.language);
  useEffect(() => {
    if (stage.kind === 'public')
      document.title = `${textOf(publicTitles[stage.page], language)} - ${textOf(productTitle, language)}`;
  }, [stage, language]);
  return (
    <>
      <QuietBoundary where="page" fallback={<FailedPage />}>
        <Suspense fallback={<StartSkeleton />}>
          {stage.kind === 'public' && stage.page === 'login' && <LoginPage />}
          {stage.kind === 'public' && stage.page === 'idmcas' && <SingleSignOnPage />}
          {stage.kind === 'public' && stage.page === 'authredirect' && <AuthRedirectPage />}
          {(stage.kind === 'frame' || stage.kind === 'mustChange') && <FrameApp />}
          {stage.kind === 'loading' && <StartSkeleton />}
        </Suspense>
      </QuietBoundary>
      <QuietBoundary key={String(locked)} where="lock" fallback={<FailedCover />}>
        <Suspense>{locked && <LockScreen />}</Suspense>
      </QuietBoundary>
      <QuestionDialog />
      <NoticeStack />
    </>
  );
}
