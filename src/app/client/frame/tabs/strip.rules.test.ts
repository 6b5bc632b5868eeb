import { describe, expect, it } from 'vitest';
import {
  change,
  close,
  emptyStrip,
  leave,
  move,
  pathsToClose,
  refresh,
  restore,
  togglePin,
  visit,
  type Strip,
} from './strip.rules.ts';

const open = (...paths: string[]): Strip =>
  paths.reduce((strip, path) => visit(strip, { path, search: '', noCache: false }), emptyStrip);
const paths = (strip: Strip) => strip.tabs.map((tab) => tab.path).join('');
const live = (strip: Strip) => strip.tabs.filter((tab) => tab.live).map((tab) => tab.path);

describe('tab strip', () => {
  it('never opens a path twice; the query is state of the tab', () => {
    const strip = visit(open('A', 'B'), { path: 'A', search: '?page=2', noCache: false });
    expect(paths(strip)).toBe('AB');
    expect(strip.tabs[0]?.search).toBe('?page=2');
    expect(strip.active).toBe('A');
  });
  it('goes to the last remaining tab when the active one is closed, nowhere for another one', () => {
    const strip = visit(open('A', 'B', 'C', 'D'), { path: 'B', search: '', noCache: false });
    expect(close(strip, ['B']).goTo).toBe('D');
    expect(close(strip, ['C']).goTo).toBeUndefined();
    expect(close(open('A'), ['A']).goTo).toBe('/');
  });
  it('closes others, all, left, right; pinned survive', () => {
    const strip = togglePin(open('A', 'B', 'C', 'D'), 'D');
    expect(paths(strip)).toBe('DABC');
    expect(pathsToClose(strip, 'others', 'B')).toEqual(['A', 'C']);
    expect(pathsToClose(strip, 'all', 'B')).toEqual(['A', 'B', 'C']);
    expect(pathsToClose(strip, 'left', 'B')).toEqual(['A']);
    expect(pathsToClose(strip, 'right', 'B')).toEqual(['C']);
    expect(paths(togglePin(strip, 'D'))).toBe('DABC');
  });
  it('keeps at most twelve live views and never drops unsaved input', () => {
    const names = 'ABCDEFGHIJKL'.split('');
    let strip = change(open(...names), 'A', { dirty: true });
    strip = visit(strip, { path: 'M', search: '', noCache: false });
    expect(live(strip)).toHaveLength(12);
    expect(live(strip)).toContain('A');
    expect(live(strip)).not.toContain('B');
    expect(strip.tabs).toHaveLength(13);
  });
  it('rebuilds noCache views at every visit', () => {
    const strip = visit(visit(emptyStrip, { path: 'N', search: '', noCache: true }), {
      path: 'A',
      search: '',
      noCache: false,
    });
    expect(live(strip)).toEqual(['A']);
  });
  it('makes a view anew on refresh', () => {
    const strip = change(open('A'), 'A', { dirty: true });
    const fresh = refresh(strip, 'A').tabs[0];
    expect(fresh?.generation).not.toBe(strip.tabs[0]?.generation);
    expect(fresh?.dirty).toBe(false);
  });
  it('restores the last closed tab with its query', () => {
    const strip = close(change(open('A', 'B'), 'A', { search: '?x=1' }), ['A']).strip;
    expect(restore(strip).goTo).toBe('A?x=1');
    expect(restore(restore(strip).strip).goTo).toBeUndefined();
  });
  it('reorders inside its part only', () => {
    const strip = togglePin(open('A', 'B', 'C'), 'A');
    expect(paths(move(strip, 'B', 'C'))).toBe('ACB');
    expect(paths(move(strip, 'C', 'A'))).toBe('ABC');
  });
  it('has no active tab on a page without tab', () => expect(leave(open('A')).active).toBeUndefined());
});
