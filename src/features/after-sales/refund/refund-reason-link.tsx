import { useState } from 'react';
import { InfoCircleOutlined } from '@ant-design/icons';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PopButton } from '../../../kernel/client/parts/pop-button.tsx';

const ReasonText = lazyPart(() => import('./refund-reason.tsx').then((module) => module.ReasonText));

/** 查看原因 of a failed or cancelled refund, read when it is opened. */
export function ReasonLink({ id }: { readonly id: string }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <PopButton
      open={open}
      onOpenChange={setOpen}
      className="k-eye"
      label={text(VIEW)}
      panel={
        <>
          <strong className="k-pop-title">{text(VIEW)}</strong>
          <ReasonText id={id} />
        </>
      }
    >
      <InfoCircleOutlined aria-hidden />
    </PopButton>
  );
}

const VIEW = ['查看原因', 'View reason'] as const;
