import type { Label } from '../../kernel/contract/label.ts';

/** Name of the product: top route title, sidebar header, document title. */
export const productTitle: Label = ['社区零售系统', 'community retail system'];
