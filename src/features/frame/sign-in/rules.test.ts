import { describe, expect, it } from 'vitest';
import { readCasAnswer } from './cas.rules.ts';
import { CAPTCHA_ALPHABET, drawCaptcha } from './captcha-image.rules.ts';
import { afterFailure, minutesToWait, NEVER_FAILED, type LockState } from './lockout.rules.ts';
import { menuTree, type PlacedMenu } from './menu-tree.rules.ts';
import { networkOf } from './network.rules.ts';
import { passwordDaysLeft } from './password-age.rules.ts';

const MINUTE = 60_000;

describe('what counts as one address', () => {
  it.each([
    ['10.1.1.1', '10.1.1.1'],
    ['::ffff:10.1.1.1', '10.1.1.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['64:ff9b::10.0.0.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('%s is %s', (address, network) => expect(networkOf(address)).toBe(network));
});

describe('lockout', () => {
  const fail = (count: number, at: number, from: LockState = NEVER_FAILED): LockState =>
    Array.from({ length: count }).reduce<LockState>((state) => afterFailure(state, at), from);

  it('lets five failures pass and then waits a minute', () => {
    expect(minutesToWait(fail(4, 0), 0)).toBe(0);
    expect(minutesToWait(fail(5, 0), 0)).toBe(1);
    expect(minutesToWait(fail(5, 0), MINUTE - 1)).toBe(1);
    expect(minutesToWait(fail(5, 0), MINUTE)).toBe(0);
  });
  it('doubles up to half an hour while failures go on', () => {
    let state = fail(5, 0);
    const waits = [state.lockMinutes];
    for (let round = 0; round < 6; round++) {
      state = afterFailure(state, state.lockedUntil!);
      waits.push(state.lockMinutes);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });
  it('starts anew after fifteen quiet minutes', () => {
    const state = fail(5, 0);
    const later = state.lockedUntil! + 15 * MINUTE;
    expect(afterFailure(state, later)).toEqual({
      failedCount: 1,
      failedSince: later,
      lockedUntil: null,
      lockMinutes: 0,
    });
    expect(minutesToWait(fail(5, later, state), later)).toBe(1);
  });
  it('counts five within fifteen minutes only', () => {
    const state = afterFailure(fail(4, 0), 16 * MINUTE);
    expect(state.failedCount).toBe(1);
    expect(minutesToWait(state, 16 * MINUTE)).toBe(0);
  });
});

describe('days left of a password', () => {
  const day = 86_400_000;
  it.each([
    [0, 90],
    [day / 2, 90],
    [83 * day, 7],
    [89.5 * day, 1],
    [90 * day, 0],
    [90.5 * day, 0],
    [92 * day, -2],
  ])('after %d ms: %d', (age, days) => expect(passwordDaysLeft(0, 90, age)).toBe(days));
  it('is nothing when passwords never expire', () => expect(passwordDaysLeft(0, 0, 1)).toBeNull());
});

describe('answer of a CAS server', () => {
  const answer = (inner: string) =>
    `<cas:serviceResponse xmlns:cas='http://www.yale.edu/tp/cas'>\n ${inner}\n</cas:serviceResponse>\n`;
  const success = (user: string) =>
    answer(
      `<cas:authenticationSuccess><cas:user>${user}</cas:user><cas:attributes><cas:name>李&amp;王</cas:name></cas:attributes></cas:authenticationSuccess>`,
    );

  it('reads the user', () => {
    expect(readCasAnswer(success('li.min'))).toEqual({ user: 'li.min' });
    expect(readCasAnswer(`<?xml version="1.0" encoding="UTF-8"?>\n${success(' a&amp;b&#x4e2d; ')}`)).toEqual({
      user: 'a&b中',
    });
  });
  it('takes another kind of space for a part of the name', () => {
    expect(readCasAnswer(success('\u00a0li.min\u3000'))).toEqual({ user: '\u00a0li.min\u3000' });
  });
  it('reads a failure', () => {
    expect(
      readCasAnswer(
        answer(`<cas:authenticationFailure code="INVALID_TICKET">no</cas:authenticationFailure>`),
      ),
    ).toEqual({ failure: 'INVALID_TICKET' });
  });
  it.each([
    '',
    'hello',
    '<html><body>login</body></html>',
    `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${success('&e;')}`,
    success('&e;'),
    success('a<!-- b -->'),
    success('<![CDATA[admin]]>'),
    success('<b>admin</b>'),
    success(''),
    answer(
      '<cas:authenticationSuccess><cas:user>a</cas:user><cas:user>b</cas:user></cas:authenticationSuccess>',
    ),
    answer(
      '<cas:authenticationSuccess><cas:user>a</cas:user></cas:authenticationSuccess><cas:authenticationSuccess><cas:user>b</cas:user></cas:authenticationSuccess>',
    ),
    success('a').replace('</cas:user>', '</cas:name>'),
    success('a').slice(0, -20),
    success('a') + success('b'),
    `${success('a')}<x/>`,
  ])('takes %s for nobody', (xml) => expect(readCasAnswer(xml)).not.toHaveProperty('user'));
});

describe('verification picture', () => {
  it('is made of paths only and draws every character', () => {
    for (const character of `${CAPTCHA_ALPHABET}0123456789`) {
      const svg = drawCaptcha(character.repeat(4), Math.random);
      expect(svg.replace(/<path fill="#[0-9a-f]{6}" d="[MLZ\d. -]+"\/>/g, '')).toBe(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40" width="120" height="40"></svg>',
      );
      expect(svg).not.toContain('NaN');
      expect(svg.length).toBeLessThan(30_000);
    }
  });
  it('never looks the same twice', () => {
    const pictures = new Set(Array.from({ length: 50 }, () => drawCaptcha('ACE3', Math.random)));
    expect(pictures.size).toBe(50);
  });
});

describe('menu tree', () => {
  const place = (code: string, parent: string | null, more: Partial<PlacedMenu> = {}): PlacedMenu => ({
    code,
    parent,
    title: code,
    titleEn: code,
    icon: 'X',
    type: 'menu',
    url: '',
    openIn: 'window',
    hidden: false,
    noCache: false,
    path: `/${code}`,
    ...more,
  });
  it('leaves out groups without pages and hides groups whose pages are all hidden', () => {
    const tree = menuTree([
      place('empty', null, { type: 'dirt' }),
      place('shown', null, { type: 'dirt' }),
      place('veiled', null, { type: 'dirt' }),
      place('a', 'shown'),
      place('b', 'shown', { hidden: true }),
      place('c', 'veiled', { hidden: true }),
    ]);
    expect(tree.map((node) => [node.code, node.icon])).toEqual([
      ['shown', 'X'],
      ['veiled', 'hidden'],
    ]);
    expect(tree[0]!.children.map((node) => [node.code, node.icon])).toEqual([
      ['a', 'X'],
      ['b', 'hidden'],
    ]);
  });
  it('ends when a menu was put below itself', () => {
    expect(menuTree([place('a', null), place('b', 'a'), place('a', 'b')])[0]!.children[0]!.children).toEqual(
      [],
    );
  });
});
