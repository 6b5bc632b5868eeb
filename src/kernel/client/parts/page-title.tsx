import type { ReactNode } from 'react';
import { Popover } from 'antd';
import { InfoCircleOutlined } from '@ant-design/icons';
import type { Label } from '../../contract/label.ts';
import { useText } from '../language.ts';
import '../kernel.css';

/** Title row of a screen: title, purpose for newcomers behind an icon, actions at the right, the primary one last. */
export function PageTitle(props: {
  readonly title: Label;
  readonly purpose?: Label | undefined;
  readonly before?: ReactNode;
  readonly after?: ReactNode;
  readonly children?: ReactNode;
}) {
  const text = useText();
  return (
    <header className="k-title">
      {props.before}
      <h1>{text(props.title)}</h1>
      {props.purpose && (
        <Popover
          content={<div className="k-purpose">{text(props.purpose)}</div>}
          trigger={['hover', 'focus', 'click']}
          placement="bottomLeft"
        >
          <button type="button" className="k-eye" aria-label={text(props.purpose)}>
            <InfoCircleOutlined aria-hidden />
          </button>
        </Popover>
      )}
      {props.after}
      <div className="k-title-actions">{props.children}</div>
    </header>
  );
}
