import { expect, it } from 'vitest';
import { linkAddress, needsSource } from './rich-text.rules.ts';

it('what the editor would lose is changed in its source', () => {
  expect(needsSource('<p>a <b>b</b><img src="/f/1"></p>')).toBe(false);
  expect(needsSource('')).toBe(false);
  expect(needsSource('<p>a</p><table><tr><td>1</td></tr></table>')).toBe(true);
});

it('links have an address that is kept when written', () => {
  expect(linkAddress(' example.com/a ')).toBe('https://example.com/a');
  expect(linkAddress('http://example.com')).toBe('http://example.com');
  expect(linkAddress('/service/x')).toBe('/service/x');
  expect(linkAddress('localhost:8080/x')).toBe('https://localhost:8080/x');
  expect(linkAddress('javascript:alert(1)')).toBeUndefined();
  expect(linkAddress('//example.com')).toBe('https://example.com');
  expect(linkAddress('two words')).toBeUndefined();
});
