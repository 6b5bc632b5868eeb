import { useEffect, useRef } from 'react';
import { Modal, type ModalProps } from 'antd';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import { useLayerClass } from '../view.ts';
import '../kernel.css';

/**
 * The only dialog of the product. antd's Modal crashes the page when a hidden tab with an open one is shown again
 * unless its transitions are off (measured; see docs on Activity), so the raw component is banned.
 */
export function AppModal(props: Omit<ModalProps, 'transitionName' | 'maskTransitionName'>) {
  const text = useText();
  const layer = useLayerClass();
  return (
    <Modal
      centered
      destroyOnHidden
      mask={{ closable: false }}
      okText={text(words.ok)}
      cancelText={text(words.cancel)}
      {...props}
      rootClassName={`${layer} ${props.rootClassName ?? ''}`}
      className={`k-modal ${props.className ?? ''}`}
      transitionName=""
      maskTransitionName=""
    >
      <FocusFirst />
      {props.children}
    </Modal>
  );
}

/** Ready to type: the library puts the focus on the cross, from where the first input is two steps away. */
function FocusFirst() {
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      const dialog = mark.current?.closest('[role=dialog]');
      const active = document.activeElement;
      const untouched =
        active === document.body || active === dialog || active?.classList.contains('ant-modal-close');
      if (untouched)
        dialog
          ?.querySelector<HTMLElement>(
            '.ant-modal-body :is(input:not([type=file], [type=hidden], [type=checkbox]), textarea):not(:disabled, [readonly], .ant-picker input)',
          )
          ?.focus({ preventScroll: true });
    }, 60);
    return () => clearTimeout(timer);
  }, []);
  return <span ref={mark} hidden />;
}
