import type { Label } from '../../../../kernel/contract/label.ts';

/** A line of the shortcut sheet. */
export interface ShortcutLine {
  readonly keys: readonly string[];
  readonly label: Label;
}

/** All shortcuts of the product, by where they work. */
export const shortcutSections: readonly { readonly title: Label; readonly lines: readonly ShortcutLine[] }[] =
  [
    {
      title: ['任何地方', 'Anywhere'],
      lines: [
        { keys: ['Ctrl', 'K'], label: ['搜索菜单和单据', 'Search menus and records'] },
        { keys: ['?'], label: ['快捷键一览', 'This sheet'] },
        { keys: ['g', 'd'], label: ['首页', 'Home'] },
        { keys: ['g', 't'], label: ['待办', 'To-do'] },
        { keys: ['g', 'x'], label: ['下载中心', 'Download centre'] },
        { keys: ['Alt', 'W'], label: ['关闭标签', 'Close the tab'] },
        { keys: ['Alt', 'Shift', 'T'], label: ['恢复关闭的标签', 'Restore closed tab'] },
        { keys: ['Alt', '1…9'], label: ['第几个标签', 'Tab by number'] },
        { keys: ['Alt', 'L'], label: ['锁屏', 'Lock screen'] },
        { keys: ['Esc'], label: ['关闭最上层', 'Close the top layer'] },
      ],
    },
    {
      title: ['列表', 'Lists'],
      lines: [
        { keys: ['/'], label: ['关键字', 'Keyword'] },
        { keys: ['n'], label: ['新增', 'New'] },
        { keys: ['j'], label: ['下一行', 'Next row'] },
        { keys: ['k'], label: ['上一行', 'Previous row'] },
        { keys: ['x'], label: ['选择当前行', 'Select the row'] },
        { keys: ['Enter'], label: ['打开当前行', 'Open the row'] },
        { keys: ['e'], label: ['编辑当前行', 'Edit the row'] },
        { keys: ['r'], label: ['刷新', 'Refresh'] },
      ],
    },
    { title: ['表单', 'Forms'], lines: [{ keys: ['Ctrl', 'S'], label: ['保存', 'Save'] }] },
  ];
