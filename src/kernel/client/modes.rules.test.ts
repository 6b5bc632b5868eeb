import { describe, expect, it } from 'vitest';
import { declaredMode, modeOf, modePath, modeTitle } from './modes.rules.ts';

const place = (path: string, params: Record<string, string> = {}, query = '') => ({
  path,
  params,
  query: new URLSearchParams(query),
});
const declared = { modes: { add: 'mechanismAdd', edit: 'mechanismEdit', detail: 'mechanismDetail/:id' } };
const page = { form: { sections: [], as: 'page' as const } };

describe('modes of a resource', () => {
  it('are told by the declared routes', () => {
    expect(modeOf(declared, place('/g/mechanism'))).toBeUndefined();
    expect(modeOf(declared, place('/g/mechanismAdd'))).toEqual({ kind: 'add', id: undefined });
    expect(modeOf(declared, place('/g/mechanismEdit', {}, 'id=7'))).toEqual({ kind: 'edit', id: '7' });
    expect(modeOf(declared, place('/g/mechanismDetail/7', { id: '7' }))).toEqual({ kind: 'detail', id: '7' });
    expect(declaredMode(declared, '/g/mechanismDetail/:id')).toBe('detail');
    expect(declaredMode({}, '/g/mechanismDetail/:id')).toBeUndefined();
  });

  it('are told by a path below the list and by an id', () => {
    expect(modeOf({}, place('/g/x/add/0', { mode: 'add', id: '0' }))).toEqual({ kind: 'add', id: undefined });
    expect(modeOf({}, place('/g/x/edit/7', { mode: 'edit', id: '7' }))).toEqual({ kind: 'edit', id: '7' });
    expect(modeOf({}, place('/g/x/7', { id: '7' }))).toEqual({ kind: 'detail', id: '7' });
  });

  it('have paths in the group of the list', () => {
    expect(modePath(declared, 'add', '/g/mechanism')).toBe('/g/mechanismAdd');
    expect(modePath(declared, 'edit', '/g/mechanism', '7')).toBe('/g/mechanismEdit?id=7');
    expect(modePath(declared, 'detail', '/g/mechanism', 'a/b')).toBe('/g/mechanismDetail/a%2Fb');
    const roles = { modes: { edit: 'c/edit/:id/:role' } };
    expect(modePath(roles, 'edit', '/g/x', '7', { role: '2' })).toBe('/g/c/edit/7/2');
    expect(modePath(roles, 'edit', '/g/x', '7')).toBeUndefined();
    expect(modePath(page, 'add', '/g/x')).toBe('/g/x/add/0');
    expect(modePath(page, 'edit', '/g/x', '7')).toBe('/g/x/edit/7');
    expect(modePath(page, 'detail', '/g/x', '7')).toBeUndefined();
    expect(modePath({}, 'add', '/g/x')).toBeUndefined();
    const detail = { detail: { mode: 'page' as const, sections: [], route: '/o/y/:id' } };
    expect(modePath(detail, 'detail', '/g/x', '7')).toBe('/o/y/7');
  });

  it('are called by what is done and to what', () => {
    const resource = { title: ['机构管理', 'Offices'], noun: ['机构', 'Office'] } as const;
    expect(modeTitle(resource, 'add')).toEqual(['新增机构', 'New office']);
    expect(modeTitle(resource, 'edit')).toEqual(['编辑机构', 'Edit office']);
    expect(modeTitle(resource, 'detail')).toEqual(['机构详情', 'Office details']);
  });
});
