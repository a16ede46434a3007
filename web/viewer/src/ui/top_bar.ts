// The bar on top: the name of the program and of the models, and the buttons of the page.

import { makeButton } from './controls';
import { make, setText } from './dom';
import { makeIcon } from './icons';
import type { Part } from './state';
import type { ThemeName } from './theme';

export interface TopBarActions {
  readonly open: () => void;
  readonly add: () => void;
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
  const add = button('add-body', 'add', 'Add a body (A)', actions.add);
  const theme = button('theme', 'theme', 'Light or dark (T)', actions.toggleTheme);
  const help = button('help', 'help', 'Help (?)', actions.toggleHelp);
  const panel = button('panel', 'panel', 'Panel (P)', actions.togglePanel);
  panel.setAttribute('aria-controls', 'panel');
  const name = make('span', { id: 'model-name', 'data-testid': 'model-name' });
  const title = make('h1', {}, makeIcon('mark'), 'limber');
  const element = make('header', { id: 'bar' }, title, name, open, add, theme, help, panel);
  return {
    element,
    update(state) {
      const names = state.clip?.name ?? state.bodies.map((body) => body.name).join(', ');
      add.hidden = state.info === null;
      setText(name, names);
      name.title = names;
      document.title = names ? `${names} · limber` : 'limber';
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
