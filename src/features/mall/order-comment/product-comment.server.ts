import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { commentsOf } from './order-comment-binding.server.ts';
import { productComment } from './order-comment.contract.ts';

/** Comments as the detail of a product shows them. */
export const registration = bindResource(productComment, commentsOf('goods')).registration;
