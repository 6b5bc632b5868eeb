import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { commentsOf } from './order-comment-binding.server.ts';
import { personComment } from './order-comment.contract.ts';

/** Comments as the detail of a service person shows them. */
export const registration = bindResource(personComment, commentsOf('service')).registration;
