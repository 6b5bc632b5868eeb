import { theme as antd, type MappingAlgorithm, type ThemeConfig } from 'antd';
import { darker, hexOf, rgbOf } from './shades.rules.ts';
import { themeColours } from './theme-variables.ts';

/** Under white text hover and press go darker: the library's lighter ones would fall below 4.5:1. */
function pressed(colour: string): { readonly hover: string; readonly active: string } {
  const hover = darker(rgbOf(colour)!);
  return { hover: hexOf(hover), active: hexOf(darker(hover)) };
}

const DANGER = '#CF222E';

/** Class that carries the component library's variables. */
export const THEME_KEY = 'app';

/** The component library's theme: text and fills under text use readable shades, bare fills and lines the colour itself. */
export function antdTheme(colour: string, dark: boolean): ThemeConfig {
  const { theme, solid, text } = themeColours(colour, dark);
  const { hover, active } = pressed(solid);
  const danger = pressed(DANGER);
  const bare = {
    colorPrimary: theme,
    colorPrimaryHover: theme,
    colorPrimaryActive: theme,
    colorPrimaryBorder: theme,
  };
  const border = { activeBorderColor: theme, hoverBorderColor: theme };
  const derive = dark ? antd.darkAlgorithm : antd.defaultAlgorithm;
  // After the derivation: the dark palette would dim readable shades again.
  const readable: MappingAlgorithm = (seed, map) => ({
    ...derive(seed, map),
    colorPrimary: solid,
    colorPrimaryHover: hover,
    colorPrimaryActive: active,
    colorLink: text,
    colorLinkHover: text,
    colorLinkActive: text,
    colorPrimaryText: text,
    colorPrimaryTextHover: text,
    colorPrimaryTextActive: text,
    ...(dark && { colorBorder: '#465262', colorBorderSecondary: '#2a323d', colorSplit: '#2a323d' }),
  });
  return {
    cssVar: { key: THEME_KEY },
    hashed: false,
    algorithm: readable,
    token: {
      colorPrimary: solid,
      colorInfo: solid,
      borderRadius: 6,
      fontSize: 14,
      fontFamily: 'var(--font)',
      ...(dark
        ? {
            colorBgBase: '#0e1116',
            colorBgLayout: '#0e1116',
            colorBgContainer: '#15191f',
            colorBgElevated: '#1d232b',
            colorTextBase: '#e3e8ef',
            colorTextPlaceholder: '#909cab',
            colorTextDescription: '#a4afbd',
          }
        : {
            colorBgLayout: '#f5f7fa',
            colorTextBase: '#1f2733',
            colorTextPlaceholder: '#66707e',
            colorTextDescription: '#5a6472',
            colorTextTertiary: '#5f6977',
          }),
    },
    components: {
      Checkbox: bare,
      Radio: bare,
      Switch: bare,
      Slider: { ...bare, trackBg: theme, trackHoverBg: theme, handleColor: theme },
      Progress: { defaultColor: theme },
      Spin: bare,
      Input: border,
      InputNumber: border,
      Select: { ...border, optionSelectedColor: text },
      DatePicker: border,
      Tabs: { itemSelectedColor: text, itemHoverColor: text, itemActiveColor: text, inkBarColor: theme },
      Menu: { itemSelectedColor: text, horizontalItemSelectedColor: text },
      Pagination: { itemActiveColor: text, colorPrimary: text, colorPrimaryHover: text },
      Segmented: { itemSelectedColor: text },
      Button: {
        defaultHoverColor: text,
        defaultHoverBorderColor: text,
        defaultActiveColor: text,
        defaultActiveBorderColor: text,
        ...(!dark && { colorError: DANGER, colorErrorHover: danger.hover, colorErrorActive: danger.active }),
        primaryShadow: 'none',
        dangerShadow: 'none',
        defaultShadow: 'none',
      },
    },
  };
}
