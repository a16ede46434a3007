// Files that are dropped anywhere on the page.

/** Calls `add` for the files that are dropped at a time, and marks the page while some hover. */
export function connectDrop(add: (files: readonly File[]) => void): void {
  const root = document.documentElement;
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
  window.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect = 'copy';
    root.classList.add('dropping');
  });
  window.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) root.classList.remove('dropping');
  });
  window.addEventListener('drop', (event) => {
    root.classList.remove('dropping');
    if (!hasFiles(event)) return;
    event.preventDefault();
    add([...(event.dataTransfer?.files ?? [])]);
  });
}
