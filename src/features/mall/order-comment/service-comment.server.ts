import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { commentsOf } from './order-comment-binding.server.ts';
import { serviceComment } from './order-comment.contract.ts';

/** Comments as the detail of a service shows them. */
export const registration = bindResource(serviceComment, commentsOf('service')).registration;
