// Line icons on a 24 x 24 grid, drawn in the colour of the text beside them.

const PATHS = {
  mark: 'M3.5 17.5c5.5 0 3-11 8.5-11s3 11 8.5 11',
  open: 'M3 18V6a1 1 0 0 1 1-1h5l2 2.5h8a1 1 0 0 1 1 1V10M3 18l2.6-7.3a1 1 0 0 1 .95-.7H21l-2.7 8.3a1 1 0 0 1-.95.7H4a1 1 0 0 1-1-1Z',
  theme:
    'M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z',
  themeDark: 'M20 14.5A8.3 8.3 0 0 1 9.5 4 8.3 8.3 0 1 0 20 14.5Z',
  help: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM9.6 9.6A2.45 2.45 0 0 1 12 7.8c1.4 0 2.5.95 2.5 2.2 0 1.7-2.4 2-2.4 3.7M12.1 16.4v.1',
  panel: 'M4 5h16v14H4ZM15 5v14',
  play: 'M8 5.5v13l10.5-6.5Z',
  pause: 'M8.5 6v12M15.5 6v12',
  step: 'M6 5.5v13l9-6.5ZM18.5 6v12',
  reset: 'M5 12a7 7 0 1 0 2.3-5.2M5 4.5v4h4',
  close: 'M6 6l12 12M18 6 6 18',
  add: 'M12 5v14M5 12h14',
  previous: 'M14.5 6 8.5 12l6 6',
  next: 'M9.5 6l6 6-6 6',
  stop: 'M7 7h10v10H7Z',
  record: 'M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Z',
  frame:
    'M4 9V5a1 1 0 0 1 1-1h4M15 4h4a1 1 0 0 1 1 1v4M20 15v4a1 1 0 0 1-1 1h-4M9 20H5a1 1 0 0 1-1-1v-4M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
} as const;

export type IconName = keyof typeof PATHS;

const FILLED: readonly IconName[] = ['play', 'step', 'stop', 'record'];
const NAMESPACE = 'http://www.w3.org/2000/svg';

export function makeIcon(name: IconName): SVGElement {
  const svg = document.createElementNS(NAMESPACE, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', FILLED.includes(name) ? 'icon filled' : 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(NAMESPACE, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}
