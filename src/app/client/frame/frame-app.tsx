import '../styles/frame.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { App, ConfigProvider } from 'antd';
import { useStage } from '../navigation/stage.ts';
import { antdTheme } from '../theme/antd-theme.ts';
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
        <App className="frame-root">{mustChange ? <MustChangeFrame /> : <Frame />}</App>
      </ConfigProvider>
    </QueryClientProvider>
  );
}
