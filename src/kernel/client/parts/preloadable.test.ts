import { createElement, Suspense } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { preloadable } from './preloadable.ts';

const drawn = (part: ReturnType<typeof preloadable<object>>) =>
  renderToString(createElement(Suspense, { fallback: 'waiting' }, createElement(part.Component, {})));

test('is drawn at once when its code was fetched before, and waits for it otherwise', async () => {
  let loads = 0;
  const load = async () => {
    loads++;
    return () => 'there';
  };
  const fetched = preloadable<object>(load);
  fetched.preload();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(drawn(fetched)).toContain('there');
  expect(loads).toBe(1);
  expect(drawn(preloadable<object>(load))).toContain('waiting');
});

test('a failed fetch ahead is no error, and is tried again when the part is wanted', async () => {
  let isDown = true;
  const part = preloadable<object>(async () => {
    if (isDown) throw new Error('offline');
    return () => 'there';
  });
  part.preload();
  await new Promise((resolve) => setTimeout(resolve, 5));
  isDown = false;
  part.preload();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(drawn(part)).toContain('there');
});
