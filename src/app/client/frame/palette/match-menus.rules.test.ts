import { describe, expect, it } from 'vitest';
import { matchMenus, type SearchableMenu } from './match-menus.rules.ts';

const menu = (zh: string, en: string, code: string, pinyin: string, initials: string): SearchableMenu => ({
  code,
  path: `/x/${code}`,
  title: [zh, en],
  group: ['', ''],
  pinyin,
  initials,
});
const menus = [
  menu('工单管理', 'Work orders', 'cs_workOrder', 'gongdanguanli', 'gdgl'),
  menu('菜单管理', 'Menus', 'menuManager', 'caidanguanli', 'cdgl'),
  menu('用户管理', 'Staff', 'userManager', 'yonghuguanli', 'yhgl'),
];
const found = (typed: string) => matchMenus(typed, menus).map((one) => one.code);

describe('palette', () => {
  it.each(['gdgl', 'gongdan', '工单', 'work o', 'cs_work', ' GDGL '])('finds work orders by %s', (typed) =>
    expect(found(typed)[0]).toBe('cs_workOrder'),
  );
  it('puts starts before middles', () => expect(found('管理')).toHaveLength(3));
  it('finds nothing for nothing', () => {
    expect(found('')).toEqual([]);
    expect(found('zzz')).toEqual([]);
  });
});
