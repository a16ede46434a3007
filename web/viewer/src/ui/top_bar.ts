// The bar on top: the name of the program and of the model, and the buttons of the page.

import { makeButton } from './controls';
import { make, setText } from './dom';
import { makeIcon } from './icons';
import type { Part } from './state';
import type { ThemeName } from './theme';

export interface TopBarActions {
  readonly open: () => void;
  readonly toggleTheme: () => void;
  readonly toggleHelp: () => void;
  readonly togglePanel: () => void;
}

export interface TopBar extends Part {
  showTheme(theme: ThemeName): void;
  showPanel(shown: boolean): void;
}

export function makeTopBar(actions: TopBarActions): TopBar {
  const button = (id: string, icon: Parameters<typeof makeIcon>[0], title: string, click: () => void) =>
    makeButton({ id, icon: makeIcon(icon), title, kind: 'icon', click });
  const open = button('open', 'open', 'Open a model (O)', actions.open);
  const theme = button('theme', 'theme', 'Light or dark (T)', actions.toggleTheme);
  const help = button('help', 'help', 'Help (?)', actions.toggleHelp);
  const panel = button('panel', 'panel', 'Panel (P)', actions.togglePanel);
  panel.setAttribute('aria-controls', 'panel');
  const name = make('span', { id: 'model-name', 'data-testid': 'model-name' });
  const title = make('h1', {}, makeIcon('mark'), 'limber');
  const element = make('header', { id: 'bar' }, title, name, open, theme, help, panel);
  return {
    element,
    update(state) {
      setText(name, state.name);
      name.title = state.name;
      document.title = state.name ? `${state.name} · limber` : 'limber';
    },
    showTheme(current) {
      theme.replaceChildren(makeIcon(current === 'dark' ? 'theme' : 'themeDark'));
      theme.title = current === 'dark' ? 'Light theme (T)' : 'Dark theme (T)';
      theme.setAttribute('aria-label', theme.title);
    },
    showPanel(shown) {
      panel.setAttribute('aria-pressed', String(shown));
      panel.setAttribute('aria-expanded', String(shown));
    },
  };
}
