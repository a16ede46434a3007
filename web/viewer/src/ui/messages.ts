// What the page says: errors, until dismissed, and short notices for a few seconds.

import { makeButton } from './controls';
import { make } from './dom';
import { makeIcon } from './icons';

const NOTICE_MS = 2500;

export class Messages {
  readonly element: HTMLElement;
  private readonly alert_: HTMLElement;
  private readonly alertText_: HTMLElement;
  private readonly notice_: HTMLElement;
  private timer_: ReturnType<typeof setTimeout> | undefined;
  private message_: string | null = null;

  constructor() {
    this.alertText_ = make('span', {});
    const close = makeButton({
      id: 'message-close',
      icon: makeIcon('close'),
      title: 'Dismiss',
      kind: 'icon',
      click: () => {
        this.dismiss();
      },
    });
    this.alert_ = make(
      'div',
      { class: 'alert', role: 'alert', 'data-testid': 'message', hidden: true },
      this.alertText_,
      close,
    );
    this.notice_ = make('div', { class: 'notice', role: 'status', 'data-testid': 'status' });
    this.element = make('div', { id: 'messages' }, this.alert_, this.notice_);
  }

  /** The error shown. */
  get message(): string | null {
    return this.message_;
  }

  /** Shows an error until it is dismissed or another one comes. */
  showError(text: string): void {
    this.message_ = text;
    this.alertText_.textContent = text;
    this.alert_.hidden = false;
  }

  dismiss(): void {
    this.message_ = null;
    this.alert_.hidden = true;
    this.alertText_.textContent = '';
  }

  notify(text: string): void {
    this.notice_.textContent = text;
    this.notice_.classList.add('shown');
    clearTimeout(this.timer_);
    this.timer_ = setTimeout(() => {
      this.notice_.classList.remove('shown');
    }, NOTICE_MS);
  }
}
