// Light or dark: as the system says, until a person chooses.

import { recall, remember } from './dom';

export type ThemeName = 'light' | 'dark';

export class Theme {
  private readonly dark_ = matchMedia('(prefers-color-scheme: dark)');
  private chosen_: ThemeName | null;

  /** `changed` is called now and whenever the theme changes. */
  constructor(private readonly changed_: (name: ThemeName) => void) {
    const remembered = recall('theme');
    this.chosen_ = remembered === 'light' || remembered === 'dark' ? remembered : null;
    this.dark_.addEventListener('change', () => {
      this.apply_();
    });
    this.apply_();
  }

  get name(): ThemeName {
    return this.chosen_ ?? (this.dark_.matches ? 'dark' : 'light');
  }

  toggle(): void {
    this.chosen_ = this.name === 'dark' ? 'light' : 'dark';
    remember('theme', this.chosen_);
    this.apply_();
  }

  private apply_(): void {
    document.documentElement.dataset.theme = this.name;
    this.changed_(this.name);
  }
}
