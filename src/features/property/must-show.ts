import { defineMustShow } from '../../testing/must-show.ts';

export const mustShow = defineMustShow({ group: '06', partly: true, lines: {} });
