// Colours of the stage by theme.

export type Theme = 'light' | 'dark';

/** Colours as in style sheets. */
export interface Palette {
  /** Background in the middle, and towards the edges. */
  readonly centre: string;
  readonly edge: string;
  /** Of the ground near the body, over the background. */
  readonly pool: string;
  readonly poolOpacity: number;
  readonly shadow: string;
  readonly keyShadow: number;
  readonly contactShadow: number;
  readonly sky: string;
  readonly bounce: string;
  readonly hemisphere: number;
  readonly key: number;
  readonly fill: number;
  readonly rim: string;
  readonly meshLines: string;
  readonly cubature: string;
  readonly fixed: string;
  readonly pull: string;
}

export const palettes: Record<Theme, Palette> = {
  light: {
    centre: '#fcfcfd',
    edge: '#e6e9ee',
    pool: '#ffffff',
    poolOpacity: 0.55,
    shadow: '#39424f',
    keyShadow: 0.3,
    contactShadow: 0.42,
    sky: '#ffffff',
    bounce: '#b8b0ac',
    hemisphere: 1.45,
    key: 2.3,
    fill: 0.55,
    rim: '#7d8aa0',
    meshLines: '#26303d',
    cubature: '#e8590c',
    fixed: '#1c62d6',
    pull: '#e8590c',
  },
  dark: {
    centre: '#20252d',
    edge: '#101317',
    pool: '#2c333d',
    poolOpacity: 0.55,
    shadow: '#06080a',
    keyShadow: 0.55,
    contactShadow: 0.6,
    sky: '#dfe8f5',
    bounce: '#4b4f5c',
    hemisphere: 1.15,
    key: 1.9,
    fill: 0.35,
    rim: '#93a9cc',
    meshLines: '#dbe4f0',
    cubature: '#ff9a4d',
    fixed: '#6aa5ff',
    pull: '#ffa05c',
  },
};
