import { hotService } from '../../mall/recommended-product/recommended-product.contract.ts';
import { recommendedScreen } from '../../mall/recommended-product/recommended-product.screen.tsx';

/** Module of mm_hotHomeServcie. */
export const screen = recommendedScreen(hotService, 'hotServiceOffer');
