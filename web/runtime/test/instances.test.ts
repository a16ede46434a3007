import { beforeEach, expect, it, vi } from 'vitest';

const createModule = vi.fn();
vi.mock('#wasm/limber_wasm.mjs', () => ({ default: createModule }));

/** A module with no memory to give: every file is refused. */
const full = { _limber_allocate: () => 0 };
/** A module whose machine fails at the first call. */
const broken = {
  _limber_allocate: () => {
    throw new RangeError('the stack is full');
  },
};

let load: (typeof import('../src/index'))['load'];
beforeEach(async () => {
  vi.resetModules();
  createModule.mockReset();
  ({ load } = await import('../src/index'));
});

/** Why files given at the same time are refused. */
async function refusals(count: number): Promise<string[]> {
  const file = new Uint8Array(1);
  const all = await Promise.allSettled(Array.from({ length: count }, () => load(file)));
  return all.map((one) => (one.status === 'rejected' ? String(one.reason) : 'loaded'));
}

it('loads files at the same time into one instance', async () => {
  createModule.mockResolvedValue(full);
  for (const text of await refusals(3)) expect(text).toContain('not enough memory');
  expect(createModule).toHaveBeenCalledTimes(1);
});

it('makes one new instance for all callers after the last has failed', async () => {
  createModule.mockResolvedValueOnce(broken).mockResolvedValue(full);
  expect((await refusals(1))[0]).toContain('the stack is full');
  for (const text of await refusals(3)) expect(text).toContain('not enough memory');
  expect(createModule).toHaveBeenCalledTimes(2);
});

it('tries again where an instance could not be made', async () => {
  createModule.mockRejectedValue(new Error('no memory for the module'));
  expect((await refusals(1))[0]).toContain('no memory for the module');
  createModule.mockResolvedValue(full);
  expect((await refusals(1))[0]).toContain('not enough memory');
});
