import { useText } from '../../../../kernel/client/language.ts';
import { fill } from '../../../../kernel/contract/label.ts';
import { go } from '../../location/location.ts';
import { openProfile } from '../profile/profile-store.ts';
import { useTitleOf } from '../routes/titles.ts';

/** 401: the staff has no right for a path of the product. */
export function NoAccessPage({ pathname }: { readonly pathname: string }) {
  const text = useText();
  const [zh, en] = useTitleOf()(pathname);
  const template = ['您没有权限访问“{title}”', 'You have no permission for "{title}"'] as const;
  const sentence =
    zh === ''
      ? text(['您没有权限访问此页面', 'You have no permission for this page'])
      : text([fill(template, { title: zh })[0], fill(template, { title: en })[1]]);
  return (
    <div className="page-note">
      <p className="page-note-code" aria-hidden="true">
        401
      </p>
      <h1>{text(['无权访问', 'No access'])}</h1>
      <p>{sentence}</p>
      <p className="quiet">{text(['需要时请联系管理员开通。', 'Ask an administrator if you need it.'])}</p>
      <div className="page-note-buttons">
        <button
          type="button"
          className="plain-button"
          onClick={() => (window.history.length > 1 ? window.history.back() : go('/'))}
        >
          {text(['返回', 'Back'])}
        </button>
        <button type="button" className="plain-button primary" onClick={() => go('/')}>
          {text(['回到首页', 'Home'])}
        </button>
        <button type="button" className="plain-button" onClick={() => openProfile('permissions')}>
          {text(['查看我的权限', 'My permissions'])}
        </button>
      </div>
    </div>
  );
}
