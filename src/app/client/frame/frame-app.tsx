import '../styles/frame.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { ConfigProvider, theme as library } from 'antd';
import type { ReactNode } from 'react';
import { useStage } from '../navigation/stage.ts';
import { antdTheme, THEME_KEY } from '../theme/antd-theme.ts';
import { useTheme } from '../theme/theme-store.ts';
import { Frame } from './frame.tsx';
import { useLocales } from './language/locales.ts';
import { MustChangeFrame } from './password/must-change-frame.tsx';
import { queryClient } from './query-client.ts';

/** The signed-in part of the product: component library, query cache and the frame around the screens. */
export default function FrameApp() {
  const { theme, dark } = useTheme();
  const locale = useLocales((state) => state.locale);
  const mustChange = useStage((state) => state.stage.kind === 'mustChange');
  return (
    <QueryClientProvider client={queryClient}>
      <ConfigProvider
        {...(locale && { locale })}
        theme={antdTheme(theme, dark)}
        button={{ autoInsertSpace: false }}
      >
        <FrameRoot>{mustChange ? <MustChangeFrame /> : <Frame />}</FrameRoot>
      </ConfigProvider>
    </QueryClientProvider>
  );
}

/** Carries the component library's variables, which the kernel's own styles use. */
function FrameRoot({ children }: { readonly children: ReactNode }) {
  library.useToken();
  return <div className={`frame-root ${THEME_KEY}`}>{children}</div>;
}
