import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { middle } from './chromium';
import { pullAndLetGo } from './pull';
import { useSession } from './session';
import { drop, modelBytes, shownMessage, temporaryFolder } from './support';

const session = useSession();

/** The .glb with its JSON changed; chunk lengths follow, so that only what was changed is wrong. */
function forge(bytes: Buffer, change: (json: string) => string): Buffer {
  const length = bytes.readUInt32LE(12);
  let json = change(bytes.subarray(20, 20 + length).toString());
  json = json.padEnd(Math.ceil(Buffer.byteLength(json) / 4) * 4, ' ');
  const rest = bytes.subarray(20 + length);
  const head = Buffer.from(bytes.subarray(0, 20));
  head.writeUInt32LE(20 + json.length + rest.length, 8);
  head.writeUInt32LE(json.length, 12);
  return Buffer.concat([head, Buffer.from(json), rest]);
}

test('pulls on the linear model become a file that limber reduce takes', async () => {
  const { page } = await session.open('beam.glb', { acceptDownloads: true });
  await page.getByTestId('sketch-record').click();
  await page.waitForFunction(() => window.limber.settings.method === 'linear');
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 80, y - 60, { steps: 6 });
  await page.waitForFunction(() => window.limber.frame?.pulls.length === 1);
  await expect
    .poll(async () => parseInt((await page.getByTestId('sketch-count').textContent()) ?? '', 10))
    .toBeGreaterThan(0);
  await page.mouse.up();
  await page.getByTestId('sketch-record').click();
  await page.waitForFunction(() => window.limber.settings.method === 'reduced');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByTestId('sketch-save').click(),
  ]);
  const folder = temporaryFolder();
  try {
    const sketch = join(folder.path, 'beam.sketch.json');
    await download.saveAs(sketch);
    const options = [
      '--sketch',
      sketch,
      '--load-separation',
      '0.4',
      '--rank',
      '4',
      '-o',
      join(folder.path, 'again.glb'),
    ];
    const report = execFileSync(inject('limber'), ['reduce', 'builtin:beam', ...options], { stdio: 'pipe' });
    expect(report.toString()).toContain('again.glb');
  } finally {
    folder.remove();
  }
});

const notModels: [what: string, make: (good: Buffer) => Buffer][] = [
  ['text', () => Buffer.from('this is no model')],
  ['nothing', () => Buffer.alloc(0)],
  ['half a model', (good) => good.subarray(0, good.length / 2)],
  [
    'a model with a forged rank',
    (good) => forge(good, (json) => json.replace(/"rank":\s*\d+/, '"rank":999')),
  ],
  [
    'a model with forged sizes',
    (good) => forge(good, (json) => json.replace(/"byteLength":\s*\d+/g, '"byteLength":4294967295')),
  ],
];

test('files that are not models get a message that names them, and the body goes on', async () => {
  const viewer = await session.open('beam.glb');
  const { page } = viewer;
  for (const [index, [, make]] of notModels.entries()) {
    await drop(page, make(modelBytes('beam.glb')), `broken${index}.glb`);
    await expect.poll(() => shownMessage(page)).toContain(`broken${index}.glb`);
    await page.getByTestId('message-close').click();
    await page.getByTestId('message').waitFor({ state: 'hidden' });
  }
  await pullAndLetGo(session.browser, viewer);
  await drop(page, modelBytes('heart.glb'), 'heart.glb');
  await page.waitForFunction(() => document.title.includes('heart'));
  expect(await page.evaluate(() => window.limber.info!.exact)).toBe(false);
  expect(await page.evaluate(() => window.limber.bodies.map(({ name }) => name))).toEqual(['beam', 'heart']);
});
