import { expect, test } from 'vitest';
import { registrations } from './registry/registrations.gen.ts';

test('each target of pickers is written by one service: a second one would never be asked', () => {
  const written = registrations.flatMap((service) =>
    (service.options ?? []).filter((source) => !source.plain).map(({ target }) => target),
  );
  expect(written.filter((target, index) => written.indexOf(target) < index)).toEqual([]);
  expect(written.length).toBeGreaterThan(50);
});
