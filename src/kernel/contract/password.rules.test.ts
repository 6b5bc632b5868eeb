import { describe, expect, it } from 'vitest';
import {
  forbiddenPasswordParts,
  isPasswordTooLong,
  passwordProblems,
  passwordStrength,
  passwordTexts,
} from './password.rules.ts';

const staff = { username: 'liwei' };

describe('password rule', () => {
  it('accepts a good password', () => expect(passwordProblems('Xk7#mQ2vLp9!', staff)).toEqual([]));
  it('asks for one', () => expect(passwordProblems('', staff)).toEqual([passwordTexts.empty]));
  it('names eleven characters', () =>
    expect(passwordProblems('Xk7#mQ2vLp9', staff)).toEqual([passwordTexts.short]));
  it.each([
    'Abcdef123456!',
    'xk7#mq2vlp9!',
    'XK7#MQ2VLP9!',
    'Xkz#mQwvLpy!',
    'Xk7amQ2vLp9a',
    'Xk7#mQ2vLIWEI!',
  ])('refuses %s', (password) => expect(passwordProblems(password, staff)).toEqual([passwordTexts.rule]));
  it.each(forbiddenPasswordParts)('refuses what contains %s in any case', (part) => {
    expect(passwordProblems(`Xk7#mQ2vLp9!${part.toUpperCase()}`, staff)).toContain(passwordTexts.rule);
  });
  it.each([...`!@#$%^&*()-_=+{}[];:",./?<>\`~'`])('counts %s as special', (character) => {
    expect(passwordProblems(`Xk7mQ2vLp9zT${character}`, staff)).toEqual([]);
  });
  it('refuses what is longer than 64 characters, or than one encrypted block', () => {
    const good = 'Xk7#mQ2vLp9!';
    expect(passwordProblems(good.padEnd(64, 'y'), staff)).toEqual([]);
    expect(passwordProblems(good.padEnd(65, 'y'), staff)).toEqual([passwordTexts.long]);
    expect(passwordProblems(good.padEnd(64, '密'), staff)).toEqual([]);
    expect(isPasswordTooLong('密'.repeat(64))).toBe(true);
  });
  it('refuses the old one', () => {
    expect(passwordProblems('Xk7#mQ2vLp9!', { ...staff, oldPassword: 'Xk7#mQ2vLp9!' })).toEqual([
      passwordTexts.sameAsOld,
    ]);
  });
  it('grades strength', () => {
    expect(passwordStrength('', staff)).toBe(0);
    expect(passwordStrength('abc', staff)).toBe(1);
    expect(passwordStrength('Xk7#mQ2vLp9!', staff)).toBe(3);
    expect(passwordStrength('Xk7#mQ2vLp9!Zt4&', staff)).toBe(4);
  });
});
