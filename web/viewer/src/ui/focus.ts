// What a mouse clicks keeps no focus, so that space goes on to mean play. Keyboards and screen readers keep theirs.

export function releaseMouseFocus(): void {
  let touched: Element | null = null;
  document.addEventListener('pointerdown', (event) => {
    touched = event.target instanceof Element ? event.target.closest('select') : null;
  });
  document.addEventListener('keydown', () => {
    touched = null;
  });
  document.addEventListener('change', (event) => {
    if (event.target === touched && touched instanceof HTMLSelectElement) touched.blur();
  });
  document.addEventListener('click', (event) => {
    if (!(event instanceof PointerEvent) || event.pointerType !== 'mouse') return;
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && activeElement.matches('button, summary, .switch'))
      activeElement.blur();
  });
}
